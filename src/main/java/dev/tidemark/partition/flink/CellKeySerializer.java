package dev.tidemark.partition.flink;

import dev.tidemark.partition.CellKey;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Writes the partition, then the key: equal cells have equal bytes, as a key of state must. */
public final class CellKeySerializer extends WireSerializer<CellKey> {
    private static final long serialVersionUID = 1L;

    public static final CellKeySerializer INSTANCE = new CellKeySerializer();
    /** The type of the key that the cells are spread by. */
    public static final WireTypeInfo<CellKey> TYPE = WireTypeInfo.ofKey(CellKey.class, INSTANCE);

    private CellKeySerializer() {}

    @Override
    protected void write(CellKey cell, DataOutputView out) throws IOException {
        Wire.writeSigned(cell.partition(), out);
        Wire.writeBytes(cell.key(), out);
    }

    @Override
    protected CellKey read(DataInputView in) throws IOException {
        return new CellKey(Wire.readSigned(in), Wire.readBytes(in));
    }

    @Override
    public TypeSerializerSnapshot<CellKey> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<CellKey> {
        public Snapshot() {
            super(1, () -> INSTANCE);
        }
    }
}
