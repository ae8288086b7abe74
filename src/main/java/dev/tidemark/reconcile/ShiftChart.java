package dev.tidemark.reconcile;

import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whether a variance has shifted and stays shifted, however far below the tolerance: Page's cumulative sum (E. S. Page,
 * "Continuous Inspection Schemes", Biometrika 41, 1954; the tabular form is in D. C. Montgomery, "Introduction to Statistical
 * Quality Control").
 *
 * <p>Points are the variances in percent of one measure, a partition each, in the order of partitions. The baseline gives the mean
 * and the deviation (n - 1) of the ordinary; each later point is standardized by them, z = (variance - mean) / deviation, and
 *
 * <pre>loss = max(0, loss + z - k),   gain = max(0, gain - z - k),   k = 0.5, alarm beyond h = 8.</pre>
 *
 * <p>These are two one-sided charts: {@code loss} rises while the target lacks more than it used to, {@code gain} while it lacks less
 * or has too much. Each alarms by itself.
 *
 * <p><b>Why k = 0.5.</b> The chart is quickest for a shift of 2k: one deviation, about what 0.02 % to 0.037 % is where the
 * variance scatters by 0.015 points a day.
 *
 * <p><b>Why h = 8</b> and not the textbook's 4 or 5. Were mean and deviation known, one chart would alarm falsely once in 19,000
 * points with h = 8 and once in 930 with h = 5 (Siegmund's approximation). They are not known, they are estimated from a few
 * points, and an error in the mean is a shift that never ends. Simulated with a baseline of {@value #BASELINE} points and a normal
 * scatter, one series in eleven has a false alarm within a year of days with h = 8, and four in ten with h = 5. Nobody
 * reads a chart that cries so often, and there are several for each job.
 *
 * <p><b>What that costs.</b> On average a lasting shift by 1 deviation is found after 18 points, by 1.1 after 15, by 1.5 after 9 and by
 * 2 after 6. So 0.02 % to 0.037 % a day is found within a fortnight if the daily scatter is 0.015 points or less; where it is
 * 0.0085, within a week. Losses are lumpy: that of 6,600 orders a day, one or two of which are lost, scatters by 0.0175, and then
 * half of all such shifts are found within a fortnight. {@code ShiftChartTest} holds these figures.
 *
 * <p><b>When it speaks.</b> The baseline are the first {@value #BASELINE} points, or those of partitions that a person names (at
 * least {@value #LEAST}); before there are so many nothing is said. In it, points beyond the tolerance are left out, as far as enough
 * remain: they had an alarm of their own. A baseline without any scatter counts as one of {@value #LEAST_DEVIATION} points of a
 * percent, so that agreement to the cent that begins to crumble is told after three points.
 *
 * <p><b>Outliers.</b> z counts at most as {@value #GREATEST}: one terrible day is for the threshold, a shift takes at least three
 * points. A sum goes no higher than twice h, so that an alarm ends some 16 points after its cause has, or at once when the
 * partitions concerned have been put right and reconciled again: the newest variance of a partition is the one that counts.
 */
public final class ShiftChart {
    /** How many points make the baseline, unless a person says which. */
    public static final int BASELINE = 60;

    /** How many points a baseline that a person chose must have. */
    public static final int LEAST = 20;

    static final double SLACK = 0.5;
    static final double LIMIT = 8;
    static final double GREATEST = 4;
    static final double LEAST_DEVIATION = 0.001;
    private static final double HIGHEST = 2 * LIMIT;

    private final NavigableMap<String, Sums> sums = new TreeMap<>();
    private final int learned;
    private final int wanted;
    private final @Nullable Double mean;
    private final @Nullable Double deviation;

    /**
     * Where the chart stands behind one point.
     *
     * @param loss how much has added up to a loss, in deviations
     * @param gain to the contrary
     */
    public record Sums(double loss, double gain) {
        private static final Sums NONE = new Sums(0, 0);

        private Sums next(double standardized) {
            double z = Math.max(-GREATEST, Math.min(GREATEST, standardized));
            return new Sums(bounded(loss + z - SLACK), bounded(gain - z - SLACK));
        }

        private static double bounded(double sum) {
            return Math.max(0, Math.min(HIGHEST, sum));
        }

        /** Whether the target has been lacking more than it used to. */
        public boolean isLossAlarm() {
            return loss > LIMIT;
        }

        /** Whether it has been lacking less, or has too much. */
        public boolean isGainAlarm() {
            return gain > LIMIT;
        }
    }

    /**
     * Draws a chart.
     *
     * @param series partition to variance in percent
     * @param tolerance in percent; points of the baseline beyond it are left out; 0 leaves none out
     * @param fromPartition the first partition of the baseline that a person chose, {@code toPartition} the last; null: the first
     *     {@value #BASELINE} points
     */
    public ShiftChart(
            NavigableMap<String, Double> series,
            double tolerance,
            @Nullable String fromPartition,
            @Nullable String toPartition) {
        boolean isChosen = fromPartition != null && toPartition != null;
        NavigableMap<String, Double> baseline =
                isChosen ? series.subMap(fromPartition, true, toPartition, true) : first(series);
        wanted = isChosen ? LEAST : BASELINE;
        learned = baseline.size();
        if (learned < wanted) {
            mean = null;
            deviation = null;
            return;
        }
        List<Double> ordinary = baseline.values().stream()
                .filter(variance -> tolerance <= 0 || Math.abs(variance) <= tolerance)
                .toList();
        List<Double> points = ordinary.size() < LEAST ? List.copyOf(baseline.values()) : ordinary;
        double average =
                points.stream().mapToDouble(Double::doubleValue).average().orElse(0);
        double squares = points.stream()
                .mapToDouble(variance -> (variance - average) * (variance - average))
                .sum();
        double scatter = Math.max(LEAST_DEVIATION, Math.sqrt(squares / (points.size() - 1)));
        mean = average;
        deviation = scatter;
        Sums standing = Sums.NONE;
        for (var point : series.tailMap(baseline.lastKey(), false).entrySet()) {
            standing = standing.next((point.getValue() - average) / scatter);
            sums.put(point.getKey(), standing);
        }
    }

    private static NavigableMap<String, Double> first(NavigableMap<String, Double> series) {
        NavigableMap<String, Double> first = new TreeMap<>();
        for (var point : series.entrySet()) {
            if (first.size() == BASELINE) {
                break;
            }
            first.put(point.getKey(), point.getValue());
        }
        return first;
    }

    /** Where it stands behind a partition; null: it does not speak of it. */
    public @Nullable Sums at(String partition) {
        return sums.get(partition);
    }

    /** Where it stands now; null: it does not speak yet. */
    public @Nullable Sums last() {
        return sums.isEmpty() ? null : sums.lastEntry().getValue();
    }

    /** The first partition of the stretch in which the chart that alarms has been above 0 ever since: where the shift began. */
    public @Nullable String begin() {
        Sums last = last();
        if (last == null) {
            return null;
        }
        String begin = null;
        for (var point : sums.descendingMap().entrySet()) {
            double height = last.isLossAlarm()
                    ? point.getValue().loss()
                    : point.getValue().gain();
            if (height <= 0) {
                break;
            }
            begin = point.getKey();
        }
        return begin;
    }

    /** Points of the baseline that there are; {@link #wanted} are needed. */
    public int learned() {
        return learned;
    }

    /** Points that the baseline needs. */
    public int wanted() {
        return wanted;
    }

    /** The ordinary variance in percent; null: not known yet. */
    public @Nullable Double mean() {
        return mean;
    }

    /** By how many points of a percent the variance scatters ordinarily; null: not known yet. */
    public @Nullable Double deviation() {
        return deviation;
    }
}
