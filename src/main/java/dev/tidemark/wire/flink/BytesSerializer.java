package dev.tidemark.wire.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.wire.Wire;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes {@link Bytes}, which are keys of state: a varint length, then the content. */
public final class BytesSerializer extends WireSerializer<Bytes> {
    private static final long serialVersionUID = 1L;

    public static final BytesSerializer INSTANCE = new BytesSerializer();
    /** The type of byte strings as keys. */
    public static final WireTypeInfo<Bytes> TYPE = WireTypeInfo.ofKey(Bytes.class, INSTANCE);

    @Override
    protected void write(Bytes value, DataOutputView out) throws IOException {
        Wire.writeBytes(value, out);
    }

    @Override
    protected Bytes read(DataInputView in) throws IOException {
        return Wire.readBytes(in);
    }

    @Override
    public TypeSerializerSnapshot<Bytes> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<Bytes> {
        public Snapshot() {
            super(1, () -> INSTANCE);
        }
    }
}
