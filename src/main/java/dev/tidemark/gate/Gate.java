package dev.tidemark.gate;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.job.JobPlan;
import dev.tidemark.ledger.LateReason;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on partitions: open, or closed and why. A function of the job and of h alone; but for a log that is behind
 * the job's bound, which closes to it what is closed for all others. Not thread-safe.
 */
public final class Gate {
    private final Calendar calendar;
    private final int lookback;
    private final int retain;
    private final long wholeFrom;
    private long lastFrontier = Frontier.UNKNOWN;
    private long lastPublished = JobBound.UNKNOWN;
    private Horizon last = Horizon.NONE;
    private long reached = JobBound.UNKNOWN;
    private long closedBefore = JobBound.UNKNOWN;
    private long forgottenBefore = JobBound.UNKNOWN;

    public Gate(JobPlan plan) {
        this(
                plan,
                plan.partition().wholeFrom() == null
                        ? Whole.ALL
                        : calendarOf(plan).partitionFrom(plan.partition().wholeFrom()));
    }

    private Gate(JobPlan plan, long wholeFrom) {
        this.calendar = calendarOf(plan);
        this.lookback = plan.partition().lookback();
        this.retain = plan.partition().retain();
        this.wholeFrom = wholeFrom;
    }

    /** A gate that takes all partitions for whole: to a change without a frontier it closes nothing. */
    public static Gate ofWholeHistory(JobPlan plan) {
        return new Gate(plan, Whole.ALL);
    }

    /** The calendar of a job. */
    public static Calendar calendarOf(JobPlan plan) {
        return new Calendar(plan.partition().grain(), plan.partition().zone());
    }

    public Calendar calendar() {
        return calendar;
    }

    /** Follows the job's bound to where it stands. */
    public void follow(JobBound bound) {
        reached = bound.reached();
        closedBefore = bound.closedBefore();
        forgottenBefore = bound.forgottenBefore();
        last = horizonFrom(last.frontier(), last.wholeFrom(), lastPublished);
    }

    /** The bounds at a change that was stamped with h, of a log that holds all partitions whole. */
    public Horizon horizon(long h) {
        return horizon(h, Whole.ALL, JobBound.UNKNOWN);
    }

    /**
     * The bounds at a change that was stamped with h.
     *
     * @param logWholeFrom the first partition that its log holds whole
     * @param publishedClosedBefore the first partition that may still change in what is published; {@link
     *     JobBound#UNKNOWN}: all may
     */
    public Horizon horizon(long h, long logWholeFrom, long publishedClosedBefore) {
        long from = Math.max(wholeFrom, logWholeFrom);
        boolean sameBounds = from == last.wholeFrom() && publishedClosedBefore == lastPublished;
        if (h == lastFrontier && sameBounds) {
            return last;
        }
        lastFrontier = h;
        long partition = h == Frontier.UNKNOWN ? Horizon.NONE.frontier() : calendar.partitionOf(h);
        if (partition != last.frontier() || !sameBounds) {
            lastPublished = publishedClosedBefore;
            last = horizonFrom(partition, from, publishedClosedBefore);
        }
        return last;
    }

    /**
     * A log that was idle or is new may be behind what the others have reached. What they have closed is gone for it: none
     * of it may change any more, and its state may be forgotten. So is what was published as closed, which a job that begins
     * from older state has not reached yet.
     */
    private Horizon horizonFrom(long partition, long from, long publishedClosedBefore) {
        boolean isFirst = partition == Horizon.NONE.frontier();
        long open = isFirst ? partition : calendar.plus(partition, -lookback);
        long remembered = isFirst ? partition : calendar.plus(partition, -retain);
        long retained = Math.max(remembered, partition < reached ? closedBefore : forgottenBefore);
        if (open < publishedClosedBefore) {
            retained = Math.max(retained, publishedClosedBefore);
        }
        return new Horizon(partition, Math.max(open, retained), retained, remembered, from);
    }

    /** Whether the state still holds the effect that a change has on a partition, shown or withheld. */
    public boolean isRetained(long partition, Horizon horizon) {
        return partition >= horizon.retainedFrom() && partition >= horizon.wholeFrom();
    }

    /** Whether a change may still act on a partition. */
    public boolean isOpen(long partition, Horizon horizon) {
        return partition >= horizon.openFrom() && partition >= horizon.wholeFrom();
    }

    /** Why a partition is closed; null when it is open. */
    public @Nullable LateReason closedBecause(long partition, Horizon horizon) {
        if (partition < horizon.wholeFrom()) {
            return LateReason.BEFORE_START;
        }
        if (partition < horizon.retainedFrom()) {
            return LateReason.STATE_EXPIRED;
        }
        return partition < horizon.openFrom() ? LateReason.OUTSIDE_WINDOW : null;
    }

    /** Partitions from {@code partition} to the frontier's; negative beyond it, 0 before the first mark. */
    public long age(long partition, Horizon horizon) {
        return horizon.frontier() == Long.MIN_VALUE ? 0 : calendar.distance(partition, horizon.frontier());
    }

    /** Whether an age lies in the older half of the lookback: the half-window sensor. */
    public boolean exceedsHalf(long age) {
        return lookback >= 2 && 2 * age > lookback;
    }
}
