package dev.tidemark.publish;

import dev.tidemark.change.Bytes;

/**
 * How far one log has been read at a cut, and from where its changes were counted since the cut before.
 *
 * @param split the split that the log stands in: all that sort before it are read
 * @param nextOffset the next offset in it
 * @param countedSplit with {@code countedOffset} the position of the first change that this cut counts: where the cut
 *     before ended, or the last published position if that is further
 * @param frontier h in microseconds; {@link #UNKNOWN} before the log's first mark
 */
public record LogCut(
        String log, String split, long nextOffset, String countedSplit, long countedOffset, long frontier) {
    public static final long UNKNOWN = Long.MIN_VALUE;

    /** Orders positions of one log: splits by their UTF-8 bytes, then offsets. */
    public static int comparePositions(String split, long offset, String otherSplit, long otherOffset) {
        if (split.equals(otherSplit)) {
            return Long.compare(offset, otherOffset);
        }
        return Bytes.utf8(split).compareTo(Bytes.utf8(otherSplit));
    }
}
