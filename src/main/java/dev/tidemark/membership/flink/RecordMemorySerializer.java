package dev.tidemark.membership.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.membership.Copy;
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
    private static final int HELD = 4;
    private static final int COPY = 8;
    private static final int NAMESAKES = 16;

    private final RepeatedText log = new RepeatedText();

    @Override
    public TypeSerializer<RecordMemory> duplicate() {
        return new RecordMemorySerializer();
    }

    @Override
    protected void write(RecordMemory memory, DataOutputView out) throws IOException {
        Copy copy = memory.copy();
        out.writeByte((memory.deleted() ? DELETED : 0)
                | (memory.standing() ? STANDING : 0)
                | (memory.held() ? HELD : 0)
                | (copy == null ? 0 : COPY)
                | (memory.namesakes() == 0 ? 0 : NAMESAKES));
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
        if (memory.namesakes() > 0) {
            Wire.writeUnsigned(memory.namesakes(), out);
        }
        if (copy != null) {
            write(copy, out);
        }
    }

    private void write(Copy copy, DataOutputView out) throws IOException {
        Wire.writeBytes(copy.version(), out);
        log.write(copy.log(), out);
        Wire.writeSigned(copy.sequence(), out);
        out.writeLong(copy.eventTime());
        Wire.writeSigned(copy.partition(), out);
        Wire.writeBytes(copy.key(), out);
        Wire.writeBytes(copy.row(), out);
        Wire.writeUnsigned(copy.namesakes(), out);
    }

    @Override
    protected RecordMemory read(DataInputView in) throws IOException {
        int flags = in.readByte();
        Bytes version = Wire.readBytes(in);
        long observedAt = in.readLong();
        String logName = log.read(in);
        long sequence = Wire.readSigned(in);
        long rememberedUnder = Wire.readSigned(in);
        boolean deleted = (flags & DELETED) != 0;
        return new RecordMemory(
                deleted,
                (flags & STANDING) != 0,
                (flags & HELD) != 0,
                version,
                observedAt,
                logName,
                sequence,
                deleted ? Change.UNKNOWN : in.readLong(),
                deleted ? Change.UNKNOWN : Wire.readSigned(in),
                deleted ? Bytes.EMPTY : Wire.readBytes(in),
                deleted ? Bytes.EMPTY : Wire.readBytes(in),
                rememberedUnder,
                (flags & NAMESAKES) == 0 ? 0 : Wire.readUnsigned(in),
                (flags & COPY) == 0 ? null : readCopy(in));
    }

    private Copy readCopy(DataInputView in) throws IOException {
        return new Copy(
                Wire.readBytes(in),
                log.read(in),
                Wire.readSigned(in),
                in.readLong(),
                Wire.readSigned(in),
                Wire.readBytes(in),
                Wire.readBytes(in),
                Wire.readUnsigned(in));
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
