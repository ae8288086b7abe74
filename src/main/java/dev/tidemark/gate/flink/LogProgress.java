package dev.tidemark.gate.flink;

import static dev.tidemark.publish.LogCut.comparePositions;

import dev.tidemark.change.RawRecord;
import dev.tidemark.gate.Frontier;
import dev.tidemark.publish.LogCut;
import org.jspecify.annotations.Nullable;

/** How far one log has come, as the stamping operator holds it. */
final class LogProgress {
    private final String log;
    private final Frontier frontier;
    private final @Nullable LogCut floor;
    private @Nullable String split;
    private long nextOffset;
    private @Nullable String countedSplit;
    private long countedOffset;
    private boolean isBehindFloor;

    /**
     * @param restored where the log stood in the checkpoint; null: it is read from its start
     * @param floor where the last publication stood; null: the log is in none
     */
    LogProgress(String log, Frontier frontier, @Nullable LogState restored, @Nullable LogCut floor) {
        this.log = log;
        this.frontier = frontier;
        this.floor = floor;
        if (restored != null) {
            split = restored.split();
            nextOffset = restored.nextOffset();
        }
        beginCount();
    }

    Frontier frontier() {
        return frontier;
    }

    /** Moves past a record; says whether a publication has counted it already. */
    boolean advance(RawRecord raw) {
        if (countedSplit == null) {
            countedSplit = raw.split;
            countedOffset = raw.offset;
        }
        split = raw.split;
        nextOffset = raw.offset + 1;
        if (isBehindFloor && floor != null) {
            isBehindFloor = comparePositions(raw.split, raw.offset, floor.split(), floor.nextOffset()) < 0;
        }
        return isBehindFloor;
    }

    /** Where the log stands, and from where it was counted since the last call. */
    @Nullable
    LogCut cut() {
        if (split == null || countedSplit == null) {
            return null;
        }
        LogCut cut = new LogCut(log, split, nextOffset, countedSplit, countedOffset, frontier.h());
        beginCount();
        return cut;
    }

    @Nullable
    LogState state() {
        return split == null
                ? null
                : new LogState(log, split, nextOffset, frontier.h(), frontier.pending(), frontier.pendingId());
    }

    /** Counting begins where the log stands, or at the floor if that is further. */
    private void beginCount() {
        isBehindFloor = floor != null
                && (split == null || comparePositions(split, nextOffset, floor.split(), floor.nextOffset()) < 0);
        if (isBehindFloor && floor != null) {
            countedSplit = floor.split();
            countedOffset = floor.nextOffset();
        } else {
            countedSplit = split;
            countedOffset = nextOffset;
        }
    }
}
