package dev.tidemark.wire.flink;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * A serializer of an immutable type: copies are the instance itself. Two serializers of one class are equal unless the
 * subclass has parameters and says otherwise.
 */
public abstract class WireSerializer<T> extends TypeSerializer<T> {
    private static final long serialVersionUID = 1L;

    /** Writes a value. */
    protected abstract void write(T value, DataOutputView out) throws IOException;

    /** Reads what {@link #write} wrote. */
    protected abstract T read(DataInputView in) throws IOException;

    @Override
    public final void serialize(T value, DataOutputView out) throws IOException {
        write(value, out);
    }

    @Override
    public final T deserialize(DataInputView in) throws IOException {
        return read(in);
    }

    @Override
    public final T deserialize(T reuse, DataInputView in) throws IOException {
        return read(in);
    }

    @Override
    public final boolean isImmutableType() {
        return true;
    }

    @Override
    public TypeSerializer<T> duplicate() {
        return this;
    }

    @Override
    public final T createInstance() {
        throw new UnsupportedOperationException("values of this type are never reused");
    }

    @Override
    public final T copy(T from) {
        return from;
    }

    @Override
    public final T copy(T from, T reuse) {
        return from;
    }

    @Override
    public final int getLength() {
        return -1;
    }

    @Override
    public final void copy(DataInputView in, DataOutputView out) throws IOException {
        write(read(in), out);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WireSerializer<?> serializer && serializer.getClass() == getClass();
    }

    @Override
    public int hashCode() {
        return getClass().hashCode();
    }
}
