package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** When a shift of the variance is found, how soon, and how often one is found that is none. */
final class ShiftChartTest {
    private static final LocalDate FIRST = LocalDate.of(2024, 1, 1);
    private static final int FORTNIGHT = 14;

    @Test
    void aStepFromTwoToNearlyFourHundredthsOfAPercentIsFoundWithinAFortnightThoughNoThresholdSeesIt() {
        long seed = 20;
        Random random = new Random(seed);
        NavigableMap<String, Double> series =
                series(120, day -> (day < 90 ? 0.02 : 0.037) + 0.01 * random.nextGaussian());

        ShiftChart chart = new ShiftChart(series, 0.5, null, null);

        int found = firstAlarm(chart, 120);
        assertThat(found).as("seed %d", seed).isBetween(90, 90 + FORTNIGHT - 1);
        assertThat(series.values()).allMatch(variance -> variance < 0.5);
        assertThat(chart.mean()).isBetween(0.017, 0.023);
        assertThat(LocalDate.parse(String.valueOf(chart.begin())))
                .as("where it says that the shift began")
                .isBetween(day(85), day(95));
    }

    @Test
    void aLossAndAnExcessAreTwoCharts() {
        ShiftChart loss = new ShiftChart(series(80, day -> wave(day) + (day < 60 ? 0 : 0.1)), 0.5, null, null);
        ShiftChart gain = new ShiftChart(series(80, day -> wave(day) - (day < 60 ? 0 : 0.1)), 0.5, null, null);

        assertThat(sums(loss).isLossAlarm()).isTrue();
        assertThat(sums(loss).isGainAlarm()).isFalse();
        assertThat(sums(gain).isLossAlarm()).isFalse();
        assertThat(sums(gain).isGainAlarm()).isTrue();
    }

    @Test
    void oneTerribleDayIsNoShift() {
        ShiftChart one = new ShiftChart(series(90, day -> wave(day) + (day == 70 ? 2.1 : 0)), 0.5, null, null);
        ShiftChart three = new ShiftChart(series(73, day -> wave(day) + (day >= 70 ? 2.1 : 0)), 0.5, null, null);

        assertThat(firstAlarm(one, 90)).isEqualTo(-1);
        assertThat(firstAlarm(three, 73)).isEqualTo(72);
    }

    @Test
    void nothingIsSaidBeforeThereIsABaseline() {
        ShiftChart early = new ShiftChart(series(59, day -> day < 30 ? 0 : 0.4), 0.5, null, null);
        ShiftChart first = new ShiftChart(series(61, ShiftChartTest::wave), 0.5, null, null);

        assertThat(early.last()).isNull();
        assertThat(early.mean()).isNull();
        assertThat(early.learned()).isEqualTo(59);
        assertThat(early.wanted()).isEqualTo(60);
        assertThat(first.last()).isNotNull();
        assertThat(first.at(day(59).toString())).isNull();
        assertThat(first.at(day(60).toString())).isEqualTo(first.last());
    }

    @Test
    void aBaselineCanBeChosenAndThenTheFormerDaysDoNotCount() {
        NavigableMap<String, Double> series = series(100, day -> wave(day) + (day < 50 ? 0 : 0.2));

        ShiftChart usual = new ShiftChart(series, 0.5, null, null);
        ShiftChart chosen = new ShiftChart(series, 0.5, day(60).toString(), day(90).toString());
        ShiftChart tooShort = new ShiftChart(series, 0.5, day(60).toString(), day(70).toString());

        assertThat(usual.mean()).isGreaterThan(0.02);
        assertThat(chosen.mean()).isBetween(0.21, 0.23);
        assertThat(sums(chosen).isLossAlarm()).isFalse();
        assertThat(tooShort.last()).isNull();
        assertThat(tooShort.wanted()).isEqualTo(20);
    }

    @Test
    void daysBeyondTheToleranceDoNotBlindTheBaseline() {
        NavigableMap<String, Double> series = series(90, day -> day == 10 ? 2.1 : wave(day) + (day < 60 ? 0 : 0.05));

        assertThat(sums(new ShiftChart(series, 0.5, null, null)).isLossAlarm()).isTrue();
        assertThat(sums(new ShiftChart(series, 0, null, null)).isLossAlarm()).isFalse();
    }

    @Test
    void agreementToTheLastDigitThatCrumblesIsToldAfterThreeDays() {
        ShiftChart chart = new ShiftChart(series(63, day -> day < 60 ? 0 : 0.037), 0.5, null, null);

        assertThat(firstAlarm(chart, 63)).isEqualTo(62);
    }

