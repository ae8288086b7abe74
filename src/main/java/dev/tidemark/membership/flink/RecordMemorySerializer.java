package dev.tidemark.membership.flink;

import dev.tidemark.membership.RecordMemory;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.WireSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes what is remembered of a record. Part of state: the first byte is the version and the flags. */
public final class RecordMemorySerializer extends WireSerializer<RecordMemory> {
    private static final long serialVersionUID = 1L;
    private static final int VERSION = 1;
    private static final int DELETED = 0x40;
    private static final int STANDING = 0x20;
    private static final int VERSION_BITS = 0x1f;

    private final transient Wire.RepeatedText log = new Wire.RepeatedText();

    @Override
    public TypeSerializer<RecordMemory> duplicate() {
        return new RecordMemorySerializer();
    }

    @Override
    protected void write(RecordMemory memory, DataOutputView out) throws IOException {
        out.writeByte(VERSION | (memory.deleted() ? DELETED : 0) | (memory.standing() ? STANDING : 0));
        Wire.writeBytes(memory.version(), out);
        out.writeLong(memory.observedAt());
        log.write(memory.log(), out);
        out.writeLong(memory.sequence());
        out.writeLong(memory.rememberedUnder());
        if (!memory.deleted()) {
            out.writeLong(memory.eventTime());
            out.writeLong(memory.partition());
            Wire.writeBytes(memory.key(), out);
            Wire.writeBytes(memory.row(), out);
        }
    }

    @Override
    protected RecordMemory read(DataInputView in) throws IOException {
        int flags = in.readByte();
        if ((flags & VERSION_BITS) != VERSION) {
            throw new IOException("a record's memory of version " + (flags & VERSION_BITS) + " cannot be read");
        }
        var version = Wire.readBytes(in);
        long observedAt = in.readLong();
        String logName = log.read(in);
        long sequence = in.readLong();
        long rememberedUnder = in.readLong();
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
                in.readLong(),
                Wire.readBytes(in),
                Wire.readBytes(in),
                rememberedUnder);
    }

    private Object readResolve() {
        return new RecordMemorySerializer();
    }

    @Override
    public TypeSerializerSnapshot<RecordMemory> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The serializer has no parameters. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<RecordMemory> {
        public Snapshot() {
            super(RecordMemorySerializer::new);
        }
    }
}
