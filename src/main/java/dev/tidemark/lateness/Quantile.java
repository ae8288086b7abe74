package dev.tidemark.lateness;

/** The percentiles that are told, by nearest rank; the last is the maximum. */
public enum Quantile {
    P50("p50", 5_000),
    P95("p95", 9_500),
    P99("p99", 9_900),
    P999("p99.9", 9_990),
    P9999("p99.99", 9_999),
    MAXIMUM("max", 10_000);

    private static final long WHOLE = 10_000;

    private final String word;
    private final long share;

    Quantile(String word, long share) {
        this.word = word;
        this.share = share;
    }

    /** As it is printed. */
    public String word() {
        return word;
    }

    /** Its place among so many values in ascending order, from 1. */
    public long rank(long values) {
        return values / WHOLE * share + -Math.floorDiv(-(values % WHOLE) * share, WHOLE);
    }

    /** Whether so many values are enough to tell it from their maximum. */
    public boolean isTold(long values) {
        return this == MAXIMUM || rank(values) < values;
    }
}
