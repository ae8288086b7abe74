package dev.tidemark.lateness;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a reader that asks for {@code updated_at > MAX(updated_at)} loads: at each of its reads the rows that can be seen by
 * then and are newer than the newest that it had loaded before that read. One with a lookback asks for
 * {@code updated_at >= MAX(updated_at) - lookback}. A row that it passes over it never loads, because what it has loaded
 * only gets newer.
 *
 * <p>Rows come in any order if {@link #see} has been told all of them before {@link #loads} is asked; in the order in which
 * they can first be seen, each may be told and asked at once. Times are microseconds since the epoch.
 */
public final class StrictReads {
    private static final long NOTHING = Long.MIN_VALUE;

    private final ReadTimes times;
    private final long lookback;
    /** By read: the newest of the rows that it is the first to see. */
    private final NavigableMap<Long, Long> newest = new TreeMap<>();
    /** By read: the newest of the rows that earlier reads see, as far as it has been asked for. */
    private final NavigableMap<Long, Long> before = new TreeMap<>();

    private long lastFrom = Long.MAX_VALUE;
    private long lastRead = NOTHING;
    private @Nullable Thresholds thresholds;

    /** For each read at which a row is seen first, the least version that it loads, both ascending. */
    private static final class Thresholds {
        private final long[] reads;
        private final long[] least;

        private Thresholds(long[] reads, long[] least) {
            this.reads = reads;
            this.least = least;
        }
    }

    public StrictReads(ReadTimes times) {
        this(times, Duration.ZERO);
    }

    /**
     * A reader that looks back.
     *
     * @param lookback how far behind the newest row that it has loaded, the end included; zero: it reads what is newer
     */
    public StrictReads(ReadTimes times, Duration lookback) {
        if (lookback.isNegative()) {
            throw new IllegalArgumentException(lookback + " is no lookback");
        }
        this.times = times;
        this.lookback = lookback.toNanos() / 1_000;
    }

    /** A row that can be seen from an instant on, with its version. */
    public void see(long observedAt, long version) {
        long read = read(observedAt);
        if (read == ReadTimes.NONE) {
            return;
        }
        Long known = newest.get(read);
        if (known == null || version > known) {
            newest.put(read, version);
            thresholds = null;
            before.tailMap(read, false).clear();
        }
    }

    /** Whether the reader loads the row. */
    public boolean loads(long observedAt, long version) {
        long read = read(observedAt);
        return read != ReadTimes.NONE && version >= least(newestBefore(read));
    }

    /** At how many reads there is a row that was not there before. */
    public int reads() {
        return newest.size();
    }

    /** How many of {@link #reads} load the row, when all rows have been told: more than one where the lookback reaches it again. */
    public int loadings(long observedAt, long version) {
        if (!loads(observedAt, version)) {
            return 0;
        }
        Thresholds known = thresholds();
        int first = Arrays.binarySearch(known.reads, read(observedAt));
        int behind = first + 1;
        int end = known.reads.length;
        while (behind < end) {
            int middle = (behind + end) >>> 1;
            if (known.least[middle] <= version) {
                behind = middle + 1;
            } else {
                end = middle;
            }
        }
        return behind - first;
    }

    /** Whether there is a read that comes late enough to see the row. */
    public boolean isRead(long observedAt) {
        return read(observedAt) != ReadTimes.NONE;
    }

    /** Rows mostly come in the order of time: the last read is kept. */
    private long read(long observedAt) {
        if (observedAt < lastFrom || observedAt > lastRead) {
            lastRead = times.atOrAfter(observedAt);
            lastFrom = observedAt;
        }
        return lastRead;
    }

    private long least(long newestBefore) {
        return newestBefore == NOTHING ? NOTHING : lookback == 0 ? newestBefore + 1 : newestBefore - lookback;
    }

    private Thresholds thresholds() {
        Thresholds known = thresholds;
        if (known == null) {
            long[] reads = newest.keySet().stream().mapToLong(read -> read).toArray();
            known = new Thresholds(
                    reads,
                    Arrays.stream(reads).map(read -> least(newestBefore(read))).toArray());
            thresholds = known;
        }
        return known;
    }

    private long newestBefore(long read) {
        Long known = before.get(read);
        if (known != null) {
            return known;
        }
        Map.Entry<Long, Long> earlier = before.lowerEntry(read);
        long from = earlier == null ? NOTHING : earlier.getKey();
        long greatest = earlier == null ? NOTHING : earlier.getValue();
        for (long version : newest.subMap(from, true, read, false).values()) {
            greatest = Math.max(greatest, version);
        }
        before.put(read, greatest);
        return greatest;
    }
}
