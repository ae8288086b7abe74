package dev.tidemark.publish.flink;

import dev.tidemark.publish.CellTruth;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes the truth of a cell between the cells and their stage. Never part of state. */
public final class CellTruthSerializer extends WireSerializer<CellTruth> {
    private static final long serialVersionUID = 1L;

    public static final CellTruthSerializer INSTANCE = new CellTruthSerializer();
    public static final WireTypeInfo<CellTruth> TYPE = WireTypeInfo.of(CellTruth.class, INSTANCE);

    @Override
    protected void write(CellTruth truth, DataOutputView out) throws IOException {
        Wire.writeSigned(truth.partition(), out);
        Wire.writeBytes(truth.key(), out);
        Wire.writeSigned(truth.members(), out);
        out.writeLong(truth.fingerprint());
        Wire.writeNullableBytes(truth.values(), out);
        Wire.writeNullableBytes(truth.addend(), out);
    }

    @Override
    protected CellTruth read(DataInputView in) throws IOException {
        return new CellTruth(
                Wire.readSigned(in),
                Wire.readBytes(in),
                Wire.readSigned(in),
                in.readLong(),
                Wire.readNullableBytes(in),
                Wire.readNullableBytes(in));
    }

    @Override
    public TypeSerializerSnapshot<CellTruth> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<CellTruth> {
        public Snapshot() {
            super(1, () -> INSTANCE);
        }
    }
}
