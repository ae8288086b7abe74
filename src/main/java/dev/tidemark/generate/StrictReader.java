package dev.tidemark.generate;

import dev.tidemark.lateness.ReadTimes;
import dev.tidemark.lateness.StrictReads;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a reader that asks for {@code updated_at > MAX(updated_at)} makes of the orders, by the rule of {@link StrictReads}. An
 * order of which it never loads anything is lost. Keeps only the lost ones.
 */
final class StrictReader {
    private final StrictReads reads;
    private final Map<Long, Long> lost = new LinkedHashMap<>();

    /** Reads at the given instants, microseconds since the epoch. */
    StrictReader(long[] reads) {
        this.reads = new StrictReads(ReadTimes.of(reads));
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

    private boolean loads(OrderLine line) {
        reads.see(line.ingestedAt(), line.updatedAt());
        return reads.loads(line.ingestedAt(), line.updatedAt());
    }

    /** The lost orders with the time at which they were placed. */
    Map<Long, Long> lost() {
        return lost;
    }
}
