package dev.tidemark.generate;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a reader that asks for {@code updated_at > MAX(updated_at)} makes of the orders: at each of its reads it loads what has
 * arrived since the read before and is newer than the newest that it had loaded by then. An order of which it never
 * loads anything is lost. Keeps only the lost ones.
 */
final class StrictReader {
    private final long[] reads;
    private final Map<Long, Long> lost = new LinkedHashMap<>();
    private int next;
    private long newestBefore = Long.MIN_VALUE;
    private long newest = Long.MIN_VALUE;

    /** Reads at the given instants, microseconds since the epoch. */
    StrictReader(long[] reads) {
        this.reads = reads.clone();
        Arrays.sort(this.reads);
    }

    /** The lines of an order as they arrive first, in the order of arrival of all. */
    void first(OrderLine line) {
        if (!loads(line)) {
            lost.putIfAbsent(line.orderId(), line.orderedAt());
        }
    }

    /** A later version, or a copy, of a line that has arrived before. */
    void later(OrderLine line) {
        if (loads(line)) {
            lost.remove(line.orderId());
        }
    }

    /** What arrives in the very instant of a read is seen by it. */
    private boolean loads(OrderLine line) {
        while (next < reads.length && line.ingestedAt() > reads[next]) {
            newestBefore = newest;
            next++;
        }
        boolean loads = next < reads.length && line.updatedAt() > newestBefore;
        if (loads) {
            newest = Math.max(newest, line.updatedAt());
        }
        return loads;
    }

    /** The lost orders with the time at which they were placed. */
    Map<Long, Long> lost() {
        return lost;
    }
}
