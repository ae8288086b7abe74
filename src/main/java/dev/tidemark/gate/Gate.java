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

    /** The bounds that h sets. */
    public Horizon horizon(long h) {
        if (h == lastFrontier) {
            return last;
        }
        lastFrontier = h;
        if (h == Frontier.UNKNOWN) {
            last = Horizon.NONE;
        } else {
            long partition = calendar.partitionOf(h);
            if (partition != last.frontier()) {
                last = new Horizon(partition, calendar.plus(partition, -lookback), calendar.plus(partition, -retain));
            }
        }
        return last;
    }

    /** Whether a change may still act on a partition. */
    public boolean isOpen(long partition, Horizon horizon) {
        return partition >= horizon.openFrom() && partition >= wholeFrom;
    }

    /** Why a partition is closed; null when it is open. */
    public @Nullable LateReason closedBecause(long partition, Horizon horizon) {
        if (partition < wholeFrom) {
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
