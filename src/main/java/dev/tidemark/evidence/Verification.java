package dev.tidemark.evidence;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * That a target was verified, for the record.
 *
 * @param publication as of which
 * @param from the first partition, as ISO text; null: the first that there was
 * @param to the last one; null: the last that there was
 * @param records how many records of the history were read
 * @param partitions how many partitions either side had
 * @param counts of all of them
 */
public record Verification(
        long publication,
        @Nullable String from,
        @Nullable String to,
        long records,
        long partitions,
        PartitionCount counts,
        Instant startedAt,
        Instant finishedAt) {

    /** Whether nothing was wrong. */
    public boolean isPassed() {
        return counts.wrong() == 0;
    }

    /** Keeps what was verified. Not thread-safe. */
    public interface Store extends AutoCloseable {
        /** Writes it down. */
        void keep(Verification verification);

        /** The last one; null: the target was never verified. */
        @Nullable
        Verification last();

        @Override
        void close();
    }
}
