package dev.tidemark.lateness;

/**
 * Log-linear buckets: lateness below 128 ms has a bucket each, beyond that each power of two is cut into 64, so that a
 * bucket's upper bound is less than 1.6 % above any value in it.
 */
public final class LatenessBuckets {
    private static final int BITS = 7;

    private LatenessBuckets() {}

    /** The greatest value in the bucket that holds a lateness, in milliseconds; less than 0 counts as 0. */
    public static long upperBound(long millis) {
        if (millis <= 0) {
            return 0;
        }
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(millis) - BITS);
        return (((millis >> shift) + 1) << shift) - 1;
    }
}
