package dev.tidemark.source.flink;

/**
 * How a file looked when it was begun.
 *
 * @param modifiedMillis only says whether looking closer is needed: a file that was touched or copied has not changed
 * @param fingerprint XXH3-64 of its first and last 4 KiB
 */
public record FileMark(long length, long modifiedMillis, long fingerprint) {}
