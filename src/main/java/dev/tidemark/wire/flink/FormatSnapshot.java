package dev.tidemark.wire.flink;

import dev.tidemark.wire.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The written form of a serializer: the version of its format, and the words that decide what its bytes mean. A state
 * goes on only with the same version and the same words.
 *
 * <p>A subclass is public and has a constructor without arguments, by which Flink makes it before it is read.
 */
public abstract class FormatSnapshot<T> implements TypeSerializerSnapshot<T> {
    private final int version;
    private final Function<List<String>, TypeSerializer<T>> serializer;
    private List<String> meaning;

    /** Of a serializer that has one format. */
    protected FormatSnapshot(int version, Supplier<TypeSerializer<T>> serializer) {
        this(version, List.of(), meaning -> serializer.get());
    }

    /**
     * Of a serializer that has parameters.
     *
     * @param meaning the parameters in words; anything until it is read
     * @param serializer makes the serializer again of its parameters
     */
    protected FormatSnapshot(int version, List<String> meaning, Function<List<String>, TypeSerializer<T>> serializer) {
        this.version = version;
        this.meaning = List.copyOf(meaning);
        this.serializer = serializer;
    }

    @Override
    public final int getCurrentVersion() {
        return version;
    }

    @Override
    public final void writeSnapshot(DataOutputView out) throws IOException {
        Wire.writeUnsigned(meaning.size(), out);
        for (String word : meaning) {
            Wire.writeText(word, out);
        }
    }

    @Override
    public final void readSnapshot(int readVersion, DataInputView in, ClassLoader loader) throws IOException {
        if (readVersion != version) {
            throw new IOException(getClass().getName() + " knows format version " + version + ", the state has "
                    + readVersion + "; restore it with the release that wrote it");
        }
        List<String> read = new ArrayList<>();
        for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
            read.add(Wire.readText(in));
        }
        meaning = List.copyOf(read);
    }

    @Override
    public final TypeSerializer<T> restoreSerializer() {
        return serializer.apply(meaning);
    }

    @Override
    public final TypeSerializerSchemaCompatibility<T> resolveSchemaCompatibility(TypeSerializerSnapshot<T> old) {
        return old.getClass() == getClass() && ((FormatSnapshot<T>) old).meaning.equals(meaning)
                ? TypeSerializerSchemaCompatibility.compatibleAsIs()
                : TypeSerializerSchemaCompatibility.incompatible();
    }
}
