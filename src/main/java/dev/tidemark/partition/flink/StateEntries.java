package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.partition.Entries;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;

/** Entries of the current cell in a map state. */
final class StateEntries<V> implements Entries<V> {
    private final String name;
    private final MapState<Bytes, V> state;

    StateEntries(KeyedStateStore store, String name, TypeSerializer<Bytes> keys, TypeSerializer<V> values) {
        this.name = name;
        this.state = store.getMapState(new MapStateDescriptor<>(name, keys, values));
    }

    @Override
    public @Nullable V value(Bytes key) {
        try {
            return state.get(key);
        } catch (Exception e) {
            throw new FlinkRuntimeException("Could not read the state " + name, e);
        }
    }

    @Override
    public void put(Bytes key, V value) {
        try {
            state.put(key, value);
        } catch (Exception e) {
            throw new FlinkRuntimeException("Could not write the state " + name, e);
        }
    }

    @Override
    public void remove(Bytes key) {
        try {
            state.remove(key);
        } catch (Exception e) {
            throw new FlinkRuntimeException("Could not write the state " + name, e);
        }
    }

    @Override
    public void forEach(BiConsumer<Bytes, V> action) {
        try {
            for (Map.Entry<Bytes, V> entry : state.entries()) {
                action.accept(entry.getKey(), entry.getValue());
            }
        } catch (Exception e) {
            throw new FlinkRuntimeException("Could not read the state " + name, e);
        }
    }

    @Override
    public void clear() {
        state.clear();
    }
}
