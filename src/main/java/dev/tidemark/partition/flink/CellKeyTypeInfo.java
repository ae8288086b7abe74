package dev.tidemark.partition.flink;

import dev.tidemark.partition.CellKey;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** The type of the key that the cells are spread by. */
public final class CellKeyTypeInfo extends EdgeTypeInfo<CellKey> {
    private static final long serialVersionUID = 1L;

    public CellKeyTypeInfo() {
        super(CellKey.class);
    }

    @Override
    public boolean isKeyType() {
        return true;
    }

    @Override
    public TypeSerializer<CellKey> createSerializer(SerializerConfig config) {
        return CellKeySerializer.INSTANCE;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CellKeyTypeInfo;
    }

    @Override
    public int hashCode() {
        return CellKeyTypeInfo.class.hashCode();
    }
}
