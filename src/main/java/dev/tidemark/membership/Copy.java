package dev.tidemark.membership;

import dev.tidemark.change.Bytes;

/**
 * A version of a record as it was put into a cell, value for value, so that it can be taken out again.
 *
 * @param sequence with {@code log} its position
 * @param partition with {@code key} the cell
 * @param namesakes how many members of the record had been left behind in cells before: their cells may still have them
 */
public record Copy(
        Bytes version,
        String log,
        long sequence,
        long eventTime,
        long partition,
        Bytes key,
        Bytes row,
        int namesakes) {}
