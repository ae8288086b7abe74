package dev.tidemark.lateness;

import java.util.Arrays;

/** When a reader reads. */
@FunctionalInterface
public interface ReadTimes {
    /** There is no further read. */
    long NONE = Long.MAX_VALUE;

    /** The first read at or after an instant, both microseconds since the epoch; {@link #NONE}: there is none. */
    long atOrAfter(long micros);

    /** These instants. */
    static ReadTimes of(long[] instants) {
        long[] sorted = instants.clone();
        Arrays.sort(sorted);
        return micros -> {
            int found = Arrays.binarySearch(sorted, micros);
            int at = found < 0 ? -found - 1 : found;
            return at < sorted.length ? sorted[at] : NONE;
        };
    }
}
