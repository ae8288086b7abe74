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

    /** An order's change, in the order of arrival; one that arrives in the very instant of a read is seen by it. */
    void arrived(OrderLine line) {
        while (next < reads.length && line.ingestedAt() > reads[next]) {
            newestBefore = newest;
            next++;
        }
        if (next == reads.length) {
            return;
        }
        if (line.updatedAt() > newestBefore) {
            newest = Math.max(newest, line.updatedAt());
            lost.remove(line.orderId());
        } else if (line.op().equals("c")) {
            lost.putIfAbsent(line.orderId(), line.orderedAt());
        }
    }

    /** The lost orders with the time at which they were placed. */
    Map<Long, Long> lost() {
        return lost;
    }
}
