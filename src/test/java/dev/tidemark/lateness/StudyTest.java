package dev.tidemark.lateness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Grain;
import dev.tidemark.lateness.Evidence.Day;
import dev.tidemark.lateness.Evidence.Late;
import dev.tidemark.lateness.Evidence.LateLog;
import dev.tidemark.lateness.Evidence.Partitions;
import dev.tidemark.lateness.Study.Verdict;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StudyTest {
    private static final LocalDate START = LocalDate.of(2024, 3, 1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Partitions PARTITIONS = new Partitions(10, 1_000, 5_000);

    private final NavigableMap<LocalDate, Day> days = new TreeMap<>();
    private final NavigableMap<LocalDate, Long> sensor = new TreeMap<>();
    private List<Late> ledger = List.of();

    @Test
    void bothPoliciesSayWhatTheyCoverAndWhatTheyWouldHaveLost() {
        seen(0, false, 0, Duration.ofSeconds(1), 10_000);
        seen(0, false, 1, Duration.ofHours(20), 300);
        seen(1, false, 2, Duration.ofHours(47), 5);
        seen(1, true, 3, Duration.ofHours(52), 1);

        Study study = study(job(3, "measured"));

        Advice percentile = study.advice().get(0);
        assertThat(percentile.policy()).isEqualTo(Advice.Policy.P99_AND_MARGIN);
        // of corrections, whose 99th percentile is the greater
        assertThat(percentile.measured()).isEqualTo(Duration.ofHours(52));
        assertThat(percentile.covered()).isEqualTo(Duration.ofMinutes(52 * 60 + 150));
        assertThat(percentile.outcome().lookback()).isEqualTo(3);
        Advice twice = study.advice().get(1);
        assertThat(twice.covered()).isEqualTo(Duration.ofHours(104));
        assertThat(twice.outcome().lookback()).isEqualTo(5);
        assertThat(twice.outcome().lost()).isZero();
        assertThat(study.verdict()).isEqualTo(Verdict.SUFFICIENT);
        assertThat(study.isHypothesis()).isFalse();
    }

    @Test
    void theSweepSaysOfEachLookbackWhatItWouldHaveCaughtAndCost() {
        seen(0, false, 0, Duration.ofSeconds(1), 100);
        seen(0, false, 1, Duration.ofHours(20), 30);
        seen(1, true, 4, Duration.ofHours(90), 2);

        Study study = Study.of(job(1, null), evidence(), Margin.USUAL, List.of(30L));

        assertThat(study.sweep()).extracting(Candidate::lookback).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 8L, 30L);
        Candidate one = study.sweep().get(1);
        assertThat(one).isEqualTo(study.current());
        assertThat(one.caught()).isEqualTo(130);
        assertThat(one.lostFirst()).isZero();
        assertThat(one.lostCorrections()).isEqualTo(2);
        assertThat(one.greatestLostMillis()).isEqualTo(Duration.ofHours(90).toMillis());
        assertThat(one.openPartitions()).isEqualTo(2);
        assertThat(one.openCells()).isEqualTo(200);
        assertThat(one.rememberedMembers()).isEqualTo(1_500);
        assertThat(one.reopened()).isEqualTo(30);
        assertThat(study.sweep().get(7).lost()).isZero();
        assertThat(study.outside()).isEqualTo(2);
        assertThat(study.verdict()).isEqualTo(Verdict.INSUFFICIENT);
        assertThat(study.needsMore()).isTrue();
        assertThat(study.isHypothesis()).isTrue();
    }

    @Test
    void aMarginMovesThePercentilesLookbackOnlyOverABoundary() {
        seen(0, false, 1, Duration.ofHours(22), 10);

        Margin none = new Margin(Duration.ZERO, Duration.ZERO, Duration.ZERO);
        Margin little = new Margin(HOUR, Duration.ZERO, HOUR);
        Margin more = new Margin(HOUR, Duration.ofMillis(1), HOUR);

        assertThat(lookback(none)).isEqualTo(1);
        assertThat(lookback(little)).isEqualTo(1);
        assertThat(lookback(more)).isEqualTo(2);
    }

    @Test
    void withoutAnObservedTimeSufficiencyIsUnknownAndNothingIsAdvised() {
        Subject blind = new Subject(Grain.DAY, 3, null, false, false, true, 0, true);

        Study study = Study.of(blind, evidence(), Margin.USUAL, List.of());

        assertThat(study.verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(study.advice()).isEmpty();
        assertThat(names(study)).containsExactly("no-observed-time");
    }

    @Test
    void whatTheLedgerHasCountsEvenWithoutAnObservedTime() {
        ledger = List.of(
                new Late("outside-window", 2L, 7), new Late("outside-window", 5L, 4), new Late("state-expired", 9L, 1));

        Study study = Study.of(
                new Subject(Grain.DAY, 3, null, false, false, true, 0, false), evidence(), Margin.USUAL, List.of());

        assertThat(study.verdict()).isEqualTo(Verdict.INSUFFICIENT);
        assertThat(study.outsideLedger()).isEqualTo(4);
        assertThat(names(study)).containsExactly("no-observed-time", "no-recovery");
    }

    @Test
    void nothingObservedIsNoReasonForTrust() {
        Study study = study(job(3, "measured"));

        assertThat(study.verdict()).isEqualTo(Verdict.NOTHING_SEEN);
        assertThat(study.advice()).isEmpty();
        assertThat(study.firstDay()).isNull();
    }

    @Test
    void theSensorCountsFromADayOnAndNeedsAnOlderHalf() {
        sensor.put(START, 3L);
        sensor.put(START.plusDays(5), 4L);

        assertThat(study(job(3, null)).halfWindowExceeded(START)).isEqualTo(7);
        assertThat(study(job(3, null)).halfWindowExceeded(START.plusDays(1))).isEqualTo(4);
        assertThat(study(job(1, null)).hasSensor()).isFalse();
        assertThat(study(job(2, null)).hasSensor()).isTrue();
    }

    @Test
    void aSourceThatGetsLaterIsToldAsADriftAndAsAMaximumWithoutPlateau() {
        for (int day = 0; day < 20; day++) {
            seen(day, false, day < 10 ? 0 : 5, HOUR.multipliedBy(day < 10 ? 2 : 120), 50);
        }

        assertThat(names(study(job(3, null)))).containsExactly("no-plateau", "drifting", "no-recovery");
    }

    @Test
    void aSteadySourceRaisesNoDoubt() {
        for (int day = 0; day < 20; day++) {
            seen(day, false, 1, HOUR.multipliedBy(day % 3 + 1), 50);
        }

        assertThat(names(study(job(3, null)))).isEmpty();
    }

    @Test
    void whatAWindowCannotHoldIsTold() {
        ledger = List.of(new Late("unknown-record", null, 2));
        Evidence evidence = new Evidence(days, new Distribution(), sensor, ledger, List.of(), PARTITIONS, 5);

        Study append = Study.of(
                new Subject(Grain.DAY, 3, null, true, true, false, 500, false), evidence, Margin.USUAL, List.of());
        Study upsert = Study.of(
                new Subject(Grain.DAY, 3, null, true, false, false, 0, true),
                new Evidence(days, new Distribution(), sensor, List.of(), List.of(), PARTITIONS, 0),
                Margin.USUAL,
                List.of());

        assertThat(names(append))
                .containsExactly("no-event-time", "deletes-of-unknown", "append", "small", "no-recovery");
        assertThat(names(upsert)).containsExactly("no-deletes");
    }

    @Test
    void aLogIsChronicallyLateIfItIsLateOnHalfOfTheDays() {
        for (int day = 0; day < 10; day++) {
            seen(day, false, 0, HOUR, 1);
        }
        Study study = study(job(3, null));

        assertThat(study.isChronic(new LateLog("a", 100, 5, 1L, 4L))).isTrue();
        assertThat(study.isChronic(new LateLog("b", 100, 4, 1L, 4L))).isFalse();
    }

    @Test
    void aPercentileOfTheTailStillLosesWhatLiesBeyondIt() {
        seen(0, false, 0, Duration.ofSeconds(1), 9_995);
        seen(0, false, 2, Duration.ofHours(40), 5);

        Study study = study(job(3, null));

        assertThat(study.lookbackAt(Quantile.P999)).isEqualTo(1);
        assertThat(study.sweep().get(1).lost()).isEqualTo(5);
        assertThat(study.lookbackAt(Quantile.MAXIMUM)).isEqualTo(2);
    }

    private long lookback(Margin margin) {
        return Study.of(job(3, null), evidence(), margin, List.of())
                .advice()
                .get(0)
                .outcome()
                .lookback();
    }

    private static List<String> names(Study study) {
        return study.doubts().stream().map(Doubt::name).toList();
    }

    private static Subject job(int lookback, @Nullable String because) {
        return new Subject(Grain.DAY, lookback, because, true, false, true, 5_000_000, false);
    }

    private void seen(int day, boolean correction, long age, Duration lateness, long changes) {
        LocalDate date = START.plusDays(day);
        long millis = lateness.toMillis();
        days.computeIfAbsent(date, unknown -> new Day())
                .add(new LatenessEntry(
                        date.toEpochDay(), correction, age, LatenessBuckets.upperBound(millis), changes, 0, millis));
    }

    private Evidence evidence() {
        return new Evidence(days, new Distribution(), sensor, ledger, List.of(), PARTITIONS, 0);
    }

    private Study study(Subject subject) {
        return Study.of(subject, evidence(), Margin.USUAL, List.of());
    }
}
