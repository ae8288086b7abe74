package dev.tidemark.publish;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One rebuild: which partitions are recomputed from the history, and as of when.
 *
 * @param id random; what it stages is staged under it
 * @param frontier of a window: where its end came from; null: it is none
 * @param reach of a window: the partition of its frontier, up to which it is computed even if nothing is there; {@link
 *     Standing#NOWHERE}: it is none
 * @param standing the number of the last publication of any kind when it began
 * @param streamed the number of the last publication of the stream when it began; 0: none
 * @param logs the changes before where these logs stand are taken; null: all that there are
 * @param comparable whether the history has the positions of the stream
 * @param history what the history is, in words
 * @param reason why, in the words of who asked; null: not said
 * @param trial whether it only says what would change
 */
public record Rebuild(
        String id,
        Mode mode,
        @Nullable String frontier,
        PartitionSpan span,
        long reach,
        long standing,
        long streamed,
        @Nullable List<LogCut> logs,
        boolean comparable,
        String history,
        @Nullable String reason,
        List<PartitionSpan> gaps,
        boolean trial)
        implements Serializable {

    /** How its partitions were named. */
    public enum Mode {
        /** From one to another. */
        RANGE,
        /** The lookback before a frontier, and all from there on. */
        WINDOW,
        /** All that there are. */
        ALL
    }

    /** Which changes are taken. */
    public AsOf asOf() {
        return logs == null ? AsOf.END : AsOf.of(logs);
    }
}
