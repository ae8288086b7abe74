package dev.tidemark.publish;

/**
 * How a job stands, in numbers for whoever watches it. Instants are seconds since the epoch, of a partition its first
 * instant in the job's zone; {@link #NONE}: there is none.
 *
 * @param publication the number of the last publication of any kind; 0 before the first
 * @param publishedAt when it was made
 * @param frontierLeast how far the log that is furthest behind has come; {@code frontierGreatest} the one that is ahead
 * @param closedBefore the first partition that the stream may still change
 * @param completeFrom from here on every partition equals a full recomputation
 * @param carriedParts how many parts wait until the job has caught up with what is published
 * @param openLate ledger rows that are open
 * @param oldestOpenLate when the oldest of them was recorded
 * @param rebuiltAt when the last rebuild was done; {@code rebuildSeconds} how long it took
 */
public record Observation(
        long publication,
        double publishedAt,
        double frontierLeast,
        double frontierGreatest,
        double closedBefore,
        double completeFrom,
        long carriedParts,
        long openLate,
        double oldestOpenLate,
        double rebuiltAt,
        double rebuildSeconds) {
    /** Nothing to tell: what Prometheus leaves out of comparisons. */
    public static final double NONE = Double.NaN;

    /** Before anything was published. */
    public static final Observation NOTHING = new Observation(0, NONE, NONE, NONE, NONE, NONE, 0, 0, NONE, NONE, NONE);
}
