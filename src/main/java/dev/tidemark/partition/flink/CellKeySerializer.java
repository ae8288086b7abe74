package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.partition.CellKey;
import dev.tidemark.partition.Wire;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Writes the partition, then the key: equal cells have equal bytes, as a key of state must. */
public final class CellKeySerializer extends ImmutableSerializer<CellKey> {
    private static final long serialVersionUID = 1L;

    public static final CellKeySerializer INSTANCE = new CellKeySerializer();

    private CellKeySerializer() {}

    @Override
    public TypeSerializer<CellKey> duplicate() {
        return this;
    }

    @Override
    public CellKey createInstance() {
        return new CellKey(0, Bytes.EMPTY);
    }

    @Override
    public void serialize(CellKey cell, DataOutputView target) throws IOException {
        Wire.writeSigned(target, cell.partition());
        Wire.writeBytes(target, cell.key());
    }

    @Override
    public CellKey deserialize(DataInputView source) throws IOException {
        long partition = Wire.readSigned(source);
        return new CellKey(partition, Wire.readBytes(source));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CellKeySerializer;
    }

    @Override
    public int hashCode() {
        return CellKeySerializer.class.hashCode();
    }

    @Override
    public TypeSerializerSnapshot<CellKey> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<CellKey> {
        public Snapshot() {
            super(1);
        }

        @Override
        public TypeSerializer<CellKey> restoreSerializer() {
            return INSTANCE;
        }
    }
}
