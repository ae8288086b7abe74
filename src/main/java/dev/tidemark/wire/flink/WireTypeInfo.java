package dev.tidemark.wire.flink;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** The type information of a class that brings its own serializer. */
public final class WireTypeInfo<T> extends TypeInformation<T> {
    private static final long serialVersionUID = 1L;

    private final Class<T> type;
    private final TypeSerializer<T> serializer;
    private final boolean isKey;

    private WireTypeInfo(Class<T> type, TypeSerializer<T> serializer, boolean isKey) {
        this.type = type;
        this.serializer = serializer;
        this.isKey = isKey;
    }

    public static <T> WireTypeInfo<T> of(Class<T> type, TypeSerializer<T> serializer) {
        return new WireTypeInfo<>(type, serializer, false);
    }

    /** For a type with equality and a hash that are the same in every process. */
    public static <T> WireTypeInfo<T> ofKey(Class<T> type, TypeSerializer<T> serializer) {
        return new WireTypeInfo<>(type, serializer, true);
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
        return isKey;
    }

    @Override
    public TypeSerializer<T> createSerializer(SerializerConfig config) {
        return serializer.duplicate();
    }

    @Override
    public String toString() {
        return "WireTypeInfo<" + type.getSimpleName() + ">";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WireTypeInfo<?> info
                && type == info.type
                && isKey == info.isKey
                && serializer.equals(info.serializer);
    }

    @Override
    public int hashCode() {
        return type.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof WireTypeInfo;
    }
}
