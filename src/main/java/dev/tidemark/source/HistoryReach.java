package dev.tidemark.source;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far back the logs of a history go.
 *
 * <p>Files, and rows of a database, are taken as whole from their beginning. A partition of a topic is if its first record is
 * still there. Of one that begins behind its beginning, whole are the partitions that begin after the mark of its first
 * accepted record and {@code maxFutureSkew}: that record is the one with the least {@link
 * dev.tidemark.change.RawRecord#sequence} of its log.
 *
 * @param behindBeginning the logs that have lost their beginning, each with the offset of the first record that is left
 */
public record HistoryReach(Map<String, Long> behindBeginning) implements Serializable {
    /** Every log begins at its beginning. */
    public static final HistoryReach WHOLE = new HistoryReach(Map.of());

    public HistoryReach {
        behindBeginning = new TreeMap<>(behindBeginning);
    }

    /** Whether a log is there from its beginning. */
    public boolean isWhole(String log) {
        return !behindBeginning.containsKey(log);
    }

    /** Whether all logs are. */
    public boolean isWhole() {
        return behindBeginning.isEmpty();
    }
}