    @Test
    void anAlarmEndsSixteenPointsAfterItsCause() {
        ShiftChart chart =
                new ShiftChart(series(200, day -> wave(day) + (day < 60 || day >= 150 ? 0 : 0.2)), 0.5, null, null);

        ShiftChart.Sums before = chart.at(day(149).toString());
        ShiftChart.Sums after = chart.at(day(166).toString());
        assertThat(before).isNotNull().matches(ShiftChart.Sums::isLossAlarm);
        assertThat(after).isNotNull().matches(sums -> !sums.isLossAlarm());
    }

    /** The figures of the class's description, from a few thousand series with one seed. */
    @Test
    void theFiguresInTheDescriptionHold() {
        assertThat(falseAlarmsWithinAYear(1)).isBetween(0.06, 0.13);
        assertThat(pointsUntilFound(2, 1.0)).isBetween(15.5, 20.0);
        assertThat(pointsUntilFound(3, 1.1)).isBetween(13.0, 16.5);
        assertThat(pointsUntilFound(4, 1.5)).isBetween(8.0, 10.0);
        assertThat(pointsUntilFound(5, 2.0)).isBetween(5.0, 7.0);
        assertThat(lumpyShiftsFoundWithinAFortnight(6)).isBetween(0.4, 0.65);
    }

    private static double falseAlarmsWithinAYear(long seed) {
        Random random = new Random(seed);
        int runs = 1_000;
        int alarms = 0;
        for (int run = 0; run < runs; run++) {
            int days = ShiftChart.BASELINE + 365;
            alarms +=
                    firstLossAlarm(new ShiftChart(series(days, day -> random.nextGaussian()), 0, null, null), days) < 0
                            ? 0
                            : 1;
        }
        return (double) alarms / runs;
    }

    private static double pointsUntilFound(long seed, double shift) {
        Random random = new Random(seed);
        int runs = 600;
        long points = 0;
        for (int run = 0; run < runs; run++) {
            int days = ShiftChart.BASELINE + 200;
            int found = firstLossAlarm(
                    new ShiftChart(
                            series(days, day -> random.nextGaussian() + (day < ShiftChart.BASELINE ? 0 : shift)),
                            0,
                            null,
                            null),
                    days);
            points += found < 0 ? 200 : found - ShiftChart.BASELINE + 1;
        }
        return (double) points / runs;
    }

    /** Orders are lost whole: of 6,600 a day 1.3 on average, then 2.4. */
    private static double lumpyShiftsFoundWithinAFortnight(long seed) {
        Random random = new Random(seed);
        int runs = 600;
        int found = 0;
        for (int run = 0; run < runs; run++) {
            int days = ShiftChart.BASELINE + FORTNIGHT;
            int alarm = firstLossAlarm(
                    new ShiftChart(
                            series(
                                    days,
                                    day -> 100.0 * lost(random, day < ShiftChart.BASELINE ? 0.0002 : 0.00037) / 6_600),
                            0.5,
                            null,
                            null),
                    days);
            found += alarm >= ShiftChart.BASELINE ? 1 : 0;
        }
        return (double) found / runs;
    }

    /** How many of 6,600 orders are lost: a Poisson number. */
    private static int lost(Random random, double rate) {
        double limit = Math.exp(-6_600 * rate);
        double product = random.nextDouble();
        int count = 0;
        while (product > limit) {
            product *= random.nextDouble();
            count++;
        }
        return count;
    }

    private static NavigableMap<String, Double> series(int days, IntToDoubleFunction variance) {
        NavigableMap<String, Double> series = new TreeMap<>();
        for (int day = 0; day < days; day++) {
            series.put(day(day).toString(), variance.applyAsDouble(day));
        }
        return series;
    }

    /** An ordinary variance: 0.02, with a scatter of about 0.014. */
    private static double wave(int day) {
        return 0.02 + 0.02 * Math.sin(day * 1.7);
    }

    private static LocalDate day(int number) {
        return FIRST.plusDays(number);
    }

    private static ShiftChart.Sums sums(ShiftChart chart) {
        return Objects.requireNonNull(chart.last());
    }

    private static int firstAlarm(ShiftChart chart, int days) {
        for (int day = 0; day < days; day++) {
            ShiftChart.Sums sums = chart.at(day(day).toString());
            if (sums != null && (sums.isLossAlarm() || sums.isGainAlarm())) {
                return day;
            }
        }
        return -1;
    }

    private static int firstLossAlarm(ShiftChart chart, int days) {
        for (int day = 0; day < days; day++) {
            ShiftChart.Sums sums = chart.at(day(day).toString());
            if (sums != null && sums.isLossAlarm()) {
                return day;
            }
        }
        return -1;
    }
}
