package dev.tidemark.cli;

import dev.tidemark.lateness.Distribution;
import dev.tidemark.lateness.Evidence.Day;
import dev.tidemark.lateness.Quantile;
import dev.tidemark.lateness.Study;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The pictures of a study of lateness, as SVG whose colours the page gives. */
final class LatenessCharts {
    private static final int WIDTH = 960;
    private static final int LEFT = 64;
    private static final int RIGHT = 14;
    private static final int TOP = 66;
    private static final int BOTTOM = 30;
    private static final int BINS_PER_DECADE = 8;
    private static final int LABEL_ROWS = 4;
    private static final int LABEL_HEIGHT = 14;
    private static final double LABEL_CHARACTER = 7.4;

    /** What is written along an axis of lateness. */
    private static final List<Duration> MARKS = List.of(
            Duration.ofMillis(1),
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            Duration.ofSeconds(1),
            Duration.ofSeconds(10),
            Duration.ofMinutes(1),
            Duration.ofMinutes(10),
            Duration.ofHours(1),
            Duration.ofHours(6),
            Duration.ofDays(1),
            Duration.ofDays(7),
            Duration.ofDays(30),
            Duration.ofDays(365),
            Duration.ofDays(3650));

    private final Study study;
    private final long partitionMillis;

    LatenessCharts(Study study) {
        this.study = study;
        this.partitionMillis = switch (study.subject().grain()) {
            case HOUR -> Duration.ofHours(1).toMillis();
            case DAY -> Duration.ofDays(1).toMillis();
            case WEEK -> Duration.ofDays(7).toMillis();
            case MONTH -> Duration.ofDays(30).toMillis();
        };
    }

    /** How many changes came how late, both axes logarithmic, with what the lookback catches. */
    String distribution() {
        int height = 340;
        LogScale x = lateness(LEFT, WIDTH - RIGHT);
        NavigableMap<Integer, Long> first = bins(study.first());
        NavigableMap<Integer, Long> corrections = bins(study.corrections());
        long most = Math.max(most(first), most(corrections));
        LogScale y = new LogScale(0.6, Math.max(10, most * 1.3), height - BOTTOM, TOP);
        StringBuilder svg = open(height, "Changes by lateness");
        zones(svg, x, height);
        for (long count = 1; count <= most; count *= 10) {
            horizontal(svg, y.place(count), Words.number(count));
        }
        double width = (x.place(x.least() * 10) - x.place(x.least())) / BINS_PER_DECADE;
        bars(svg, first, x, y, width, "first");
        bars(svg, corrections, x, y, width, "correction");
        vertical(svg, x, height);
        quantiles(svg, x, height);
        return svg.append("</svg>").toString();
    }

    /** p50, p99 and the maximum by day of observation. */
    String trend() {
        int height = 260;
        NavigableMap<LocalDate, Day> days = study.evidence().days();
        long from = days.firstKey().toEpochDay();
        long to = days.lastKey().toEpochDay();
        LogScale y = lateness(height - BOTTOM, 16);
        StringBuilder svg = open(height, "Lateness by day of observation");
        for (Duration mark : MARKS) {
            if (y.holds(mark.toMillis())) {
                horizontal(svg, y.place(mark.toMillis()), label(mark));
            }
        }
        double edge = y.place((double) study.subject().lookback() * partitionMillis);
        if (study.subject().lookback() > 0) {
            svg.append(line(LEFT, edge, WIDTH - RIGHT, edge, "edge"));
            svg.append(text(
                    WIDTH - RIGHT,
                    edge - 5,
                    "end",
                    "strong",
                    "lookback " + study.subject().lookback()));
        }
        for (Quantile quantile : List.of(Quantile.P50, Quantile.P99, Quantile.MAXIMUM)) {
            series(svg, days, quantile, from, to, y);
        }
        dates(svg, from, to, height);
        return svg.append("</svg>").toString();
    }

