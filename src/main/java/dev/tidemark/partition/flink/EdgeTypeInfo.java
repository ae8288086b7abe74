package dev.tidemark.partition.flink;

import org.apache.flink.api.common.typeinfo.TypeInformation;

/** What the types that travel on this room's edges have in common: one opaque value, no fields for Flink to see. */
abstract class EdgeTypeInfo<T> extends TypeInformation<T> {
    private static final long serialVersionUID = 1L;

    private final Class<T> type;

    EdgeTypeInfo(Class<T> type) {
        this.type = type;
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<T> getTypeClass() {
        return type;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof EdgeTypeInfo<?>;
    }

    @Override
    public String toString() {
        return type.getSimpleName();
    }
}
