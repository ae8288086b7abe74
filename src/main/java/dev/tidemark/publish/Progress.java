package dev.tidemark.publish;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a job's publications after a given one add up to.
 *
 * @param lastPublication the number of the last one; 0 before the first
 * @param publications how many
 * @param cells rows replaced or added; {@code removed} rows that went
 * @param frontierLeast of the last publication; null before the first mark; the bounds likewise
 */
public record Progress(
        long lastPublication,
        long publications,
        long read,
        long applied,
        long superseded,
        long late,
        long split,
        long rejected,
        long cells,
        long removed,
        @Nullable Instant frontierLeast,
        @Nullable Instant frontierGreatest,
        @Nullable String completeFrom,
        @Nullable String closedBefore) {

    /** Reads the progress of one job. */
    public interface Reader extends AutoCloseable {
        /** What came after a publication; 0: all. */
        Progress since(long publication);

        @Override
        void close();
    }
}
