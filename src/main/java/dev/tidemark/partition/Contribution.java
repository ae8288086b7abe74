package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * What a membership operator sends to one cell: a member less, a member more, or both for a change in place.
 *
 * @param partition with {@code key} the cell
 * @param key in the layout of the job's key fields
 * @param minus exactly the member that was added before, value for value
 */
public record Contribution(
        long partition,
        Bytes key,
        @Nullable Member minus,
        @Nullable Member plus) {
    /** The cell that it goes to. */
    public CellKey cell() {
        return new CellKey(partition, key);
    }
}
