package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Which values the published truth of a cell has gained and lost since it was last said, of the columns that count them over
 * all partitions so far. What was gained and lost again is neither.
 */
public final class ValueChanges {
    private final boolean[] watched;
    private final boolean isWatching;
    /** True: gained; false: lost. */
    private final Map<Bytes, Boolean> changes = new HashMap<>(4);

    /**
     * @param watched of each column, whether its values are of interest
     */
    ValueChanges(boolean[] watched) {
        this.watched = watched;
        this.isWatching = hasAny(watched);
    }

    private static boolean hasAny(boolean[] watched) {
        for (boolean isWatched : watched) {
            if (isWatched) {
                return true;
            }
        }
        return false;
    }

    /** Whether any column's values are of interest. */
    public boolean isWatching() {
        return isWatching;
    }

    /** The same counts; that a value comes or goes is noted. */
    DistinctCounts over(DistinctCounts counts) {
        return isWatching ? new Noted(counts) : counts;
    }

    void gained(Bytes value) {
        note(value, true);
    }

    void lost(Bytes value) {
        note(value, false);
    }

    private void note(Bytes value, boolean isGained) {
        if (isWatching && watched[column(value)]) {
            Boolean before = changes.remove(value);
            if (before == null) {
                changes.put(value, isGained);
            } else if (before == isGained) {
                throw new IllegalStateException("a value comes that is there, or goes that is not");
            }
        }
    }

    int size() {
        return changes.size();
    }

    void forEach(BiConsumer<Bytes, Boolean> action) {
        changes.forEach(action);
    }

    void clear() {
        changes.clear();
    }

    /** The number that a value begins with, see {@link DistinctColumn}. */
    static int column(Bytes value) {
        byte[] bytes = value.array();
        int column = 0;
        int at = 0;
        int shift = 0;
        byte next;
        do {
            next = bytes[at++];
            column |= (next & 0x7f) << shift;
            shift += 7;
        } while (next < 0);
        return column;
    }

    private final class Noted implements DistinctCounts {
        private final DistinctCounts counts;

        private Noted(DistinctCounts counts) {
            this.counts = counts;
        }

        @Override
        public long increment(Bytes value) {
            long now = counts.increment(value);
            if (now == 1) {
                gained(value);
            }
            return now;
        }

        @Override
        public long decrement(Bytes value) {
            long now = counts.decrement(value);
            if (now == 0) {
                lost(value);
            }
            return now;
        }
    }
}
