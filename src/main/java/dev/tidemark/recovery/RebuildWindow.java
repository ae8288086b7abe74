package dev.tidemark.recovery;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Values;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuilds.Standings;
import dev.tidemark.publish.Standing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The window of a rebuild: the lookback before the partition of a frontier, inclusive, and everything from there on, because
 * the history has no upper bound.
 */
public final class RebuildWindow {
    private final Calendar calendar;
    private final int lookback;
    private final long maxFutureSkew;

    public RebuildWindow(JobPlan plan) {
        this.calendar = new Calendar(plan.partition().grain(), plan.partition().zone());
        this.lookback = plan.partition().lookback();
        this.maxFutureSkew = plan.time().maxFutureSkew();
    }

    /** The partition of the business date, or hour, in the job's zone. */
    public long today(Instant now) {
        return calendar.partitionOf(Values.micros(now));
    }

    /** Later partitions cannot be of what has happened: a row there is no frontier. */
    public long notBeyond(Instant now) {
        return calendar.partitionOf(Values.micros(now) + maxFutureSkew);
    }

    /** The window before a frontier's partition. */
    public PartitionSpan before(long frontier) {
        return new PartitionSpan(calendar.plus(frontier, -lookback), PartitionSpan.END);
    }

    /**
     * What lies before a window and nobody has filled, though earlier partitions are: days without rows of which there is no
     * record that they were ever computed. In their order.
     */
    public List<PartitionSpan> gaps(PartitionSpan window, Standings standings) {
        List<PartitionSpan> filled = new ArrayList<>(standings.covered());
        standings.filled().forEach(partition -> filled.add(new PartitionSpan(partition, partition)));
        if (standings.least() != null) {
            filled.add(new PartitionSpan(standings.least(), standings.least()));
        }
        filled.sort(Comparator.comparingLong(PartitionSpan::first).thenComparingLong(PartitionSpan::last));
        List<PartitionSpan> gaps = new ArrayList<>();
        long next = Standing.NOWHERE;
        for (PartitionSpan span : filled) {
            if (span.first() >= window.first()) {
                break;
            }
            if (next != Standing.NOWHERE && span.first() > next) {
                gaps.add(new PartitionSpan(next, calendar.plus(span.first(), -1)));
            }
            next = Math.max(next, calendar.plus(Math.min(span.last(), window.first()), 1));
        }
        if (next != Standing.NOWHERE && next < window.first()) {
            gaps.add(new PartitionSpan(next, calendar.plus(window.first(), -1)));
        }
        return List.copyOf(gaps);
    }

    /** A span as people read it. */
    public String shown(PartitionSpan span) {
        String first = bound(span.first());
        String last = bound(span.last());
        if (span.isAll()) {
            return "all partitions";
        }
        if (last == null) {
            return "from " + first + " on";
        }
        return first == null ? "up to " + last : first.equals(last) ? first : first + " to " + last;
    }

    private @Nullable String bound(long partition) {
        return partition == PartitionSpan.BEGINNING || partition == PartitionSpan.END ? null : calendar.iso(partition);
    }
}
