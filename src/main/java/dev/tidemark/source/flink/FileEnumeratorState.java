package dev.tidemark.source.flink;

import java.util.List;

/**
 * Which logs the enumerator knows.
 *
 * @param handedOut the names of the logs that readers have had; their state is the readers'
 * @param waiting logs whose reader is not there, with what has been read of them
 */
public record FileEnumeratorState(List<String> handedOut, List<LogSplit> waiting) {}
