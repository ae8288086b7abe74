package dev.tidemark.generate;

import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * The sessions of Kestrel's visitors on ordinary days, up to the day before {@link Kestrel#GREAT_DAY}: {@value #WRITERS} to an
 * order, 39,459 a day, by the same {@link Traffic}.
 *
 * <p><b>A session</b> lasts between half a minute and half an hour, evenly in the logarithm; it is written when it ends. One in
 * a hundred goes on afterwards, and is written once more within an hour.
 *
 * <p><b>Lag.</b> What a collector has written is seen later the more of them write at once: by the rule of {@link Kestrel},
 * {@value #WRITERS} times as many writes make each lag longer by the {@value Kestrel#GROWTH}th power of that. So over all
 * sessions the lags are exactly those of {@link LagCurve} times the root of six, 5 d 7 h at most.
 */
public final class Sessions {
    /** Sessions to an order. */
    static final int WRITERS = 6;
    /** The days that are told unless others are asked for. */
    public static final int DAYS = 30;

    private static final long SECOND = 1_000_000L;
    private static final long MINUTE = 60 * SECOND;
    private static final int COLLECTORS = 24;
    private static final double GOES_ON = 0.01;

    private final long seed;
    private final int days;
    private final long sessions;
    private final LagCurve curve;
    private final Permutation ranks;
    private final double stretch = StrictMath.pow(WRITERS, Kestrel.GROWTH);
    private final Traffic traffic = Traffic.ordinary();

    /** A version of a session on its way. */
    private record Version(
            long number, long visitor, int pages, boolean first, long startedAt, long updatedAt, long ingestedAt) {
        void write(RecordWriter out) throws IOException {
            out.begin(number, ingestedAt);
            out.number(number);
            out.number(visitor);
            out.text("C" + (101 + number % COLLECTORS));
            out.integer(pages);
            out.timestamp(startedAt);
            out.timestamp(updatedAt);
            out.timestamp(ingestedAt);
            out.end();
        }
    }

    /**
     * The story.
     *
     * @param scale how many times as many sessions
     */
    public Sessions(double scale, int days, long seed) {
        this.seed = seed;
        this.days = days;
        this.sessions = StrictMath.round((double) Kestrel.ORDERS / Kestrel.DAYS * WRITERS * days * scale);
        if (sessions < 1) {
            throw new IllegalArgumentException("a scale of " + scale + " gives no session");
        }
        this.curve = new LagCurve(sessions);
        this.ranks = new Permutation(Draws.mix(seed ^ 21), sessions);
    }

    /** Writes every version in the order of arrival, and tells what it wrote. */
    public SessionsFigures write(RecordWriter out, Progress progress) throws IOException {
        Telling telling = new Telling(out);
        LocalDate first = Kestrel.GREAT_DAY.minusDays(days);
        for (int day = 0; day < days; day++) {
            LocalDate date = first.plusDays(day);
            long start = Kestrel.startOf(date);
            long minute = (Kestrel.startOf(date.plusDays(1)) - start) / Traffic.MINUTES;
            long begin = sessions * day / days;
            long count = sessions * (day + 1) / days - begin;
            for (long n = 0; n < count; n++) {
                long number = begin + n;
                double place = (n + new Draws(Draws.mix(seed ^ 22), number).fraction()) / count;
                long startedAt = start + (long) (traffic.moment(place) * minute);
                telling.arrivals(startedAt);
                telling.begin(number, startedAt);
            }
            progress.reached(date, telling.versions);
        }
        telling.arrivals(Long.MAX_VALUE);
        return telling.figures();
    }

    private long lag(long number) {
        return StrictMath.round(curve.lag(ranks.of(number)) * stretch);
    }

    /** What has been told so far. */
    private final class Telling {
        private final RecordWriter out;
        private final PriorityQueue<Version> pending = new PriorityQueue<>(
                Comparator.comparingLong(Version::ingestedAt).thenComparingLong(Version::number));
        private final StrictReader nightly = new StrictReader(Kestrel.nightly(days));
        private long versions;
        private long longest;

        Telling(RecordWriter out) {
            this.out = out;
        }

        void begin(long number, long startedAt) {
            Draws draws = new Draws(Draws.mix(seed ^ 23), number);
            long endedAt = startedAt + draws.logarithmic(MINUTE / 2, 30 * MINUTE);
            long lag = lag(number);
            longest = Math.max(longest, lag);
            long visitor = 1L + draws.below(2_000_000);
            int pages = 1 + draws.below(12);
            pending.add(new Version(number + 1, visitor, pages, true, startedAt, endedAt, endedAt + lag));
            if (draws.fraction() < GOES_ON) {
                long goneOn = endedAt + draws.between(MINUTE, 60 * MINUTE);
                if (goneOn + SECOND > endedAt + lag) {
                    pending.add(new Version(number + 1, visitor, pages + 1, false, startedAt, goneOn, goneOn + SECOND));
                }
            }
        }

        void arrivals(long until) throws IOException {
            for (Version due = pending.peek(); due != null && due.ingestedAt() <= until; due = pending.peek()) {
                pending.remove();
                due.write(out);
                versions++;
                if (due.first()) {
                    nightly.first(due.number(), due.startedAt(), due.updatedAt(), due.ingestedAt());
                } else {
                    nightly.later(due.number(), due.updatedAt(), due.ingestedAt());
                }
            }
        }

        SessionsFigures figures() {
            TreeMap<LocalDate, Long> byDay = new TreeMap<>();
            for (long startedAt : nightly.lost().values()) {
                LocalDate day = Instant.ofEpochSecond(startedAt / SECOND)
                        .atZone(Kestrel.ZONE)
                        .toLocalDate();
                byDay.merge(day, 1L, Long::sum);
            }
            return new SessionsFigures(
                    days,
                    Kestrel.GREAT_DAY,
                    sessions,
                    versions,
                    longest,
                    nightly.lost().size(),
                    byDay.values().stream().mapToLong(lost -> lost).max().orElse(0));
        }
    }
}
