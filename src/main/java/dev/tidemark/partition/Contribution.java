package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * What a membership operator sends to one cell: a member less, a member more, or both for a change in place. With neither,
 * the cell is only to say its truth.
 *
 * @param partition with {@code key} the cell
 * @param key in the layout of the job's key fields
 * @param minus exactly the member that was added before, value for value
 * @param layer which truths of the cell it changes
 */
public record Contribution(
        long partition,
        Bytes key,
        @Nullable Member minus,
        @Nullable Member plus,
        Layer layer) {
    /** A contribution to both truths. */
    public Contribution(long partition, Bytes key, @Nullable Member minus, @Nullable Member plus) {
        this(partition, key, minus, plus, Layer.BOTH);
    }

    /** Changes nothing; the cell says its truth all the same, though it be that it is not there. */
    public static Contribution nothing(long partition, Bytes key) {
        return new Contribution(partition, key, null, null);
    }

    /** The cell that it goes to. */
    public CellKey cell() {
        return new CellKey(partition, key);
    }
}
