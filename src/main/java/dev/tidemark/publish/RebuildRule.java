package dev.tidemark.publish;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.job.JobPlan;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions a rebuild may replace. Those that the stream has closed are nobody's but the rebuild's. Those from {@code
 * complete_from} on equal a recomputation, so that only what does not belong there would go; but while the stream publishes
 * they are its own. Those in between hold what was admitted, and the stream would undo a rebuild with its next truth.
 */
public final class RebuildRule {
    private final Calendar calendar;

    public RebuildRule(Calendar calendar) {
        this.calendar = calendar;
    }

    /**
     * The partitions that have to be computed so that some can be replaced. Running columns add up all before them, from the
     * first that the job's source holds whole; identities depend on all days, later ones too.
     */
    public static PartitionSpan computed(JobPlan plan, PartitionSpan span) {
        boolean resolvesIdentities = plan.identity() != null;
        if (!plan.target().hasRunningColumns() && !resolvesIdentities) {
            return span;
        }
        LocalDate wholeFrom = plan.partition().wholeFrom();
        long first = wholeFrom == null
                ? PartitionSpan.BEGINNING
                : new Calendar(plan.partition().grain(), plan.partition().zone()).partitionFrom(wholeFrom);
        return new PartitionSpan(Math.min(first, span.first()), resolvesIdentities ? PartitionSpan.END : span.last());
    }

    /**
     * Why not.
     *
     * @param live whether the stream may publish meanwhile
     * @return null: it may
     */
    public @Nullable String refusal(PartitionSpan span, Standing stream, long completeFrom, Stream live) {
        if (stream.publication() == 0) {
            return null;
        }
        long closedBefore = stream.closedBefore();
        boolean anyClosed = closedBefore != Standing.NOWHERE;
        if (anyClosed && span.last() < closedBefore) {
            return null;
        }
        if (live == Stream.LIVE || completeFrom == Standing.NOWHERE) {
            return "the stream may still change the partitions from "
                    + (anyClosed ? calendar.iso(closedBefore) : "the first") + " on"
                    + (live == Stream.LIVE
                            ? ", and it is running"
                            : ", and it has said of none yet that they are complete")
                    + "; " + ways(anyClosed ? closedBefore : Standing.NOWHERE, Standing.NOWHERE)
                    + (live == Stream.LIVE ? ", or stop the stream first" : ", or let the stream go on first");
        }
        if (completeFrom > closedBefore && span.meets(new PartitionSpan(closedBefore, before(completeFrom)))) {
            return "the stream may still change " + shown(closedBefore, before(completeFrom))
                    + ", which logs that are behind have not filled yet: it would undo what is rebuilt there; "
                    + ways(closedBefore, completeFrom) + ", or let the logs catch up first";
        }
        return null;
    }

    /**
     * Why a history does not suffice.
     *
     * @param computed what has to be computed for the span
     * @param wholeFrom the first partition that it holds whole; {@link LogCut#UNKNOWN}: all
     * @return null: it does
     */
    public @Nullable String refusal(String history, PartitionSpan span, PartitionSpan computed, long wholeFrom) {
        if (wholeFrom == LogCut.UNKNOWN || computed.first() >= wholeFrom) {
            return null;
        }
        if (computed.first() < span.first()) {
            return "the history (" + history + ") holds partitions whole from " + calendar.iso(wholeFrom)
                    + " on only, and the global columns of the job depend on "
                    + (computed.first() == PartitionSpan.BEGINNING
                            ? "all before"
                            : "those from " + calendar.iso(computed.first()) + " on")
                    + ": name a history that reaches further back, or say by source.wholeFrom from where on the job's own"
                    + " source holds them whole";
        }
        String last = calendar.iso(calendar.plus(wholeFrom, -1));
        String first = calendar.iso(wholeFrom);
        return "the history (" + history + ") does not reach back to the beginning of the partitions "
                + (span.first() == PartitionSpan.BEGINNING
                        ? "up to " + last
                        : "from " + calendar.iso(span.first()) + " to " + last)
                + "; the first that it holds whole is " + first + ": rebuild from " + first
                + " on, or name a history that reaches further back, or say by wholeFrom what it holds";
    }

    private String ways(long closedBefore, long completeFrom) {
        List<String> ways = new ArrayList<>();
        if (closedBefore != Standing.NOWHERE) {
            ways.add("up to " + calendar.iso(before(closedBefore)));
        }
        if (completeFrom != Standing.NOWHERE) {
            ways.add("from " + calendar.iso(completeFrom) + " on");
        }
        return ways.isEmpty() ? "there is nothing to rebuild yet" : "rebuild " + String.join(" and ", ways);
    }

    private String shown(long first, long last) {
        return first == last ? calendar.iso(first) : calendar.iso(first) + " to " + calendar.iso(last);
    }

    private long before(long partition) {
        return calendar.plus(partition, -1);
    }

    /** Whether the stream publishes. */
    public enum Stream {
        LIVE,
        AT_REST
    }
}
