package dev.tidemark.source.flink;

import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * One log and how far it has been read: what a checkpoint holds of it.
 *
 * @param log its name; empty when the source is one log
 * @param path the file begun last; empty before the first
 * @param reading whether that file has not been read to its end
 * @param ordinal of the next record in it
 * @param resumePosition where framing can begin again in its (decompressed) content, with {@code resumeOrdinal} the
 *     ordinal of the record there
 * @param sequence of the next record in the log
 * @param finished whether a bounded source has read all of it
 * @param begun each begun file that is still there, and the last one; it grows with the files of the folder
 * @param skipped the files that came too late to be read and are still there, in name order
 */
public record LogSplit(
        String log,
        String path,
        boolean reading,
        long ordinal,
        long resumePosition,
        long resumeOrdinal,
        long sequence,
        boolean finished,
        Map<String, FileMark> begun,
        List<String> skipped)
        implements SourceSplit {

    /** A log of which nothing has been read. */
    public static LogSplit unread(String log) {
        return new LogSplit(log, "", false, 0, 0, 0, 0, false, Map.of(), List.of());
    }

    /** Whether nothing has been read of it yet. */
    boolean isUnread() {
        return path.isEmpty() && sequence == 0;
    }

    @Override
    public String splitId() {
        return log;
    }
}
