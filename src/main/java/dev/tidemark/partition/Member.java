package dev.tidemark.partition;

import dev.tidemark.change.Bytes;

/**
 * A live source row, as far as a cell needs to know it.
 *
 * @param recordId empty when records have none
 * @param version the version fields in {@link dev.tidemark.change.OrderedBytes}; empty when there are none
 * @param log with {@code sequence} its position
 * @param eventTime microseconds since the epoch
 * @param row the fields that the value columns read, in {@link dev.tidemark.change.RowLayout}
 * @param hash of id and version: its part of the cell's fingerprint
 */
public record Member(Bytes recordId, Bytes version, String log, long sequence, long eventTime, Bytes row, long hash) {}
