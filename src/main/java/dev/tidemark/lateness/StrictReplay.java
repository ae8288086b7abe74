package dev.tidemark.lateness;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Replays recorded changes as a reader of {@code updated_at > MAX(updated_at)}, or one that looks back, would have read them. The changes are gone
 * through twice, in any order: first {@link #survey} is told all of them, then {@link #replay}. A record is lost if no
 * version of it was ever loaded.
 *
 * <p>Keeps about 16 bytes for each record, by a hash of 62 bits, and more of those that are not loaded, which are few. Not
 * thread-safe.
 */
public final class StrictReplay {
    private final StrictReads reads;
    private final Marks marks = new Marks();
    private final Map<Long, Missed> missed = new HashMap<>();
    private final Map<Long, Long> recordsByDay = new HashMap<>();
    private long records;
    private long changes;
    private long loadings;
    private long loadedAgain;

    /**
     * One change.
     *
     * @param record a hash of what is counted: the record, or what several records belong to
     * @param row a hash of the record itself
     * @param observedAt when it could first be seen
     * @param version when it was written
     * @param eventTime when it happened; for a delete that does not say, when it was written
     * @param day the day on which it happened, in days since 1970-01-01
     * @param value what it is worth; null: nothing
     */
    public record Row(
            long record,
            long row,
            boolean delete,
            long observedAt,
            long version,
            long eventTime,
            long day,
            @Nullable BigDecimal value) {}

    /** Something that has not been loaded yet. */
    private static final class Missed {
        private final long eventTime;
        private final long day;
        private final Map<Long, BigDecimal> values = new HashMap<>();

        private Missed(long eventTime, long day) {
            this.eventTime = eventTime;
            this.day = day;
        }
    }

    public StrictReplay(ReadTimes times) {
        this(times, Duration.ZERO);
    }

    /** Of a reader that looks back. */
    public StrictReplay(ReadTimes times, Duration lookback) {
        this.reads = new StrictReads(times, lookback);
    }

    /** First, all changes. */
    public void survey(long observedAt, long version) {
        reads.see(observedAt, version);
    }

    /** Then, all changes again. */
    public void replay(Row row) {
        changes++;
        if (!row.delete() && marks.set(row.record(), Marks.COUNTED)) {
            records++;
            recordsByDay.merge(row.day(), 1L, Long::sum);
        }
        int loaded = reads.loadings(row.observedAt(), row.version());
        loadings += loaded;
        loadedAgain += Math.max(0, loaded - 1);
        if (loaded > 0) {
            marks.set(row.record(), Marks.LOADED);
            missed.remove(row.record());
        } else if (!row.delete() && !marks.has(row.record(), Marks.LOADED) && reads.isRead(row.observedAt())) {
            missed.computeIfAbsent(row.record(), unknown -> new Missed(row.eventTime(), row.day()))
                    .values
                    .putIfAbsent(row.row(), row.value() == null ? BigDecimal.ZERO : row.value());
        }
    }

    /** What was lost. */
    public StrictLoss loss() {
        StrictLoss.Builder loss =
                new StrictLoss.Builder(changes, records, reads.reads(), loadings, loadedAgain, recordsByDay);
        missed.values()
                .forEach(each -> loss.add(
                        each.day,
                        each.eventTime,
                        each.values.values().stream().reduce(BigDecimal.ZERO, BigDecimal::add)));
        return loss.build();
    }

    /** Two marks for each hash: open addressing in one array, the marks in the two lowest bits. */
    private static final class Marks {
        static final long LOADED = 1;
        static final long COUNTED = 2;
        private static final long BOTH = LOADED | COUNTED;

        private long[] slots = new long[1 << 16];
        private int used;

        /** Sets a mark; false: it was set. */
        boolean set(long hash, long mark) {
            if (2L * used >= slots.length) {
                grow();
            }
            int at = slot(slots, key(hash));
            if (slots[at] == 0) {
                slots[at] = key(hash);
                used++;
            }
            boolean isNew = (slots[at] & mark) == 0;
            slots[at] |= mark;
            return isNew;
        }

        boolean has(long hash, long mark) {
            return (slots[slot(slots, key(hash))] & mark) != 0;
        }

        private void grow() {
            long[] wider = new long[Math.multiplyExact(slots.length, 2)];
            Arrays.stream(slots).filter(slot -> slot != 0).forEach(slot -> wider[slot(wider, slot & ~BOTH)] = slot);
            slots = wider;
        }

        /** Never 0, which is an empty slot. */
        private static long key(long hash) {
            long key = hash & ~BOTH;
            return key == 0 ? BOTH + 1 : key;
        }

        private static int slot(long[] slots, long key) {
            int mask = slots.length - 1;
            int at = (int) (key >>> 20) & mask;
            while (slots[at] != 0 && (slots[at] & ~BOTH) != key) {
                at = (at + 1) & mask;
            }
            return at;
        }
    }
}
