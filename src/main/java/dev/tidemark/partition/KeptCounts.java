package dev.tidemark.partition;

import dev.tidemark.change.Bytes;

/** Counts in entries; none stands for 0. */
record KeptCounts(Entries<Long> entries) implements DistinctCounts {
    @Override
    public long increment(Bytes value) {
        return add(entries, value, 1);
    }

    @Override
    public long decrement(Bytes value) {
        return add(entries, value, -1);
    }

    private static long add(Entries<Long> entries, Bytes value, long more) {
        return write(entries, value, read(entries, value) + more);
    }

    static long read(Entries<Long> entries, Bytes value) {
        Long count = entries.value(value);
        return count == null ? 0 : count;
    }

    static long write(Entries<Long> entries, Bytes value, long count) {
        if (count < 0) {
            throw new IllegalStateException("a value is taken out that was never put in");
        }
        if (count == 0) {
            entries.remove(value);
        } else {
            entries.put(value, count);
        }
        return count;
    }
}
