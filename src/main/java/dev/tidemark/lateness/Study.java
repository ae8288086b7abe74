package dev.tidemark.lateness;

import dev.tidemark.lateness.Evidence.Day;
import dev.tidemark.lateness.Evidence.LateLog;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the evidence says of a job's lookback.
 *
 * @param all every change of the period
 * @param first those whose record was not known
 * @param corrections the others
 * @param verdict whether what is set suffices
 * @param outside changes of the period that what is set would not have caught, by their own partition
 * @param outsideLedger ledger rows of the reason {@code outside-window} that are older than what is set
 * @param sweep candidates for the lookback, ascending
 * @param current what is set, as a candidate
 * @param advice by both policies; empty while nothing is known
 * @param doubts when not to rely on it
 */
public record Study(
        Subject subject,
        Evidence evidence,
        Margin margin,
        Distribution all,
        Distribution first,
        Distribution corrections,
        Verdict verdict,
        long outside,
        long outsideLedger,
        List<Candidate> sweep,
        Candidate current,
        List<Advice> advice,
        List<Doubt> doubts) {
    private static final int ALL_UP_TO = 14;
    private static final long[] FURTHER = {21, 30, 60, 90, 180, 365, 730, 1_825, 3_650};
    private static final int CHRONIC_DAYS = 3;

    /** Whether what is set suffices. */
    public enum Verdict {
        /** Without an observed time nobody can tell. */
        UNKNOWN,
        /** Nothing was observed in the period. */
        NOTHING_SEEN,
        /** Changes came that were too old for it. */
        INSUFFICIENT,
        /** Every change that was seen would have found its partition open. */
        SUFFICIENT
    }

    /**
     * Studies the evidence.
     *
     * @param asked further lookbacks to look at
     */
    public static Study of(Subject subject, Evidence evidence, Margin margin, List<Long> asked) {
        Distribution first = new Distribution();
        Distribution corrections = new Distribution();
        for (Day day : evidence.days().values()) {
            first.add(day.first());
            corrections.add(day.corrections());
        }
        Distribution all = new Distribution();
        all.add(first);
        all.add(corrections);
        Sweep sweep = new Sweep(first, corrections, evidence.partitions());
        long outside = all.beyond(subject.lookback()).changes();
        long outsideLedger = evidence.ledger().stream()
                .filter(late -> late.reason().equals("outside-window"))
                .filter(late -> late.age() != null && late.age() > subject.lookback())
                .mapToLong(Evidence.Late::rows)
                .sum();
        List<Advice> advice =
                all.isEmpty() || !subject.observed() ? List.of() : advice(subject, margin, first, corrections, sweep);
        return new Study(
                subject,
                evidence,
                margin,
                all,
                first,
                corrections,
                verdict(subject, all, outside + outsideLedger),
                outside,
                outsideLedger,
                lookbacks(subject, all, advice, asked).stream()
                        .map(sweep::candidate)
                        .toList(),
                sweep.candidate(subject.lookback()),
                advice,
                new Doubts(subject, evidence, all).all());
    }

    /** The first day of observation; null: there is none. */
    public @Nullable LocalDate firstDay() {
        return evidence.days().isEmpty() ? null : evidence.days().firstKey();
    }

    /** The last day of observation; null: there is none. */
    public @Nullable LocalDate lastDay() {
        return evidence.days().isEmpty() ? null : evidence.days().lastKey();
    }

    /** Whether nobody has said yet why the lookback is what it is. */
    public boolean isHypothesis() {
        return subject.because() == null;
    }

    /** The least lookback that covers a percentile as it is, without a margin. */
    public long lookbackAt(Quantile quantile) {
        return Math.max(
                subject.lookbackFor(Duration.ofMillis(Math.max(0, all.millis(quantile)))),
                Math.max(0, all.age(quantile)));
    }

    /** Whether the sensor works: half of a lookback of 0 or 1 is no partition. */
    public boolean hasSensor() {
        return subject.lookback() >= 2;
    }

    /** Changes that were admitted in the older half of the lookback, published on that day or later. */
    public long halfWindowExceeded(LocalDate since) {
        return evidence.sensor().tailMap(since, true).values().stream()
                .mapToLong(count -> count)
                .sum();
    }

    /** Whether what was seen needs more than what is set, the sensor aside. */
    public boolean needsMore() {
        return outside + outsideLedger > 0;
    }

    /** Whether a log was late on at least half of the days, and on more than a few. */
    public boolean isChronic(LateLog log) {
        return log.days() >= CHRONIC_DAYS && 2 * log.days() >= evidence.days().size();
    }

    private static Verdict verdict(Subject subject, Distribution all, long outside) {
        if (outside > 0) {
            return Verdict.INSUFFICIENT;
        }
        if (!subject.observed()) {
            return Verdict.UNKNOWN;
        }
        return all.isEmpty() ? Verdict.NOTHING_SEEN : Verdict.SUFFICIENT;
    }

    private static List<Advice> advice(
            Subject subject, Margin margin, Distribution first, Distribution corrections, Sweep sweep) {
        Duration p99 =
                Duration.ofMillis(Math.max(0, Math.max(first.millis(Quantile.P99), corrections.millis(Quantile.P99))));
        long p99Age = Math.max(first.age(Quantile.P99), corrections.age(Quantile.P99));
        Duration covered = p99.plus(margin.total());
        Duration maximum = Duration.ofMillis(Math.max(0, Math.max(first.maxMillis(), corrections.maxMillis())));
        Duration twice = maximum.multipliedBy(2);
        long maxAge = Math.max(first.maxAge(), corrections.maxAge());
        return List.of(
                new Advice(
                        Advice.Policy.P99_AND_MARGIN,
                        p99,
                        covered,
                        sweep.candidate(Math.max(subject.lookbackFor(covered), p99Age))),
                new Advice(
                        Advice.Policy.TWICE_THE_MAXIMUM,
                        maximum,
                        twice,
                        sweep.candidate(Math.max(subject.lookbackFor(twice), maxAge))));
    }

    /** Every lookback up to one that loses nothing, as long as these are few; then some; what is set, advised and asked for. */
    private static SortedSet<Long> lookbacks(Subject subject, Distribution all, List<Advice> advice, List<Long> asked) {
        SortedSet<Long> lookbacks = new TreeSet<>(asked);
        lookbacks.add((long) subject.lookback());
        advice.forEach(each -> lookbacks.add(each.outcome().lookback()));
        long last = all.maxAge() + 1;
        for (long lookback = 0; lookback <= Math.min(last, ALL_UP_TO); lookback++) {
            lookbacks.add(lookback);
        }
        if (last > 0) {
            lookbacks.add(last - 1);
            lookbacks.add(last);
        }
        for (long further : FURTHER) {
            if (further < last) {
                lookbacks.add(further);
            }
        }
        return lookbacks;
    }

    /** Looks at candidates. */
    private record Sweep(Distribution first, Distribution corrections, Evidence.Partitions partitions) {
        Candidate candidate(long lookback) {
            Distribution.Counts lostFirst = first.beyond(lookback);
            Distribution.Counts lostCorrections = corrections.beyond(lookback);
            long caught =
                    first.upTo(lookback).changes() + corrections.upTo(lookback).changes();
            long atFrontier = first.upTo(0).changes() + corrections.upTo(0).changes();
            return new Candidate(
                    lookback,
                    caught,
                    lostFirst.changes(),
                    lostCorrections.changes(),
                    Math.max(lostFirst.maxMillis(), lostCorrections.maxMillis()),
                    lookback + 1,
                    partitions.meanCells() * (lookback + 1),
                    partitions.meanMembers() * (2 * lookback + 1),
                    caught - atFrontier);
        }
    }
}
