package dev.tidemark.gate.flink;

import dev.tidemark.gate.Bound;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes {@link Bound} between stamping and the operators that keep state. Never part of state. */
public final class BoundSerializer extends WireSerializer<Bound> {
    private static final long serialVersionUID = 1L;

    public static final WireTypeInfo<Bound> TYPE = WireTypeInfo.of(Bound.class, new BoundSerializer());

    @Override
    protected void write(Bound bound, DataOutputView out) throws IOException {
        out.writeInt(bound.sender());
        out.writeInt(bound.senders());
        out.writeBoolean(bound.ready());
        out.writeBoolean(bound.last());
        out.writeLong(bound.leastActive());
        out.writeLong(bound.least());
    }

    @Override
    protected Bound read(DataInputView in) throws IOException {
        return new Bound(in.readInt(), in.readInt(), in.readBoolean(), in.readBoolean(), in.readLong(), in.readLong());
    }

    @Override
    public TypeSerializerSnapshot<Bound> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<Bound> {
        public Snapshot() {
            super(1, BoundSerializer::new);
        }
    }
}