    private void series(
            StringBuilder svg, NavigableMap<LocalDate, Day> days, Quantile quantile, long from, long to, LogScale y) {
        List<String> points = new ArrayList<>();
        StringBuilder dots = new StringBuilder();
        for (Map.Entry<LocalDate, Day> day : days.entrySet()) {
            Distribution all = day.getValue().all();
            long millis = all.millis(quantile);
            double x = date(day.getKey().toEpochDay(), from, to);
            points.add(number(x) + "," + number(y.place(millis)));
            dots.append(String.format(
                    Locale.ROOT,
                    "<circle class=\"dot-%s\" cx=\"%s\" cy=\"%s\" r=\"%s\"><title>%s: %s %s of %s</title></circle>",
                    quantile.word(),
                    number(x),
                    number(y.place(millis)),
                    days.size() > 120 ? "1.6" : "2.6",
                    day.getKey(),
                    quantile.word(),
                    Words.spanOfMillis(millis),
                    Words.count(all.changes(), "change")));
        }
        svg.append("<polyline class=\"line-")
                .append(quantile.word())
                .append("\" points=\"")
                .append(String.join(" ", points))
                .append("\"/>")
                .append(dots);
    }

    private static void dates(StringBuilder svg, long from, long to, int height) {
        svg.append(line(LEFT, height - BOTTOM, WIDTH - RIGHT, height - BOTTOM, "axis"));
        int labels = (int) Math.min(7, to - from + 1);
        for (int i = 0; i < labels; i++) {
            long day = labels == 1 ? from : from + Math.round((double) (to - from) * i / (labels - 1));
            String anchor = labels > 1 && i == 0 ? "start" : labels > 1 && i == labels - 1 ? "end" : "middle";
            svg.append(text(
                    date(day, from, to),
                    height - BOTTOM + 19,
                    anchor,
                    "",
                    LocalDate.ofEpochDay(day).toString()));
        }
    }

    private static double date(long day, long from, long to) {
        double width = WIDTH - RIGHT - LEFT - 16;
        return LEFT + 8 + (to == from ? width / 2 : width * (day - from) / (to - from));
    }

    /** An axis from what comes first, or a second, to behind the lookback and the maximum. */
    private LogScale lateness(double from, double to) {
        long least = study.all().byBucket().keySet().stream()
                .filter(bucket -> bucket > 0)
                .findFirst()
                .orElse(1L);
        double low = Math.pow(10, Math.floor(Math.log10((double) Math.min(least, 1000))));
        double high =
                Math.max((double) study.all().maxMillis(), (study.subject().lookback() + 1.0) * partitionMillis) * 1.6;
        return new LogScale(low, Math.max(high, low * 100), from, to);
    }

    private static int bin(long millis) {
        return (int) Math.floor(Math.log10((double) Math.max(1, millis)) * BINS_PER_DECADE + 1e-9);
    }

    private static NavigableMap<Integer, Long> bins(Distribution distribution) {
        NavigableMap<Integer, Long> bins = new TreeMap<>();
        distribution
                .byBucket()
                .forEach((bucket, counts) -> bins.merge(bin(counts.maxMillis()), counts.changes(), Long::sum));
        return bins;
    }

    private static long most(NavigableMap<Integer, Long> bins) {
        return bins.values().stream().mapToLong(count -> count).max().orElse(0);
    }

