package dev.tidemark.partition.flink;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** The written form of a serializer whose format has a version and nothing else to configure. */
abstract class FormatSnapshot<T> implements TypeSerializerSnapshot<T> {
    private final int version;

    FormatSnapshot(int version) {
        this.version = version;
    }

    @Override
    public int getCurrentVersion() {
        return version;
    }

    @Override
    public void writeSnapshot(DataOutputView out) throws IOException {}

    @Override
    public void readSnapshot(int readVersion, DataInputView in, ClassLoader loader) throws IOException {
        refuseOther(readVersion, version, getClass());
    }

    @Override
    public TypeSerializerSchemaCompatibility<T> resolveSchemaCompatibility(TypeSerializerSnapshot<T> old) {
        return old.getClass() == getClass()
                ? TypeSerializerSchemaCompatibility.compatibleAsIs()
                : TypeSerializerSchemaCompatibility.incompatible();
    }

    static void refuseOther(int read, int known, Class<?> snapshot) throws IOException {
        if (read != known) {
            throw new IOException(snapshot.getName() + " knows format version " + known + ", the state has " + read
                    + "; restore it with the release that wrote it");
        }
    }
}
