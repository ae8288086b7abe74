package dev.tidemark.source.flink;

import java.util.List;

/**
 * Which files of a history are left.
 *
 * @param waiting those that no reader has had
 */
public record HistoryFilesState(List<HistoryFile> waiting) {}
