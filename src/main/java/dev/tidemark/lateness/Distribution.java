package dev.tidemark.lateness;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * How late changes came: counts by bucket of lateness and by age, that can be added up. Percentiles are by nearest rank, at
 * most {@value #ERROR_PERCENT} % too high and never too low; the maximum is exact. Not thread-safe.
 */
public final class Distribution {
    /** What {@link LatenessBuckets} promises. */
    public static final int ERROR_PERCENT = 2;

    private final NavigableMap<Long, Counts> byBucket = new TreeMap<>();
    private final NavigableMap<Long, Counts> byAge = new TreeMap<>();
    private long changes;
    private long late;

    /**
     * Changes of one bucket or age.
     *
     * @param changes how many
     * @param late how many of them were late or split
     * @param maxMillis the greatest lateness among them, exact
     */
    public record Counts(long changes, long late, long maxMillis) {
        /** Nothing. */
        public static final Counts NONE = new Counts(0, 0, -1);

        private Counts plus(Counts other) {
            return new Counts(changes + other.changes, late + other.late, Math.max(maxMillis, other.maxMillis));
        }
    }

    /** Adds what a stored row counts. */
    public void add(LatenessEntry entry) {
        Counts counts = new Counts(entry.changes(), entry.late(), entry.maxMillis());
        byBucket.merge(entry.bucketMillis(), counts, Counts::plus);
        byAge.merge(entry.age(), counts, Counts::plus);
        changes += entry.changes();
        late += entry.late();
    }

    /** Adds all that another counts. */
    public void add(Distribution other) {
        other.byBucket.forEach((bucket, counts) -> byBucket.merge(bucket, counts, Counts::plus));
        other.byAge.forEach((age, counts) -> byAge.merge(age, counts, Counts::plus));
        changes += other.changes;
        late += other.late;
    }

    public long changes() {
        return changes;
    }

    /** How many were late or split. */
    public long late() {
        return late;
    }

    public boolean isEmpty() {
        return changes == 0;
    }

    /** The lateness at a quantile in milliseconds; -1 if nothing was counted. */
    public long millis(Quantile quantile) {
        if (quantile == Quantile.MAXIMUM) {
            return maxMillis();
        }
        long rank = quantile.rank(changes);
        long passed = 0;
        for (Counts counts : byBucket.values()) {
            passed += counts.changes();
            if (passed >= rank) {
                return counts.maxMillis();
            }
        }
        return -1;
    }

    /** The greatest lateness in milliseconds, exact; -1 if nothing was counted. */
    public long maxMillis() {
        return byBucket.isEmpty() ? -1 : byBucket.lastEntry().getValue().maxMillis();
    }

    /** The greatest age in partitions; -1 if nothing was counted. */
    public long maxAge() {
        return byAge.isEmpty() ? -1 : byAge.lastKey();
    }

    /** The age at a quantile, exact; -1 if nothing was counted. */
    public long age(Quantile quantile) {
        long rank = quantile.rank(changes);
        long passed = 0;
        for (Map.Entry<Long, Counts> age : byAge.entrySet()) {
            passed += age.getValue().changes();
            if (passed >= rank) {
                return age.getKey();
            }
        }
        return -1;
    }

    /** The changes whose age is at most this. */
    public Counts upTo(long age) {
        return sum(byAge.headMap(age, true));
    }

    /** The changes whose age is more than this. */
    public Counts beyond(long age) {
        return sum(byAge.tailMap(age, false));
    }

    /** By age in partitions, ascending. */
    public NavigableMap<Long, Counts> byAge() {
        return new TreeMap<>(byAge);
    }

    /** By the upper bound of the bucket in milliseconds, ascending. */
    public NavigableMap<Long, Counts> byBucket() {
        return new TreeMap<>(byBucket);
    }

    private static Counts sum(NavigableMap<Long, Counts> some) {
        return some.values().stream().reduce(Counts.NONE, Counts::plus);
    }
}
