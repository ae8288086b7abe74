package dev.tidemark.gate;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * How far one log has come: h, a function of the log's accepted records in their order.
 *
 * <p>h is the greatest mark so far, except that a single wild clock does not move it: a mark more than {@code
 * maxAdvance} partitions beyond P(h) waits for the next record with another id, and if that is wild too, h moves to the
 * lesser of the two. The exact cases are in ARCHITECTURE.md. Instants are microseconds since the epoch.
 */
public final class Frontier {
    /** No mark yet. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    private final Calendar calendar;
    private final int maxAdvance;
    private long h;
    private long pending;
    private @Nullable Bytes pendingId;
    private long wildFrom;

    /** A log's frontier before its first record. */
    public Frontier(Calendar calendar, int maxAdvance) {
        this(calendar, maxAdvance, UNKNOWN, UNKNOWN, null);
    }

    /** A frontier as it was when {@link #h}, {@link #pending} and {@link #pendingId} were read from it. */
    public Frontier(Calendar calendar, int maxAdvance, long h, long pending, @Nullable Bytes pendingId) {
        this.calendar = calendar;
        this.maxAdvance = maxAdvance;
        this.pending = pending;
        this.pendingId = pendingId;
        move(h);
    }

    /**
     * Takes the mark of an accepted record into account.
     *
     * @param id the record id; null without one, which counts as another id every time
     */
    public void accept(long mark, @Nullable Bytes id) {
        if (h == UNKNOWN) {
            move(mark);
        } else if (mark < wildFrom) {
            if (pending != UNKNOWN && isAnother(id)) {
                forget();
            }
            if (mark > h) {
                move(mark);
            }
        } else if (pending == UNKNOWN) {
            remember(mark, id);
        } else if (isAnother(id)) {
            move(Math.max(h, Math.min(pending, mark)));
            forget();
            if (mark >= wildFrom) {
                remember(mark, id);
            }
        } else {
            pending = Math.max(pending, mark);
        }
    }

    /** The frontier, or {@link #UNKNOWN} before the first mark. */
    public long h() {
        return h;
    }

    /** The wild mark that waits for another, or {@link #UNKNOWN}. */
    public long pending() {
        return pending;
    }

    /** The id that brought the pending mark. */
    public @Nullable Bytes pendingId() {
        return pendingId;
    }

    private boolean isAnother(@Nullable Bytes id) {
        return id == null || pendingId == null || !id.equals(pendingId);
    }

    private void remember(long mark, @Nullable Bytes id) {
        pending = mark;
        pendingId = id;
    }

    private void forget() {
        pending = UNKNOWN;
        pendingId = null;
    }

    /** Everything from {@code wildFrom} on lies more than maxAdvance partitions beyond P(h). */
    private void move(long mark) {
        boolean samePartition =
                h != UNKNOWN && mark < wildFrom && calendar.partitionOf(mark) == calendar.partitionOf(h);
        h = mark;
        if (mark != UNKNOWN && !samePartition) {
            wildFrom = calendar.endOf(calendar.plus(calendar.partitionOf(mark), maxAdvance));
        }
    }
}
