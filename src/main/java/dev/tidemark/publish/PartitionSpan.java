package dev.tidemark.publish;

import java.io.Serializable;

/**
 * Partitions from one to another, both included, as the job's calendar numbers them.
 *
 * @param first {@link #BEGINNING}: from the first that there is
 * @param last {@link #END}: to the last that there is
 */
public record PartitionSpan(long first, long last) implements Serializable {
    /** Before all partitions. */
    public static final long BEGINNING = Long.MIN_VALUE;

    /** Behind all partitions. */
    public static final long END = Long.MAX_VALUE;

    /** Every partition. */
    public static final PartitionSpan ALL = new PartitionSpan(BEGINNING, END);

    public boolean contains(long partition) {
        return partition >= first && partition <= last;
    }

    public boolean isAll() {
        return first == BEGINNING && last == END;
    }

    /** Whether a partition is in both. */
    public boolean meets(PartitionSpan other) {
        return first <= other.last && other.first <= last;
    }
}
