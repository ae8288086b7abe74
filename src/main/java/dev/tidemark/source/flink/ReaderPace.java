package dev.tidemark.source.flink;

import dev.tidemark.source.Pace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reader's side of aligned reading: knows how far each of its logs has come, which may be read on, and what to report.
 * Never holds the log that is behind all others, nor one that has no h yet. Time is handed in, in milliseconds of any clock
 * that does not go back. Belongs to the reader's thread.
 *
 * <p>The h of a log is what the stamping operator has written into its last record. If it is not chained, no log ever has
 * one, and none is held.
 */
public final class ReaderPace {
    /** At most so often is something reported. */
    private static final long REPORT_MILLIS = 10;
    /** So long a log that has no h yet keeps its reader from reporting, and so holds the others. */
    private static final long FIRST_RECORD_MILLIS = 2_000;

    /** One log. */
    public static final class Log {
        private final long takenMillis;
        private long h = Pace.UNKNOWN;
        private boolean isQuiet;

        private Log(long takenMillis) {
            this.takenMillis = takenMillis;
        }

        /** A record of it has been emitted. */
        public void reached(long frontier) {
            h = frontier;
            isQuiet = false;
        }

        /** It has been read to its end and is not waited for. */
        public void quiet() {
            isQuiet = true;
        }
    }

    private final @Nullable Pace pace;
    private final List<Log> logs = new ArrayList<>();
    private boolean isAllGiven;
    private long others = Pace.UNKNOWN;
    private @Nullable Long reported;
    private long reportedMillis;

    /** @param pace null: there is one log, and nothing to be aligned */
    public ReaderPace(@Nullable Pace pace) {
        this.pace = pace;
    }

    /** A log is read from now on. */
    public Log take(long nowMillis) {
        Log log = new Log(nowMillis);
        logs.add(log);
        return log;
    }

    /** All logs that were there at the start have been taken: only now can the least of them be told. */
    public void allGiven() {
        isAllGiven = true;
    }

    /** How far the others have come. */
    public void hear(LeastOfOthers said) {
        others = said.least();
    }

    /** Whether a log is to be read on. */
    public boolean mayGoOn(Log log) {
        return pace == null || log.h == Pace.UNKNOWN || pace.mayGoOn(log.h, Math.min(others, least()));
    }

    /** What the enumerator is to be told now; null: nothing. */
    public @Nullable LeastReached report(long nowMillis) {
        if (!isReportDue(nowMillis)) {
            return null;
        }
        long least = least();
        reported = least;
        reportedMillis = nowMillis;
        return new LeastReached(least);
    }

    /** How long until there may be something to report although no record has come; very long if that cannot be. */
    public long waitMillis(long nowMillis) {
        if (pace == null || !isAllGiven) {
            return Long.MAX_VALUE;
        }
        if (reported == null) {
            return Math.max(1, firstRecordMillis() - nowMillis);
        }
        return pace.isSame(reported, least())
                ? Long.MAX_VALUE
                : Math.max(1, reportedMillis + REPORT_MILLIS - nowMillis);
    }

    private boolean isReportDue(long nowMillis) {
        if (pace == null || !isAllGiven) {
            return false;
        }
        if (reported == null) {
            return nowMillis >= firstRecordMillis();
        }
        return nowMillis - reportedMillis >= REPORT_MILLIS && !pace.isSame(reported, least());
    }

    /** Until when logs without h are waited for. */
    private long firstRecordMillis() {
        long until = Long.MIN_VALUE;
        for (Log log : logs) {
            if (!log.isQuiet && log.h == Pace.UNKNOWN) {
                until = Math.max(until, log.takenMillis + FIRST_RECORD_MILLIS);
            }
        }
        return until;
    }

    private long least() {
        long least = Pace.NONE;
        for (Log log : logs) {
            if (!log.isQuiet && log.h != Pace.UNKNOWN) {
                least = Math.min(least, log.h);
            }
        }
        return least;
    }
}
