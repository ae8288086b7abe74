package dev.tidemark.kit;

import dev.tidemark.change.Bytes;
import dev.tidemark.partition.Entries;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Entries of one cell in a map. */
public final class MapEntries<V> implements Entries<V> {
    private final Map<Bytes, V> entries = new LinkedHashMap<>();

    @Override
    public @Nullable V value(Bytes key) {
        return entries.get(key);
    }

    @Override
    public void put(Bytes key, V value) {
        entries.put(key, value);
    }

    @Override
    public void remove(Bytes key) {
        entries.remove(key);
    }

    @Override
    public void forEach(BiConsumer<Bytes, V> action) {
        entries.forEach(action);
    }

    @Override
    public void clear() {
        entries.clear();
    }

    /** How many there are. */
    public int size() {
        return entries.size();
    }
}
