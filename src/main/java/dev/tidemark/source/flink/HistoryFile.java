package dev.tidemark.source.flink;

import org.apache.flink.api.connector.source.SourceSplit;

/**
 * One file of a history.
 *
 * @param log the log that it is a part of
 * @param path under the source folder
 * @param number which file of the log it is, in name order
 * @param length in bytes
 */
public record HistoryFile(String log, String path, int number, long length) implements SourceSplit {
    private static final int ORDINAL_BITS = 40;

    @Override
    public String splitId() {
        return path;
    }

    /** What orders the records of the log as their positions do, though files are read apart: it leaves numbers out. */
    long sequence(long ordinal) {
        return ((long) number << ORDINAL_BITS) + ordinal;
    }
}
