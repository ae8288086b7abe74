package dev.tidemark.cli;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Values;
import dev.tidemark.evidence.HistoryCheck;
import dev.tidemark.evidence.Standpoint;
import dev.tidemark.evidence.duckdb.Recomputation;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.LogCut;
import dev.tidemark.source.EventRange;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which partitions of a history can be looked at: those that were asked for, as far as history and stream hold them whole. */
final class HistoryRange {
    private final JobPlan plan;
    private final Calendar calendar;
    private final @Nullable String asked;
    private final @Nullable String first;
    private final @Nullable String last;

    /**
     * Reads the ends.
     *
     * @param from as a person wrote it; null: the first partition that the history holds whole
     * @param to as a person wrote it; null: the last that there is
     */
    HistoryRange(JobPlan plan, @Nullable String from, @Nullable String to) {
        this.plan = plan;
        this.calendar = Wiring.calendar(plan);
        LocalDate said = plan.overHistory().partition().wholeFrom();
        String whole = said == null ? null : calendar.iso(calendar.partitionFrom(said));
        this.asked =
                from == null ? null : PartitionRange.ofOne("--from", from, plan).from();
        this.last = to == null ? null : PartitionRange.ofOne("--to", to, plan).to();
        if (asked != null) {
            requireReachesBack(asked, whole);
        }
        this.first = asked == null ? whole : asked;
        if (first != null && last != null && first.compareTo(last) > 0) {
            throw CommandException.wrongUse(
                    "%s is later than --to %s", from == null ? first : "--from " + from, String.valueOf(to));
        }
    }

    /** The first partition as far as it is known before the history is read; null: the first that there is. */
    @Nullable
    String first() {
        return first;
    }

    /** The last partition; null: the last that there is. */
    @Nullable
    String last() {
        return last;
    }

    /**
     * A database need not hand over what lies outside, where that cannot matter: to running columns all before does, to those of
     * identities everything.
     */
    EventRange eventRange() {
        if (plan.identity() != null) {
            return new EventRange(null, null);
        }
        return new EventRange(
                first == null || plan.target().hasRunningColumns()
                        ? null
                        : Values.instant(calendar.startOf(calendar.parse(first))),
                last == null ? null : Values.instant(calendar.endOf(calendar.parse(last))));
    }

    /**
     * The first partition to look at, now that it is known where the logs of the history begin, and which partitions the
     * stream has seen whole: of earlier ones it has parts only, unless somebody has rebuilt them.
     */
    @Nullable
    String whole(Standpoint standpoint, Recomputation recomputation) {
        String held = latest(recomputation.logs());
        if (asked != null) {
            requireReachesBack(asked, held);
            return asked;
        }
        List<LogCut> logs = standpoint.logs();
        return Stream.of(
                        Optional.ofNullable(first),
                        Optional.ofNullable(held),
                        Optional.ofNullable(logs == null ? null : latest(logs)))
                .flatMap(Optional::stream)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    /** Refuses a history that has lost something: it would make a right target look wrong. */
    void requireHistory(Standpoint standpoint, Recomputation recomputation) {
        if (plan.history().hasPositionsOf(plan.source())
                && plan.overHistory().source().files() != null) {
            String refusal = HistoryCheck.refusal(
                    plan.history().name(plan.source()), standpoint, recomputation.logs(), recomputation.records());
            if (refusal != null) {
                throw CommandException.failed("%s", refusal);
            }
        }
    }

    private void requireReachesBack(String from, @Nullable String whole) {
        if (whole != null && from.compareTo(whole) < 0) {
            throw CommandException.failed(
                    "the history (%s) does not reach back to the beginning of %s: the first partition that it holds whole is"
                            + " %s; begin from there on",
                    plan.history().name(plan.source()), from, whole);
        }
    }

    /** The first partition that all logs hold whole. */
    private @Nullable String latest(List<LogCut> logs) {
        long greatest = logs.stream().mapToLong(LogCut::wholeFrom).max().orElse(LogCut.UNKNOWN);
        return greatest == LogCut.UNKNOWN ? null : calendar.iso(greatest);
    }
}
