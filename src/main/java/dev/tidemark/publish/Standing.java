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
 */
public record Standing(
        long publication, @Nullable String submission, List<LogCut> logs, long closedBefore, long endedBefore) {
    /** No bound: earlier than any partition. */
    public static final long NOWHERE = Long.MIN_VALUE;

    /** Before the first publication. */
    public static final Standing NONE = new Standing(0, null, List.of(), NOWHERE, NOWHERE);
}
