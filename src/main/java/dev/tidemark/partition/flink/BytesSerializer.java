package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.partition.Wire;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Writes {@link Bytes} behind their length. */
public final class BytesSerializer extends ImmutableSerializer<Bytes> {
    private static final long serialVersionUID = 1L;

    public static final BytesSerializer INSTANCE = new BytesSerializer();

    private BytesSerializer() {}

    @Override
    public TypeSerializer<Bytes> duplicate() {
        return this;
    }

    @Override
    public Bytes createInstance() {
        return Bytes.EMPTY;
    }

    @Override
    public void serialize(Bytes bytes, DataOutputView target) throws IOException {
        Wire.writeBytes(target, bytes);
    }

    @Override
    public Bytes deserialize(DataInputView source) throws IOException {
        return Wire.readBytes(source);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BytesSerializer;
    }

    @Override
    public int hashCode() {
        return BytesSerializer.class.hashCode();
    }

    @Override
    public TypeSerializerSnapshot<Bytes> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<Bytes> {
        public Snapshot() {
            super(1);
        }

        @Override
        public TypeSerializer<Bytes> restoreSerializer() {
            return INSTANCE;
        }
    }
}
