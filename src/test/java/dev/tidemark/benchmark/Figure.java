package dev.tidemark.benchmark;

import java.util.Locale;

/**
 * What one measurement came to.
 *
 * @param seconds from the start of the work to its end
 * @param warm changes a second between the first publication and the last but one; {@link #UNKNOWN} if there are too few
 */
record Figure(String name, long changes, double seconds, double warm) {
    static final double UNKNOWN = Double.NaN;
    static final Figure NONE = new Figure("", 0, Double.POSITIVE_INFINITY, UNKNOWN);

    double rate() {
        return changes / seconds;
    }

    Figure orFaster(Figure other) {
        return other.seconds < seconds ? other : this;
    }

    static String header() {
        return String.format(
                Locale.ROOT,
                "%-34s %11s %9s %12s %9s %12s",
                "",
                "changes",
                "seconds",
                "changes/s",
                "loop is",
                "when warm");
    }

    /** A line of the table, beside the loop that everything is measured against. */
    String line(Figure loop) {
        return String.format(
                Locale.ROOT,
                "%-34s %,11d %9.1f %,12.0f %8.1fx %12s",
                name,
                changes,
                seconds,
                rate(),
                loop.rate() / rate(),
                Double.isNaN(warm) ? "-" : String.format(Locale.ROOT, "%,.0f", warm));
    }
}
