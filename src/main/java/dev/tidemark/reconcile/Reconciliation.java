package dev.tidemark.reconcile;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A reconciliation and its verdict.
 *
 * @param request what was asked for
 * @param publication the last one before the target was read; null: there was none
 * @param measures what was compared
 * @param partitions all that were compared, in their order
 * @param totals of the partitions that count, one a measure
 * @param charts whether the variance of a measure has shifted
 * @param alarms the gravest first; empty: passed
 */
public record Reconciliation(
        Request request,
        @Nullable Long publication,
        List<Measure> measures,
        List<Compared> partitions,
        List<Variance> totals,
        Map<Measure, ShiftChart> charts,
        List<Alarm> alarms) {
    private static final int NAMED = 5;

    /**
     * What a person asked for.
     *
     * @param control the name of the outside totals: each has a series of its own
     * @param origin where they came from this time
     * @param open what partitions that are not final do
     * @param baselineFrom the first partition of the baseline, {@code baselineTo} the last; null: the first that there are
     */
    public record Request(
            String control,
            String origin,
            Tolerance tolerance,
            Open open,
            @Nullable String baselineFrom,
            @Nullable String baselineTo) {}

    /** What partitions that the stream may still change do. */
    public enum Open {
        /** They are shown, and neither alarm nor join the series. */
        SHOWN,
        /** They count like others. */
        COUNTED
    }

    /**
     * Judges.
     *
     * @param kept gives the series that is kept of a measure
     */
    public static Reconciliation of(
            Request request,
            @Nullable Long publication,
            List<Measure> measures,
            List<Compared> partitions,
            Function<Measure, NavigableMap<String, Double>> kept) {
        List<Compared> counted = counted(request, partitions);
        List<Variance> totals = new ArrayList<>();
        Map<Measure, ShiftChart> charts = new LinkedHashMap<>();
        for (int i = 0; i < measures.size(); i++) {
            int place = i;
            Measure measure = measures.get(i);
            totals.add(counted.stream()
                    .map(compared -> compared.variances().get(place))
                    .reduce(Variance.nothing(measure), Variance::plus));
            NavigableMap<String, Double> series = new TreeMap<>(kept.apply(measure));
            for (Compared compared : counted) {
                Double percent = compared.variances().get(place).percent();
                if (percent == null) {
                    series.remove(compared.partition());
                } else {
                    series.put(compared.partition(), percent);
                }
            }
            charts.put(
                    measure,
                    new ShiftChart(
                            series,
                            request.tolerance().percent().doubleValue(),
                            request.baselineFrom(),
                            request.baselineTo()));
        }
        return new Reconciliation(
                request,
                publication,
                List.copyOf(measures),
                List.copyOf(partitions),
                List.copyOf(totals),
                charts,
                alarms(request.tolerance(), measures, counted, totals, charts));
    }

    /** Whether nothing was found. */
    public boolean isPassed() {
        return alarms.isEmpty();
    }

    /** Whether a partition counts: it may alarm, and its variance joins the series. */
    public boolean isCounted(Compared compared) {
        return isCounted(request, compared);
    }

    /** The partitions that count. */
    public List<Compared> counted() {
        return counted(request, partitions);
    }

    private static List<Compared> counted(Request request, List<Compared> partitions) {
        return partitions.stream()
                .filter(compared -> isCounted(request, compared))
                .toList();
    }

    private static boolean isCounted(Request request, Compared compared) {
        return compared.isFinal() || request.open() == Open.COUNTED;
    }

    /** Rows without counterpart in the counted partitions. */
    public long unmatched() {
        return counted().stream().mapToLong(Compared::unmatched).sum();
    }

    /** The greatest loss or excess of a total in percent; null: none can be said in percent. */
    public @Nullable Double worst() {
        return totals.stream()
                .map(Variance::percent)
                .filter(percent -> percent != null)
                .reduce((one, other) -> Math.abs(one) >= Math.abs(other) ? one : other)
                .orElse(null);
    }

    /** What is wrong with one partition by itself; empty: nothing. */
    public List<Alarm.Kind> faults(Compared compared) {
        return faults(compared, request.tolerance());
    }

    private static List<Alarm.Kind> faults(Compared compared, Tolerance tolerance) {
        List<Alarm.Kind> faults = new ArrayList<>();
        if (compared.variances().stream().anyMatch(variance -> variance.isBeyond(tolerance.percent()))) {
            faults.add(Alarm.Kind.PARTITION_OVER_TOLERANCE);
        }
        if (isCompensating(compared, tolerance)) {
            faults.add(Alarm.Kind.COMPENSATING);
        }
        if (compared.unmatched() > tolerance.unmatched()) {
            faults.add(Alarm.Kind.UNMATCHED);
        }
        return faults;
    }

    private static boolean isCompensating(Compared compared, Tolerance tolerance) {
        return compared.variances().stream()
                .anyMatch(variance ->
                        !variance.isBeyond(tolerance.percent()) && variance.isGrossBeyond(tolerance.percent()));
    }

    private static List<Alarm> alarms(
            Tolerance tolerance,
            List<Measure> measures,
            List<Compared> counted,
            List<Variance> totals,
            Map<Measure, ShiftChart> charts) {
        List<Alarm> alarms = new ArrayList<>();
        String allowed = percent(tolerance.percent().doubleValue());
        for (Variance total : totals) {
            if (total.isBeyond(tolerance.percent())) {
                alarms.add(new Alarm(
                        Alarm.Kind.TOTAL_OVER_TOLERANCE,
                        "the total of " + total.measure().column() + " is " + words(total) + "; the tolerance is "
                                + allowed));
            }
        }
        for (int i = 0; i < measures.size(); i++) {
            int place = i;
            add(
                    alarms,
                    Alarm.Kind.PARTITION_OVER_TOLERANCE,
                    measures.get(i).column() + " is further from the control than " + allowed + " in",
                    counted,
                    compared -> compared.variances().get(place).isBeyond(tolerance.percent()),
                    compared -> words(compared.variances().get(place)));
        }
        add(
                alarms,
                Alarm.Kind.COMPENSATING,
                "errors cancel in the sum, but row by row they are more than " + allowed + " in",
                counted,
                compared -> isCompensating(compared, tolerance),
                compared -> compared.variances().stream()
                        .filter(variance -> variance.isGrossBeyond(tolerance.percent()))
                        .map(variance -> variance.measure().column() + " "
                                + variance.gross().toPlainString())
                        .collect(Collectors.joining(", ")));
        add(
                alarms,
                Alarm.Kind.UNMATCHED,
                "rows without counterpart in",
                counted,
                compared -> compared.unmatched() > tolerance.unmatched(),
                Reconciliation::sides);
        charts.forEach((measure, chart) -> {
            ShiftChart.Sums sums = chart.last();
            Double mean = chart.mean();
            if (sums != null && mean != null && (sums.isLossAlarm() || sums.isGainAlarm())) {
                alarms.add(new Alarm(
                        Alarm.Kind.SHIFT,
                        String.format(
                                Locale.ROOT,
                                "the variance of %s has shifted since %s: the target %s than the baseline's %s (%s %.1f"
                                        + " deviations, alarm beyond %.0f)",
                                measure.column(),
                                chart.begin(),
                                sums.isLossAlarm() ? "lacks more" : "lacks less or has more",
                                percent(mean),
                                "sum",
                                sums.isLossAlarm() ? sums.loss() : sums.gain(),
                                ShiftChart.LIMIT)));
            }
        });
        return List.copyOf(alarms);
    }

    private static void add(
            List<Alarm> alarms,
            Alarm.Kind kind,
            String what,
            List<Compared> counted,
            Predicate<Compared> isMeant,
            Function<Compared, String> words) {
        List<Compared> meant = counted.stream().filter(isMeant).toList();
        if (meant.isEmpty()) {
            return;
        }
        String named = meant.stream()
                .limit(NAMED)
                .map(compared -> compared.partition() + " (" + words.apply(compared) + ")")
                .collect(Collectors.joining(", "));
        alarms.add(new Alarm(
                kind, what + " " + named + (meant.size() > NAMED ? " and " + (meant.size() - NAMED) + " more" : "")));
    }

    private static String sides(Compared compared) {
        if (compared.targetRows() == 0) {
            return "nothing in the target";
        }
        if (compared.controlRows() == 0) {
            return "nothing in the control";
        }
        List<String> sides = new ArrayList<>();
        if (compared.onlyControl() > 0) {
            sides.add(compared.onlyControl() + " only in the control");
        }
        if (compared.onlyTarget() > 0) {
            sides.add(compared.onlyTarget() + " only in the target");
        }
        return sides.isEmpty() ? compared.unmatched() + " by count" : String.join(", ", sides);
    }

    private static String words(Variance variance) {
        BigDecimal difference = variance.difference();
        Double percent = variance.percent();
        return difference.abs().toPlainString()
                + (difference.signum() > 0 ? " too little" : " too much")
                + (percent == null ? "" : ", " + percent(Math.abs(percent)));
    }

    private static String percent(double percent) {
        return String.format(Locale.ROOT, Math.abs(percent) < 0.1 && percent != 0 ? "%.4f %%" : "%.2f %%", percent);
    }
}
