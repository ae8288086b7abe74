package dev.tidemark.gate;

/**
 * The bounds that one frontier sets. Partitions as the job's calendar numbers them.
 *
 * @param frontier P(h)
 * @param openFrom P(h) - lookback: the first open partition
 * @param retainedFrom P(h) - retain: the first partition that the state remembers
 * @param wholeFrom the first partition that the source holds whole
 */
public record Horizon(long frontier, long openFrom, long retainedFrom, long wholeFrom) {
    /** Before a log's first mark: everything is open, nothing is forgotten. */
    public static final Horizon NONE = new Horizon(Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE, Whole.ALL);
}
