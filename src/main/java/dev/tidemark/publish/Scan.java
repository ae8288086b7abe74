package dev.tidemark.publish;

/**
 * What one operator has read of a history.
 *
 * @param cut how many records, how many of them were rejected, and how far it got in each log
 * @param bytes the length of the records
 */
public record Scan(Cut cut, long bytes) {}
