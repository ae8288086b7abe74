package dev.tidemark.cli;

/**
 * A logarithmic axis: where a value lies between two ends, which may be turned around.
 *
 * @param least the value at {@code from}, more than 0; less counts as that
 * @param greatest the value at {@code to}
 */
record LogScale(double least, double greatest, double from, double to) {
    double place(double value) {
        double within = Math.min(greatest, Math.max(least, value));
        return from + (to - from) * Math.log(within / least) / Math.log(greatest / least);
    }

    double place(long value) {
        return place((double) value);
    }

    /** Whether a value lies between the ends. */
    boolean holds(long value) {
        return value >= least && value <= greatest;
    }
}
