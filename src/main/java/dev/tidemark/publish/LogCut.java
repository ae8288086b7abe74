package dev.tidemark.publish;

import dev.tidemark.change.Bytes;
import java.io.Serializable;

/**
 * How far one log has been read at a cut, and from where its changes were counted since the cut before.
 *
 * @param split the split that the log stands in: all that sort before it are read
 * @param nextOffset the next offset in it
 * @param countedSplit with {@code countedOffset} the position of the first change that this cut counts: where the cut
 *     before ended, or the last published position if that is further
 * @param frontier h in microseconds; {@link #UNKNOWN} before the log's first mark
 * @param wholeFrom the first partition that the log holds whole; {@link #UNKNOWN}: it holds all
 * @param begins whether this is the log's first cut since it was begun without restored state: only then may what was
 *     published end earlier than the cut begins, because the changes between are gone from the source
 * @param idle whether the log was read to its end so long ago that the bounds do not wait for it
 */
public record LogCut(
        String log,
        String split,
        long nextOffset,
        String countedSplit,
        long countedOffset,
        long frontier,
        long wholeFrom,
        boolean begins,
        boolean idle)
        implements Serializable {
    public static final long UNKNOWN = Long.MIN_VALUE;

    /** A log that holds all partitions whole. */
    public LogCut(
            String log,
            String split,
            long nextOffset,
            String countedSplit,
            long countedOffset,
            long frontier,
            boolean begins,
            boolean idle) {
        this(log, split, nextOffset, countedSplit, countedOffset, frontier, UNKNOWN, begins, idle);
    }

    /** A log that is active and goes on where its cut before ended. */
    public LogCut(String log, String split, long nextOffset, String countedSplit, long countedOffset, long frontier) {
        this(log, split, nextOffset, countedSplit, countedOffset, frontier, false, false);
    }

    /** Whether the cut stands before, at (0) or behind the position at which another one of the same log stands. */
    public int comparePositionTo(LogCut other) {
        return comparePositions(split, nextOffset, other.split, other.nextOffset);
    }

    /** Whether the cut begins to count exactly where another one of the same log stands. */
    public boolean countsFrom(LogCut other) {
        return countedOffset == other.nextOffset && countedSplit.equals(other.split);
    }

    /** Orders positions of one log: splits by their UTF-8 bytes, then offsets. */
    public static int comparePositions(String split, long offset, String otherSplit, long otherOffset) {
        if (split.equals(otherSplit)) {
            return Long.compare(offset, otherOffset);
        }
        return Bytes.utf8(split).compareTo(Bytes.utf8(otherSplit));
    }
}
