package dev.tidemark.generate;

import java.io.IOException;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The events of a web site: devices, some of them with one user, some with several, some users with several devices, and
 * many of whom nobody knows. {@value #EVENTS} events a day at scale 1, so a million in 60 days at scale 0.1667. Days are
 * those of UTC, and begin on 2026-03-19.
 *
 * <p><b>Who.</b> A pair of a device and a user is drawn evenly from a pool. Of a hundred groups of the pool 25 are a device
 * without user, 60 a device with one user, 10 a device with three users (of which every second one shares a user with the
 * next, so that they are connected), and 5 a user with three devices.
 *
 * <p><b>When.</b> {@link Shape#UNIFORM}: events by themselves, evenly over the day, three in ten without the user although
 * there is one. {@link Shape#DENSE}: sessions of 2 to 20 events; in five of ten with a user he signs in in the middle,
 * in one he is from the beginning, in four never; three in a hundred reach over midnight, but for those of the last day.
 *
 * <p><b>What goes wrong</b>, if it is asked for. Of the events 10 % come an hour late, 5 % a day, 5 % three days. 2 % come
 * once more, a minute to six hours after they came first.
 */
public final class WebAnalytics {
    public static final LocalDate FIRST_DAY = LocalDate.of(2026, 3, 19);

    static final int EVENTS = 100_000;
    private static final double GROUPS_AN_EVENT = 0.6;
    private static final double GROUPS_A_SESSION = 2;

    private static final long SECOND = 1_000_000L;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private static final int FEWEST = 2;
    private static final int MOST = 20;
    private static final long LONGEST_PAUSE = 4 * MINUTE;
    private static final double ACROSS_MIDNIGHT = 0.03;
    private static final double SIGNED_OUT = 0.3;
    private static final double SIGNS_IN = 0.5;
    private static final double SIGNED_IN = 0.6;
    private static final double AGAIN = 0.02;
    private static final String[] PLATFORMS = {"web", "ios", "android"};

    private final int eventsADay;
    private final int days;
    private final long seed;
    private final Shape shape;
    private final boolean late;
    private final boolean again;
    private final int anonymous;
    private final int single;
    private final int shared;
    private final int several;

    /** How events lie in a day. */
    public enum Shape {
        UNIFORM,
        DENSE
    }

    /** What may go wrong on the way. */
    public enum Trouble {
        LATE_ARRIVALS,
        REDELIVERIES
    }

    /** The story, with nothing that goes wrong. */
    public WebAnalytics(double scale, int days, long seed, Shape shape) {
        this(scale, days, seed, shape, Set.of());
    }

    public WebAnalytics(double scale, int days, long seed, Shape shape, Set<Trouble> troubles) {
        this.eventsADay = Math.max(1, (int) StrictMath.round(EVENTS * scale));
        this.days = days;
        this.seed = seed;
        this.shape = shape;
        this.late = troubles.contains(Trouble.LATE_ARRIVALS);
        this.again = troubles.contains(Trouble.REDELIVERIES);
        double groups = shape == Shape.UNIFORM ? GROUPS_AN_EVENT * eventsADay : GROUPS_A_SESSION * sessions();
        this.anonymous = atLeastOne(groups * 0.25);
        this.single = atLeastOne(groups * 0.6);
        this.shared = atLeastOne(groups * 0.1);
        this.several = atLeastOne(groups * 0.05);
    }

    private static int atLeastOne(double count) {
        return Math.max(1, (int) StrictMath.round(count));
    }

    /** A device and who may be signed in on it; a user of -1: nobody. */
    private record Pair(int device, int user) {}

    /** A record on its way. */
    private record Arrival(
            long arrivesAt, long number, int copy, Pair pair, boolean signedIn, int platform, long happenedAt) {}

    /** Writes every record in the order of arrival, and tells what it wrote. */
    public WebAnalyticsFigures write(RecordWriter writer, Progress progress) throws IOException {
        Telling telling = new Telling(writer);
        for (int day = 0; day < days; day++) {
            if (shape == Shape.UNIFORM) {
                uniform(day, telling);
            } else {
                dense(day, telling);
            }
            progress.reached(FIRST_DAY.plusDays(day), telling.events);
        }
        telling.upTo(Long.MAX_VALUE);
        return new WebAnalyticsFigures(
                FIRST_DAY,
                days,
                anonymous + single + shared + 3 * several,
                single + users(shared) + several,
                telling.events,
                telling.signedIn,
                telling.sessions,
                telling.acrossMidnight,
                telling.lateOnes,
                telling.copies);
    }

    private int sessions() {
        return Math.max(1, 2 * eventsADay / (FEWEST + MOST));
    }

    private static long start(int day) {
        return (FIRST_DAY.toEpochDay() + day) * DAY;
    }

    private void uniform(int day, Telling telling) throws IOException {
        for (int i = 0; i < eventsADay; i++) {
            Draws draws = new Draws(Draws.mix(seed ^ 21), (long) day * eventsADay + i);
            long happenedAt = start(day) + (long) ((i + draws.fraction()) / eventsADay * DAY);
            telling.upTo(start(day) + (long) ((double) i / eventsADay * DAY));
            Pair pair = pair(draws);
            boolean signedIn = draws.fraction() >= SIGNED_OUT;
            telling.event(pair, signedIn, draws.below(PLATFORMS.length), happenedAt, draws);
        }
    }

    private void dense(int day, Telling telling) throws IOException {
        int sessions = sessions();
        for (int i = 0; i < sessions; i++) {
            Draws draws = new Draws(Draws.mix(seed ^ 22), (long) day * sessions + i);
            int events = (int) draws.between(FEWEST, MOST);
            long[] at = new long[events];
            for (int event = 1; event < events; event++) {
                at[event] = at[event - 1] + draws.between(10 * SECOND, LONGEST_PAUSE);
            }
            long longest = at[events - 1];
            double place = (i + draws.fraction()) / sessions;
            boolean acrossMidnight = day + 1 < days && draws.fraction() < ACROSS_MIDNIGHT;
            // A session that reaches over midnight has its midst there.
            long begins = acrossMidnight
                    ? start(day + 1) - (at[(events - 1) / 2] + at[(events + 1) / 2]) / 2
                    : start(day) + (long) (place * (DAY - longest));
            telling.upTo(start(day) + (long) ((double) i / sessions * (DAY - MOST * LONGEST_PAUSE)));
            Pair pair = pair(draws);
            double habit = draws.fraction();
            int signsInAt = habit < SIGNS_IN ? (int) draws.between(1, events - 1) : habit < SIGNED_IN ? 0 : events;
            int platform = draws.below(PLATFORMS.length);
            for (int event = 0; event < events; event++) {
                telling.event(pair, event >= signsInAt, platform, begins + at[event], draws);
            }
            telling.sessions++;
            telling.acrossMidnight += acrossMidnight ? 1 : 0;
        }
    }

    private Pair pair(Draws draws) {
        int at = draws.below(anonymous + single + 3 * shared + 3 * several);
        if (at < anonymous) {
            return new Pair(at, -1);
        }
        if (at < anonymous + single) {
            return new Pair(at, at - anonymous);
        }
        at -= anonymous + single;
        if (at < 3 * shared) {
            int device = at / 3;
            // The third user of every second shared device is the first of the next.
            int user = 5 * (device / 2) + 2 * (device % 2) + at % 3;
            return new Pair(anonymous + single + device, single + user);
        }
        at -= 3 * shared;
        return new Pair(anonymous + single + shared + at, single + users(shared) + at / 3);
    }

    /** How many users the shared devices have: two of them have five. */
    private static int users(int shared) {
        return 5 * (shared / 2) + 3 * (shared % 2);
    }

    /** Passes records on in the order of arrival, as soon as none can come before them. */
    private final class Telling {
        private final RecordWriter writer;
        private final PriorityQueue<Arrival> waiting =
                new PriorityQueue<>(Comparator.comparingLong(Arrival::arrivesAt).thenComparingLong(Arrival::number));
        private long events;
        private long signedIn;
        private long sessions;
        private long acrossMidnight;
        private long lateOnes;
        private long copies;

        private Telling(RecordWriter writer) {
            this.writer = writer;
        }

        private void event(Pair pair, boolean isSignedIn, int platform, long happenedAt, Draws draws) {
            long delay = late ? delay(draws) : 0;
            long arrivesAt = happenedAt + delay + draws.between(0, 2 * SECOND);
            boolean isKnown = isSignedIn && pair.user() >= 0;
            Arrival arrival = new Arrival(arrivesAt, events, 0, pair, isKnown, platform, happenedAt);
            waiting.add(arrival);
            events++;
            signedIn += isKnown ? 1 : 0;
            lateOnes += delay > 0 ? 1 : 0;
            if (again && draws.fraction() < AGAIN) {
                long later = arrivesAt + draws.logarithmic(MINUTE, 6 * HOUR);
                waiting.add(new Arrival(later, arrival.number(), 1, pair, isKnown, platform, happenedAt));
                copies++;
            }
        }

        private long delay(Draws draws) {
            double chance = draws.fraction();
            if (chance < 0.8) {
                return 0;
            }
            return chance < 0.9 ? HOUR : chance < 0.95 ? DAY : 3 * DAY;
        }

        private void upTo(long time) throws IOException {
            for (Arrival next = waiting.peek(); next != null && next.arrivesAt() < time; next = waiting.peek()) {
                waiting.remove();
                writer.begin(next.pair().device(), next.arrivesAt());
                writer.text("e" + next.number());
                writer.text("d" + next.pair().device());
                writer.textOrNull(user(next));
                writer.text(PLATFORMS[next.platform()]);
                writer.timestamp(next.happenedAt());
                writer.timestamp(next.arrivesAt());
                writer.end();
            }
        }

        private @Nullable String user(Arrival arrival) {
            return arrival.signedIn() ? "u" + arrival.pair().user() : null;
        }
    }
}
