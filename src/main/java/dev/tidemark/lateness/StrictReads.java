package dev.tidemark.lateness;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a reader that asks for {@code updated_at > MAX(updated_at)} loads: at each of its reads the rows that can be seen by
 * then and are newer than the newest that it had loaded before that read. A row that it passes over it never loads, because
 * what it has loaded only gets newer.
 *
 * <p>Rows come in any order if {@link #see} has been told all of them before {@link #loads} is asked; in the order in which
 * they can first be seen, each may be told and asked at once. Times are microseconds since the epoch.
 */
public final class StrictReads {
    private static final long NOTHING = Long.MIN_VALUE;

    private final ReadTimes times;
    /** By read: the newest of the rows that it is the first to see. */
    private final NavigableMap<Long, Long> newest = new TreeMap<>();
    /** By read: the newest of the rows that earlier reads see, as far as it has been asked for. */
    private final NavigableMap<Long, Long> before = new TreeMap<>();

    private long lastFrom = Long.MAX_VALUE;
    private long lastRead = NOTHING;

    public StrictReads(ReadTimes times) {
        this.times = times;
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
            before.tailMap(read, false).clear();
        }
    }

    /** Whether the reader loads the row. */
    public boolean loads(long observedAt, long version) {
        long read = read(observedAt);
        return read != ReadTimes.NONE && version > newestBefore(read);
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
