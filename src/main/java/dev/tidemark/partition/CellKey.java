package dev.tidemark.partition;

import dev.tidemark.change.Bytes;

/**
 * The address of a cell.
 *
 * @param partition as the job's calendar numbers it
 * @param key in the layout of the job's key fields
 */
public record CellKey(long partition, Bytes key) {
    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof CellKey cell && partition == cell.partition && key.equals(cell.key));
    }

    /** Fixed for good: it decides which subtask's state holds the cell. */
    @Override
    public int hashCode() {
        return 31 * Long.hashCode(partition) + key.hashCode();
    }
}