    private static void bars(
            StringBuilder svg, NavigableMap<Integer, Long> bins, LogScale x, LogScale y, double width, String arrival) {
        boolean first = arrival.equals("first");
        double bar = first ? width - 2 : (width - 2) * 0.45;
        bins.forEach((bin, count) -> {
            double from = Math.pow(10, (double) bin / BINS_PER_DECADE);
            double top = y.place(count);
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect class=\"bar-%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"1.5\"><title>%s of about %s to"
                            + " %s: %s</title></rect>",
                    arrival,
                    number(x.place(from) + 1 + (first ? 0 : width - 2 - bar)),
                    number(top),
                    number(bar),
                    number(y.from() - top),
                    first ? "first arrivals" : "corrections",
                    Words.spanOfMillis((long) from),
                    Words.spanOfMillis((long) Math.pow(10, (bin + 1.0) / BINS_PER_DECADE)),
                    Words.number(count)));
        });
    }

    /** Left of the first edge every change is caught, right of the second none; between them the time of day decides. */
    private void zones(StringBuilder svg, LogScale x, int height) {
        int lookback = study.subject().lookback();
        double sure = lookback == 0 ? LEFT : x.place((double) lookback * partitionMillis);
        double never = x.place((lookback + 1.0) * partitionMillis);
        svg.append(zone("maybe", sure, never, height)).append(zone("late", never, WIDTH - RIGHT, height));
        if (lookback > 0) {
            svg.append(line(sure, TOP, sure, height - BOTTOM, "edge"));
        }
        svg.append(line(never, TOP, never, height - BOTTOM, "edge"));
        svg.append(text(never - 5, TOP + 14, "end", "strong", "lookback " + lookback));
    }

    private static String zone(String name, double from, double to, int height) {
        return String.format(
                Locale.ROOT,
                "<rect class=\"zone-%s\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\"/>",
                name,
                number(from),
                TOP,
                number(Math.max(0, to - from)),
                height - BOTTOM - TOP);
    }

    private static void vertical(StringBuilder svg, LogScale x, int height) {
        svg.append(line(LEFT, height - BOTTOM, WIDTH - RIGHT, height - BOTTOM, "axis"));
        double last = Double.NEGATIVE_INFINITY;
        for (Duration mark : MARKS) {
            double place = x.place(mark.toMillis());
            if (x.holds(mark.toMillis()) && place - last > 44) {
                svg.append(line(place, height - BOTTOM, place, height - BOTTOM + 4, "axis"));
                svg.append(text(place, height - BOTTOM + 19, "middle", "", label(mark)));
                last = place;
            }
        }
    }

    /** Labels that would meet are put below each other. */
    private void quantiles(StringBuilder svg, LogScale x, int height) {
        double[] taken = new double[LABEL_ROWS];
        for (Quantile quantile : Quantile.values()) {
            long millis = study.all().millis(quantile);
            String label = quantile.word() + " " + Words.spanOfMillis(millis);
            double width = label.length() * LABEL_CHARACTER;
            double place = x.place(millis);
            boolean right = place + width > WIDTH;
            double from = right ? place - width - 4 : place;
            int row = 0;
            while (row < LABEL_ROWS - 1 && taken[row] > from) {
                row++;
            }
            taken[row] = Math.max(taken[row], from + width + 8);
            double y = 12.0 + LABEL_HEIGHT * row;
            svg.append(line(place, y, place, height - BOTTOM, "quantile"));
            svg.append(text(place + (right ? -4 : 4), y, right ? "end" : "start", "strong", label));
        }
    }

    /** Round spans, without the digit that others have. */
    private static String label(Duration mark) {
        return Words.span(mark).replace(".0 s", " s");
    }

    private static void horizontal(StringBuilder svg, double y, String label) {
        svg.append(line(LEFT, y, WIDTH - RIGHT, y, "grid"));
        svg.append(text(LEFT - 8, y + 4, "end", "", label));
    }

    private static StringBuilder open(int height, String title) {
        return new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">",
                WIDTH,
                height,
                title));
    }

    private static String line(double x1, double y1, double x2, double y2, String style) {
        return String.format(
                Locale.ROOT,
                "<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>",
                style,
                number(x1),
                number(y1),
                number(x2),
                number(y2));
    }

    private static String text(double x, double y, String anchor, String style, String text) {
        return String.format(
                Locale.ROOT,
                "<text class=\"%s\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>",
                style,
                number(x),
                number(y),
                anchor,
                Html.text(text));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
