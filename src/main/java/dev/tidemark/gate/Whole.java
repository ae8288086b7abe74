package dev.tidemark.gate;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.job.JobPlan;

/**
 * The partitions that one log holds whole. A log that is read from its very beginning holds all; of one that is begun behind
 * its beginning those are whole that begin after the mark of its first accepted record and the time by which an event may
 * be ahead of being observed. What the job file says overrides both.
 */
public final class Whole {
    /** All partitions. */
    public static final long ALL = Long.MIN_VALUE;
    /** The log is begun behind its beginning and has no mark yet. */
    public static final long NOT_KNOWN = Long.MAX_VALUE;

    private final Calendar calendar;
    private final long maxFutureSkew;
    private final long fixed;
    private long own;

    /** @param own what {@link #own} said; {@link #ALL} or {@link #NOT_KNOWN} for a log that begins */
    public Whole(Calendar calendar, JobPlan plan, long own) {
        this.calendar = calendar;
        this.maxFutureSkew = plan.time().maxFutureSkew();
        this.fixed = plan.partition().wholeFrom() == null
                ? ALL
                : calendar.partitionFrom(plan.partition().wholeFrom());
        this.own = own;
    }

    /** An accepted record has come. */
    public void begin(long h) {
        if (own == NOT_KNOWN && h != Frontier.UNKNOWN) {
            own = calendar.plus(calendar.partitionOf(h + maxFutureSkew), 1);
        }
    }

    /** The first whole partition; {@link #ALL} also while it is not known, because then nothing has a partition yet. */
    public long from() {
        if (fixed != ALL) {
            return fixed;
        }
        return own == NOT_KNOWN ? ALL : own;
    }

    /** What is to be remembered: what follows from the log alone. */
    public long own() {
        return own;
    }
}
