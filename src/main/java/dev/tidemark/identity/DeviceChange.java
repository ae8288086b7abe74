package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import dev.tidemark.ledger.LateChange;
import org.jspecify.annotations.Nullable;

/**
 * What a change of a record does to one day of one device: a sighting less, one more, or both.
 *
 * @param minus exactly one that was added to the day before
 * @param reachesBack whether the day before is open for the change too, so that it may be seen from there
 * @param log with {@code sequence} the position of the change
 * @param neighbour the ledger row to be written if the change is missed on the day before; null: the day before is open, or
 *     the change was counted already
 */
public record DeviceChange(
        Bytes device,
        long day,
        @Nullable Sighting minus,
        @Nullable Sighting plus,
        boolean reachesBack,
        String log,
        long sequence,
        @Nullable LateChange neighbour)
        implements Comparable<DeviceChange> {

    /** As the changes stand in their logs. */
    @Override
    public int compareTo(DeviceChange other) {
        int order = log.equals(other.log) ? 0 : Bytes.utf8(log).compareTo(Bytes.utf8(other.log));
        return order == 0 ? Long.compare(sequence, other.sequence) : order;
    }
}
