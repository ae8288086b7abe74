package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What a cell keeps one by one, by record id or by value, wherever the state lies. */
public interface Entries<V> {
    /** What is under a key; null: nothing. */
    @Nullable
    V value(Bytes key);

    void put(Bytes key, V value);

    void remove(Bytes key);

    /** All entries; they must not be changed meanwhile. */
    void forEach(BiConsumer<Bytes, V> action);

    /** Forgets all entries of the cell. */
    void clear();
}
