package dev.tidemark.source;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.RawRecord;

/**
 * How far one log may run ahead of another: no further than into the partition after that of the least. What is read in
 * step keeps the state small and the bounds close together; nothing is decided by it.
 */
public final class Pace {
    /** There is no log to wait for. */
    public static final long NONE = Long.MAX_VALUE;
    /** It is not known how far a log has come. */
    public static final long UNKNOWN = RawRecord.UNKNOWN;

    private static final int LEAD = 1;

    private final Calendar calendar;

    public Pace(Calendar calendar) {
        this.calendar = calendar;
    }

    /**
     * Whether a log that has come to {@code h} is read on.
     *
     * @param h {@link #UNKNOWN}: it has none yet, and nothing holds it
     * @param least the least h over all active logs; {@link #NONE}: there is none to wait for; {@link
     *     #UNKNOWN}: it is not known yet, and everything waits that has an h
     */
    public boolean mayGoOn(long h, long least) {
        if (h == UNKNOWN || least == NONE || h == least) {
            return true;
        }
        if (least == UNKNOWN) {
            return false;
        }
        return calendar.distance(calendar.partitionOf(least), calendar.partitionOf(h)) <= LEAD;
    }

    /** Whether it makes no difference for others which of two frontiers a log has reached. */
    public boolean isSame(long one, long other) {
        if (one == other) {
            return true;
        }
        if (!isInstant(one) || !isInstant(other)) {
            return false;
        }
        return calendar.partitionOf(one) == calendar.partitionOf(other);
    }

    private static boolean isInstant(long h) {
        return h != UNKNOWN && h != NONE;
    }
}
