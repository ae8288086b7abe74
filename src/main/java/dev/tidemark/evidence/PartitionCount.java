package dev.tidemark.evidence;

/**
 * How the rows of one partition compare.
 *
 * @param partition as ISO text
 * @param equal rows that are what the recomputation has
 * @param missing rows that only the recomputation has
 * @param extra rows that only the target has, and those that it has more than once
 * @param different rows with other values
 * @param explained of those that are missing, extra or different
 * @param beyondMemory of those
 * @param wrong of those
 */
public record PartitionCount(
        String partition,
        long equal,
        long missing,
        long extra,
        long different,
        long explained,
        long beyondMemory,
        long wrong) {

    /** No row, of all partitions. */
    public static final PartitionCount NONE = new PartitionCount("", 0, 0, 0, 0, 0, 0, 0);

    /** Of this and another one together. */
    public PartitionCount plus(PartitionCount other) {
        return new PartitionCount(
                partition,
                equal + other.equal,
                missing + other.missing,
                extra + other.extra,
                different + other.different,
                explained + other.explained,
                beyondMemory + other.beyondMemory,
                wrong + other.wrong);
    }

    /** Whether every row is equal. */
    public boolean isEqual() {
        return missing + extra + different == 0;
    }
}
