package dev.tidemark.gate;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.job.JobPlan;
import dev.tidemark.ledger.LateReason;
import org.jspecify.annotations.Nullable;

/** The verdict on partitions: open, or closed and why. A function of the job and of h alone. Not thread-safe. */
public final class Gate {
    private final Calendar calendar;
    private final int lookback;
    private final int retain;
    private final long wholeFrom;
    private long lastFrontier = Frontier.UNKNOWN;
    private Horizon last = Horizon.NONE;

    public Gate(JobPlan plan) {
        this.calendar = calendarOf(plan);
        this.lookback = plan.partition().lookback();
        this.retain = plan.partition().retain();
        this.wholeFrom = plan.partition().wholeFrom() == null
                ? Long.MIN_VALUE
                : calendar.partitionFrom(plan.partition().wholeFrom());
    }

    /** The calendar of a job. */
    public static Calendar calendarOf(JobPlan plan) {
        return new Calendar(plan.partition().grain(), plan.partition().zone());
    }

    public Calendar calendar() {
        return calendar;
    }

    /** The bounds that h sets in a log that holds all partitions whole. */
    public Horizon horizon(long h) {
        return horizon(h, Whole.ALL);
    }

    /**
     * The bounds that h sets.
     *
     * @param logWholeFrom the first partition that the log holds whole
     */
    public Horizon horizon(long h, long logWholeFrom) {
        long from = Math.max(wholeFrom, logWholeFrom);
        if (h == lastFrontier && from == last.wholeFrom()) {
            return last;
        }
        lastFrontier = h;
        if (h == Frontier.UNKNOWN) {
            last = new Horizon(Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE, from);
        } else {
            long partition = calendar.partitionOf(h);
            if (partition != last.frontier() || from != last.wholeFrom()) {
                last = new Horizon(
                        partition, calendar.plus(partition, -lookback), calendar.plus(partition, -retain), from);
            }
        }
        return last;
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
