package dev.tidemark.lateness;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts lateness by observed day, arrival, age and bucket between two cuts. Not thread-safe. */
public final class LatenessCounter {
    private final Map<Cell, Counts> cells = new HashMap<>();
    private long maxMillis = -1;

    /** Counts one change. Lateness and age below 0 count as 0. */
    public void count(long observedDay, boolean correction, long age, long latenessMillis, boolean late) {
        long millis = Math.max(0, latenessMillis);
        Cell cell = new Cell(observedDay, correction, Math.max(0, age), LatenessBuckets.upperBound(millis));
        Counts counts = cells.computeIfAbsent(cell, key -> new Counts());
        counts.changes++;
        if (late) {
            counts.late++;
        }
        counts.maxMillis = Math.max(counts.maxMillis, millis);
        maxMillis = Math.max(maxMillis, millis);
    }

    /** The greatest lateness since the last drain, in milliseconds; -1 if nothing was counted. */
    public long maxMillis() {
        return maxMillis;
    }

    /** Gives the counts and starts again from nothing. */
    public List<LatenessEntry> drain() {
        List<LatenessEntry> entries = new ArrayList<>(cells.size());
        cells.forEach((cell, counts) -> entries.add(new LatenessEntry(
                cell.observedDay,
                cell.correction,
                cell.age,
                cell.bucketMillis,
                counts.changes,
                counts.late,
                counts.maxMillis)));
        cells.clear();
        maxMillis = -1;
        return entries;
    }

    private record Cell(long observedDay, boolean correction, long age, long bucketMillis) {
        /** Buckets differ in their upper bits: the parts are spread over all of the hash. */
        @Override
        public int hashCode() {
            long mixed = (bucketMillis * 31 + age) * 0x9e3779b97f4a7c15L + observedDay * 2 + (correction ? 1 : 0);
            mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
            return (int) (mixed ^ (mixed >>> 32));
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Cell cell
                    && observedDay == cell.observedDay
                    && correction == cell.correction
                    && age == cell.age
                    && bucketMillis == cell.bucketMillis;
        }
    }

    private static final class Counts {
        private long changes;
        private long late;
        private long maxMillis;
    }
}
