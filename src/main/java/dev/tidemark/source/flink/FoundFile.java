package dev.tidemark.source.flink;

/**
 * A file as a listing shows it.
 *
 * @param name its path under the source folder; a source that is one file: the file's name
 */
record FoundFile(String name, long length, long modifiedMillis) {}
