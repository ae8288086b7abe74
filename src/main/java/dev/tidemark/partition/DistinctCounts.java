package dev.tidemark.partition;

import dev.tidemark.change.Bytes;

/** How many members of one cell have a value, for each value of each column that counts distinct ones. */
public interface DistinctCounts {
    /**
     * Counts one member more.
     *
     * @param value the column's number and the value
     * @return how many have the value now
     */
    long increment(Bytes value);

    /**
     * Counts one member less and forgets the value with the last.
     *
     * @return how many have the value now
     * @throws IllegalStateException if none had it
     */
    long decrement(Bytes value);

    /** For jobs that count nothing distinct. */
    DistinctCounts NONE = new DistinctCounts() {
        @Override
        public long increment(Bytes value) {
            throw new IllegalStateException("The job keeps no counts of values");
        }

        @Override
        public long decrement(Bytes value) {
            throw new IllegalStateException("The job keeps no counts of values");
        }
    };
}
