package dev.tidemark.publish;

import dev.tidemark.change.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The truth of one cell at a cut.
 *
 * @param partition as the job's calendar numbers it
 * @param key in the layout of the job's key fields
 * @param fingerprint sum mod 2^64 of a hash of id and version of the members
 * @param values in the layout of the target's value columns; null: the cell lost its last member
 * @param addend what the cell adds to running columns, until they are computed: in the columns' own places the values are
 *     those of the cell alone; null: nothing has to be added
 */
public record CellTruth(
        long partition,
        Bytes key,
        long members,
        long fingerprint,
        @Nullable Bytes values,
        @Nullable Bytes addend) {

    /** A truth that is as it is shown. */
    public CellTruth(long partition, Bytes key, long members, long fingerprint, @Nullable Bytes values) {
        this(partition, key, members, fingerprint, values, null);
    }

    public boolean isRemoved() {
        return values == null;
    }
}
