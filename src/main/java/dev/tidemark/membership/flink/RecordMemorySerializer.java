package dev.tidemark.membership.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.membership.RecordMemory;
import dev.tidemark.wire.RepeatedText;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes what is remembered of a record. Part of state. */
public final class RecordMemorySerializer extends WireSerializer<RecordMemory> {
    private static final long serialVersionUID = 1L;
    private static final int DELETED = 1;
    private static final int STANDING = 2;

    private final RepeatedText log = new RepeatedText();

    @Override
    public TypeSerializer<RecordMemory> duplicate() {
        return new RecordMemorySerializer();
    }

    @Override
    protected void write(RecordMemory memory, DataOutputView out) throws IOException {
        out.writeByte((memory.deleted() ? DELETED : 0) | (memory.standing() ? STANDING : 0));
        Wire.writeBytes(memory.version(), out);
        out.writeLong(memory.observedAt());
        log.write(memory.log(), out);
        Wire.writeSigned(memory.sequence(), out);
        Wire.writeSigned(memory.rememberedUnder(), out);
        if (!memory.deleted()) {
            out.writeLong(memory.eventTime());
            Wire.writeSigned(memory.partition(), out);
            Wire.writeBytes(memory.key(), out);
            Wire.writeBytes(memory.row(), out);
        }
    }

    @Override
    protected RecordMemory read(DataInputView in) throws IOException {
        int flags = in.readByte();
        Bytes version = Wire.readBytes(in);
        long observedAt = in.readLong();
        String logName = log.read(in);
        long sequence = Wire.readSigned(in);
        long rememberedUnder = Wire.readSigned(in);
        if ((flags & DELETED) != 0) {
            return RecordMemory.deleted(version, observedAt, logName, sequence, rememberedUnder);
        }
        return new RecordMemory(
                false,
                (flags & STANDING) != 0,
                version,
                observedAt,
                logName,
                sequence,
                in.readLong(),
                Wire.readSigned(in),
                Wire.readBytes(in),
                Wire.readBytes(in),
                rememberedUnder);
    }

    @Override
    public TypeSerializerSnapshot<RecordMemory> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<RecordMemory> {
        public Snapshot() {
            super(1, RecordMemorySerializer::new);
        }
    }
}
