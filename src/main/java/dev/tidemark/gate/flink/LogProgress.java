package dev.tidemark.gate.flink;

import static dev.tidemark.publish.LogCut.comparePositions;

import dev.tidemark.change.RawRecord;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Whole;
import dev.tidemark.publish.LogCut;
import org.jspecify.annotations.Nullable;

/** How far one log has come, as the stamping operator holds it. */
final class LogProgress {
    private final String log;
    private final Frontier frontier;
    private final Whole whole;
    private final @Nullable LogCut floor;
    private @Nullable String split;
    private long nextOffset;
    private @Nullable String countedSplit;
    private long countedOffset;
    private boolean isBehindFloor;
    private boolean begins;
    private boolean isQuiet;
    private long soundFrom = LogState.ALL;

    private LogProgress(String log, Frontier frontier, Whole whole, @Nullable LogCut floor) {
        this.log = log;
        this.frontier = frontier;
        this.whole = whole;
        this.floor = floor;
    }

    /**
     * A log as a checkpoint holds it.
     *
     * @param floor where the last publication stood; null: the log is in none
     */
    static LogProgress restored(LogState state, Frontier frontier, Whole whole, @Nullable LogCut floor) {
        LogProgress progress = new LogProgress(state.log(), frontier, whole, floor);
        progress.split = state.split();
        progress.nextOffset = state.nextOffset();
        progress.soundFrom = state.soundFrom();
        progress.beginCount();
        return progress;
    }

    /**
     * A log of which no checkpoint holds anything, from where the source says that it begins to read it. If the source goes on
     * before a first record, nothing was ever read: the log stands nowhere yet, in whichever of its empty files that is.
     */
    static LogProgress begun(RawRecord taken, Frontier frontier, Whole whole, @Nullable LogCut floor) {
        LogProgress progress = new LogProgress(taken.log, frontier, whole, floor);
        if (!taken.split.isEmpty() && (taken.begins || taken.offset > 0)) {
            progress.split = taken.split;
            progress.nextOffset = taken.offset;
        }
        progress.begins = taken.begins;
        progress.beginCount();
        return progress;
    }

    Frontier frontier() {
        return frontier;
    }

    Whole whole() {
        return whole;
    }

    /** Moves past a record; says whether a publication has counted it already. */
    boolean advance(RawRecord raw) {
        if (countedSplit == null) {
            countedSplit = raw.split;
            countedOffset = raw.offset;
        }
        split = raw.split;
        nextOffset = raw.offset + 1;
        isQuiet = false;
        if (isBehindFloor && floor != null) {
            isBehindFloor = comparePositions(raw.split, raw.offset, floor.split(), floor.nextOffset()) < 0;
        }
        return isBehindFloor;
    }

    /** It has been read to its end; nobody waits for it until its next record. */
    void quiet() {
        isQuiet = true;
    }

    boolean isActive() {
        return !isQuiet;
    }

    /** Where the log stands, and from where it was counted since the last call; null if it stands nowhere. */
    @Nullable
    LogCut cut() {
        if (split == null || countedSplit == null) {
            return null;
        }
        LogCut cut = new LogCut(
                log,
                split,
                nextOffset,
                countedSplit,
                countedOffset,
                frontier.h(),
                Math.max(whole.from(), soundFrom),
                begins,
                isQuiet);
        // What counts nothing is not published: the cut after it begins as well.
        begins = begins && split.equals(countedSplit) && nextOffset == countedOffset;
        beginCount();
        return cut;
    }

    @Nullable
    LogState state() {
        return split == null
                ? null
                : new LogState(
                        log,
                        split,
                        nextOffset,
                        frontier.h(),
                        frontier.pending(),
                        frontier.pendingId(),
                        whole.own(),
                        soundFrom);
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
