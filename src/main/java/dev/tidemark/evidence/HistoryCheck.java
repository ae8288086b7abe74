package dev.tidemark.evidence;

import dev.tidemark.publish.LogCut;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Whether a history still holds what was published. One that has lost something would make a right target look wrong. */
public final class HistoryCheck {
    private HistoryCheck() {}

    /**
     * Why it does not.
     *
     * @param history what people call it
     * @param standpoint where the target stands
     * @param read how far each log of the history was read, at most to where the target stands
     * @param records how many records were read
     * @return null: nothing is known to be lost
     */
    public static @Nullable String refusal(String history, Standpoint standpoint, List<LogCut> read, long records) {
        List<LogCut> published = standpoint.logs();
        if (published == null) {
            return null;
        }
        Map<String, LogCut> reached = new TreeMap<>();
        read.forEach(log -> reached.put(log.log(), log));
        for (LogCut log : published) {
            LogCut there = reached.get(log.log());
            if (there == null || there.comparePositionTo(log) != 0) {
                return "the history (" + history + ") has changed: the changes before " + log.split() + " @ "
                        + log.nextOffset() + " are published, but "
                        + (there == null
                                ? "it has none of them"
                                : "it ends at " + there.split() + " @ " + there.nextOffset())
                        + ". Nothing can be said of the target; put the files back";
            }
        }
        return standpoint.streamed() > 0 && records < standpoint.recordsRead()
                ? "the history (" + history + ") has lost records: the stream has read " + standpoint.recordsRead()
                        + ", and " + records
                        + " are left before the same positions. Nothing can be said of the target; put the files back"
                : null;
    }
}
