package dev.tidemark.publish;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the job's last publication left.
 *
 * @param publication its number; 0 before the first
 * @param submission who staged it; null before the first
 * @param logs where each log stood
 * @param closedBefore the first partition that was open; {@link #NOWHERE} if no bound was known
 * @param endedBefore the partition of the least frontier; {@link #NOWHERE} likewise
 * @param retainedFrom the first partition that the state of its submission had not forgotten; {@link #NOWHERE}: none was
 * @param lookback under which its changes were judged; 0 before the first
 */
public record Standing(
        long publication,
        @Nullable String submission,
        List<LogCut> logs,
        long closedBefore,
        long endedBefore,
        long retainedFrom,
        int lookback) {
    /** No bound: earlier than any partition. */
    public static final long NOWHERE = Long.MIN_VALUE;

    /** Before the first publication. */
    public static final Standing NONE = new Standing(0, null, List.of(), NOWHERE, NOWHERE, NOWHERE, 0);

    /** The first partition that every log holds whole; {@link #NOWHERE}: all. */
    public long wholeFrom() {
        return logs.stream().mapToLong(LogCut::wholeFrom).max().orElse(NOWHERE);
    }

    Standing closedBefore(long bound) {
        return new Standing(publication, submission, logs, bound, endedBefore, retainedFrom, lookback);
    }
}
