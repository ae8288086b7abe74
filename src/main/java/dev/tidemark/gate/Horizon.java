package dev.tidemark.gate;

/**
 * The bounds at one change. Partitions as the job's calendar numbers them.
 *
 * @param frontier P(h) of the change's log
 * @param openFrom the first open partition: P(h) - lookback, or where the job's bound is if the log is behind it
 * @param retainedFrom the first partition whose truth the state holds: P(h) - retain, or as above
 * @param rememberedFrom P(h) - retain: an id that is remembered under an earlier partition is forgotten
 * @param wholeFrom the first partition that the source holds whole
 */
public record Horizon(long frontier, long openFrom, long retainedFrom, long rememberedFrom, long wholeFrom) {
    /** Before a log's first mark, and before any bound: everything is open, nothing is forgotten. */
    public static final Horizon NONE =
            new Horizon(Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE, Whole.ALL);
}
