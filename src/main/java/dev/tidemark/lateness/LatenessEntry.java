package dev.tidemark.lateness;

/**
 * How many changes arrived how late, since the last cut.
 *
 * @param observedDay the day of the observed time in the job's zone, in days since 1970-01-01
 * @param correction whether the id was known before
 * @param age partitions between the change's and the frontier's, at least 0
 * @param bucketMillis upper bound of the lateness bucket, see {@link LatenessBuckets}
 * @param changes how many
 * @param late how many of them were late or split
 * @param maxMillis the greatest lateness among them, exact
 */
public record LatenessEntry(
        long observedDay, boolean correction, long age, long bucketMillis, long changes, long late, long maxMillis) {}
