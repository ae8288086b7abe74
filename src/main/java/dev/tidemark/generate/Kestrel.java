package dev.tidemark.generate;

import dev.tidemark.generate.KestrelFigures.DayTotal;
import dev.tidemark.generate.KestrelFigures.LagShare;
import dev.tidemark.generate.KestrelFigures.Loss;
import dev.tidemark.generate.KestrelFigures.Minute;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The order lines of Kestrel as an upsert stream: 6,576 orders a day (1,598,073 in 243 days, in New York) before 2026-11-27,
 * and 41,300 on that day.
 *
 * <p><b>Orders.</b> 1 + Poisson(1.7) lines each, worth $75.83 on average. A day has up to six percent more or fewer orders
 * than another. Within it they go by {@link Traffic}; the great day has three spikes on top.
 *
 * <p><b>Lag.</b> The time from {@code updated_at} to {@code ingested_at} of an order's first arrival, the same for all its
 * lines. Over all orders the lags are exactly those of {@link LagCurve}. On an ordinary day they are dealt out blindly; on
 * the great day an order asks for a lag drawn blindly times the {@value #GROWTH}th power of how many times more orders its
 * minute has than the mean ordinary one.
 *
 * <p><b>Later changes</b> are few, so that an order that was not seen is hardly ever seen by a later change: 3 % of the orders
 * have a line's quantity or price corrected, 2 % are shipped, 1 % cancelled (every line is withdrawn), each between a
 * minute and 36 hours after it was placed, and are seen up to two seconds later; 0.5 % are delivered once more as they
 * were first, within six hours. What would come before the order's first arrival, or later than the longest lag after it was
 * placed, does not come at all.
 */
public final class Kestrel {
    public static final ZoneId ZONE = ZoneId.of("America/New_York");
    public static final LocalDate GREAT_DAY = LocalDate.of(2026, 11, 27);
    public static final int DAYS = 243;
    static final long ORDERS = 1_598_073;
    static final long GREAT_ORDERS = 41_300;

    /** When the strict reader reads every night: in a quiet hour. */
    public static final LocalTime NIGHTLY = LocalTime.of(3, 30);
    /** When somebody had it read as well on the great day: when each spike had passed. */
    public static final List<LocalTime> BUSY = List.of(LocalTime.of(5, 5), LocalTime.of(13, 20), LocalTime.of(20, 50));

    static final double GROWTH = 0.5;

    private static final double[][] SPIKES = {
        {5 * 60, 1466.0 / GREAT_ORDERS},
        {5 * 60 + 1, 1466.0 / GREAT_ORDERS},
        {13 * 60 + 13, 940.0 / GREAT_ORDERS},
        {13 * 60 + 14, 940.0 / GREAT_ORDERS},
        {20 * 60 + 47, 450.0 / GREAT_ORDERS}
    };

    private static final long SECOND = 1_000_000L;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final double VARIATION = 0.06;
    private static final int READS_BEHIND = 8;

    private final long seed;
    private final int days;
    private final long[] before;
    private final long great;
    private final Lags lags;
    private final Traffic ordinaryTraffic = Traffic.ordinary();
    private final Traffic greatTraffic = Traffic.withSpikes(SPIKES);
    private final Catalogue catalogue = new Catalogue();

    /** Records that arrive together. */
    private record Delivery(long at, long number, Kind kind, List<OrderLine> lines) {}

    private enum Told {
        EVERYTHING,
        LOADED
    }

    private enum Kind {
        FIRST,
        LATER,
        AGAIN
    }

    /**
     * The story.
     *
     * @param days before the great day
     * @param scale how many times as many orders
     */
    public Kestrel(double scale, int days, long seed) {
        this.seed = seed;
        this.days = days;
        this.before = ordersBefore(scale, days, seed);
        this.great = StrictMath.round(GREAT_ORDERS * scale);
        if (ordinary() + great < 1 || great > Integer.MAX_VALUE / 2) {
            throw new IllegalArgumentException("a scale of " + scale + " gives " + great + " orders on " + GREAT_DAY);
        }
        LagCurve curve = new LagCurve(ordinary() + great);
        this.lags = new Lags(Draws.mix(seed ^ 1), curve, asked(curve));
    }

    private static long[] ordersBefore(double scale, int days, long seed) {
        double[] weights = new double[days + 1];
        for (int day = 0; day < days; day++) {
            double weight = 1 + VARIATION * (2 * new Draws(Draws.mix(seed ^ 2), day).fraction() - 1);
            weights[day + 1] = weights[day] + weight;
        }
        double orders = (double) ORDERS / DAYS * days * scale;
        long[] before = new long[days + 1];
        for (int day = 1; day <= days; day++) {
            before[day] = StrictMath.round(orders * weights[day] / weights[days]);
        }
        return before;
    }

    /** For each order of the great day, the rank of the lag that it asks for. */
    private long[] asked(LagCurve curve) {
        double normal = (double) ORDERS / DAYS / Traffic.MINUTES;
        long[] asked = new long[Math.toIntExact(great)];
        for (int number = 0; number < asked.length; number++) {
            int minute = greatTraffic.minute(place(great, number));
            double rate = greatTraffic.share(minute) * GREAT_ORDERS / normal;
            long drawn = (long) (new Draws(Draws.mix(seed ^ 3), number).fraction() * curve.arrivals());
            asked[number] = curve.rank(curve.lag(drawn) * StrictMath.pow(Math.max(1, rate), GROWTH));
        }
        return asked;
    }

    private long ordinary() {
        return before[days];
    }

    /** The share of a day's orders that have come when its n-th comes: one order in each of as many equal parts. */
    private double place(long orders, long number) {
        return (number + new Draws(Draws.mix(seed ^ 4 ^ orders), number).fraction()) / orders;
    }

    /** Writes every change in the order of arrival, and tells what it wrote. */
    public KestrelFigures write(RecordWriter out, Progress progress) throws IOException {
        return write(out, progress, Told.EVERYTHING);
    }

    /** Writes of all changes those that a strict reader loads that reads every night and three more times on the great day. */
    public KestrelFigures writeLoaded(RecordWriter out, Progress progress) throws IOException {
        return write(out, progress, Told.LOADED);
    }

    private KestrelFigures write(RecordWriter out, Progress progress, Told told) throws IOException {
        Tally tally = new Tally(days, ordinary(), great, told);
        PriorityQueue<Delivery> pending =
                new PriorityQueue<>(Comparator.comparingLong(Delivery::at).thenComparingLong(Delivery::number));
        long number = 0;
        for (int day = 0; day <= days; day++) {
            boolean isGreat = day == days;
            LocalDate date = GREAT_DAY.minusDays(days - day);
            long start = startOf(date);
            long minute = (startOf(date.plusDays(1)) - start) / Traffic.MINUTES;
            long orders = isGreat ? great : before[day + 1] - before[day];
            Traffic traffic = isGreat ? greatTraffic : ordinaryTraffic;
            for (long order = 0; order < orders; order++) {
                long at = start + (long) (traffic.moment(place(orders, order)) * minute);
                deliver(pending, at, out, tally);
                long lag = isGreat ? lags.ofGreat((int) order) : lags.ofOrdinary(number);
                tally.placed(lag);
                tally.stands(date, place(number + 1, at, lag, pending));
                number++;
            }
            progress.reached(date, tally.changes);
        }
        deliver(pending, Long.MAX_VALUE, out, tally);
        return tally.figures();
    }

    private static void deliver(PriorityQueue<Delivery> pending, long until, RecordWriter out, Tally tally)
            throws IOException {
        for (Delivery due = pending.peek(); due != null && due.at() <= until; due = pending.peek()) {
            pending.remove();
            for (OrderLine line : due.lines()) {
                if (tally.arrived(line, due.kind())) {
                    line.write(out);
                }
            }
        }
    }

    /** Places an order, and tells what will stand of it in the end. */
    private List<OrderLine> place(long order, long at, long lag, PriorityQueue<Delivery> pending) {
        Draws draws = new Draws(seed, order);
        int count = 1 + draws.poisson(Catalogue.NO_FURTHER_LINE);
        long customer = 1L + draws.below(400_000);
        List<OrderLine> lines = new ArrayList<>(count);
        for (int line = 1; line <= count; line++) {
            int product = catalogue.bought(draws);
            lines.add(new OrderLine(
                    order,
                    line,
                    customer,
                    catalogue.name(product),
                    "paid",
                    Catalogue.quantity(draws),
                    catalogue.cents(product),
                    "c",
                    at,
                    at,
                    at + lag));
        }
        long number = order * 4;
        pending.add(new Delivery(at + lag, number, Kind.FIRST, lines));
        Delivery later = later(lines, draws, at, number + 1);
        List<OrderLine> standing = lines;
        if (later != null && later.at() > at + lag) {
            pending.add(later);
            standing = standing(lines, later.lines());
        }
        if (draws.fraction() < 0.005) {
            long again = at + lag + draws.logarithmic(SECOND, 6 * HOUR);
            if (again - at < longest()) {
                pending.add(new Delivery(
                        again,
                        number + 2,
                        Kind.AGAIN,
                        lines.stream().map(line -> line.again(again)).toList()));
            }
        }
        return standing;
    }

    private static List<OrderLine> standing(List<OrderLine> lines, List<OrderLine> later) {
        Map<Integer, OrderLine> standing = new TreeMap<>();
        lines.forEach(line -> standing.put(line.lineNumber(), line));
        later.forEach(line -> standing.put(line.lineNumber(), line));
        return standing.values().stream().filter(line -> !line.op().equals("d")).toList();
    }

    private static @Nullable Delivery later(List<OrderLine> lines, Draws draws, long at, long number) {
        double fate = draws.fraction();
        if (fate >= 0.06) {
            return null;
        }
        long updated = at + draws.logarithmic(MINUTE, 36 * HOUR);
        long seen = updated + draws.between(SECOND / 5, 2 * SECOND);
        if (fate < 0.03) {
            OrderLine line = lines.get(draws.below(lines.size()));
            boolean price = draws.fraction() < 0.5;
            long cents = price ? Math.max(1, line.cents() * draws.between(70, 95) / 100) : line.cents();
            int quantity = price ? line.quantity() : 1 + line.quantity() % 3;
            return new Delivery(
                    seen,
                    number,
                    Kind.LATER,
                    List.of(line.updated(line.status(), quantity, cents, "u", updated, seen)));
        }
        String status = fate < 0.05 ? "shipped" : "cancelled";
        String op = fate < 0.05 ? "u" : "d";
        return new Delivery(
                seen,
                number,
                Kind.LATER,
                lines.stream()
                        .map(line -> line.updated(status, line.quantity(), line.cents(), op, updated, seen))
                        .toList());
    }

    private static long longest() {
        return LagCurve.LONGEST.toNanos() / 1_000;
    }

    static long startOf(LocalDate date) {
        return date.atStartOfDay(ZONE).toEpochSecond() * SECOND;
    }

    /** The nightly reads from so many days before the great day on, until all has long arrived. */
    static long[] nightly(int days) {
        return LongStream.rangeClosed(-days, READS_BEHIND)
                .map(day -> at(GREAT_DAY.plusDays(day), NIGHTLY))
                .toArray();
    }

    private static long[] reads(int days, boolean busy) {
        List<Long> reads = new ArrayList<>(Arrays.stream(nightly(days)).boxed().toList());
        if (busy) {
            BUSY.forEach(time -> reads.add(at(GREAT_DAY, time)));
        }
        return reads.stream().mapToLong(read -> read).toArray();
    }

    static long at(LocalDate date, LocalTime time) {
        return date.atTime(time).atZone(ZONE).toEpochSecond() * SECOND;
    }

    /** Counts while the story is written. */
    private static final class Tally {
        private static final List<Duration> KNOTS =
                List.of(LagCurve.MEDIAN, LagCurve.P99, LagCurve.P999, LagCurve.P9999, LagCurve.LONGEST);
        private static final List<String> NAMES = List.of("p50", "p99", "p99.9", "p99.99", "maximum");
        private static final long[] TEN_THOUSANDTHS = {5_000, 9_900, 9_990, 9_999, 10_000};

        private final int days;
        private final long ordinary;
        private final long great;
        private final long[] below = new long[KNOTS.size()];
        private final long[] within = new long[KNOTS.size()];
        private final StrictReader nightly;
        private final StrictReader busy;
        private final Told told;
        private final Map<LocalDate, DayTotal> totals = new TreeMap<>();
        private long changes;
        private long loaded;
        private long created;
        private long corrected;
        private long shipped;
        private long withdrawn;
        private long again;
        private long valueCents;

        Tally(int days, long ordinary, long great, Told told) {
            this.days = days;
            this.ordinary = ordinary;
            this.great = great;
            this.nightly = new StrictReader(reads(days, false));
            this.busy = new StrictReader(reads(days, true));
            this.told = told;
        }

        void stands(LocalDate day, List<OrderLine> lines) {
            long cents = lines.stream()
                    .mapToLong(line -> line.cents() * line.quantity())
                    .sum();
            totals.merge(day, new DayTotal(lines.size(), cents), DayTotal::plus);
        }

        void placed(long lag) {
            for (int knot = 0; knot < below.length; knot++) {
                long micros = KNOTS.get(knot).toNanos() / 1_000;
                below[knot] += lag < micros ? 1 : 0;
                within[knot] += lag <= micros ? 1 : 0;
            }
        }

        /** Counts a line that has arrived; whether it is to be written. */
        boolean arrived(OrderLine line, Kind kind) {
            changes++;
            switch (kind) {
                case FIRST -> {
                    created++;
                    valueCents += line.cents() * line.quantity();
                }
                case AGAIN -> again++;
                case LATER -> later(line);
            }
            boolean isFirst = kind == Kind.FIRST;
            read(nightly, line, isFirst);
            boolean isLoaded = read(busy, line, isFirst);
            loaded += isLoaded ? 1 : 0;
            return told == Told.EVERYTHING || isLoaded;
        }

        private static boolean read(StrictReader reader, OrderLine line, boolean isFirst) {
            return isFirst
                    ? reader.first(line.orderId(), line.orderedAt(), line.updatedAt(), line.ingestedAt())
                    : reader.later(line.orderId(), line.updatedAt(), line.ingestedAt());
        }

        private void later(OrderLine line) {
            switch (line.status()) {
                case "cancelled" -> withdrawn++;
                case "shipped" -> shipped++;
                default -> corrected++;
            }
        }

        KestrelFigures figures() {
            long orders = ordinary + great;
            List<LagShare> lags = new ArrayList<>();
            for (int knot = 0; knot < below.length; knot++) {
                long wanted = -Math.floorDiv(-TEN_THOUSANDTHS[knot] * orders, 10_000L);
                lags.add(new LagShare(
                        NAMES.get(knot),
                        KNOTS.get(knot).toNanos() / 1_000,
                        below[knot],
                        within[knot],
                        below[knot] < wanted && wanted <= within[knot]));
            }
            return new KestrelFigures(
                    days,
                    GREAT_DAY,
                    ordinary,
                    great,
                    changes,
                    loaded,
                    created,
                    corrected,
                    shipped,
                    withdrawn,
                    again,
                    valueCents,
                    lags,
                    totals,
                    loss(nightly),
                    loss(busy));
        }

        private static Loss loss(StrictReader reader) {
            Map<LocalDate, Long> byDay = new TreeMap<>();
            Map<String, Long> byMinute = new TreeMap<>();
            for (long orderedAt : reader.lost().values()) {
                ZonedDateTime local = Instant.ofEpochSecond(orderedAt / SECOND).atZone(ZONE);
                byDay.merge(local.toLocalDate(), 1L, Long::sum);
                if (local.toLocalDate().equals(GREAT_DAY)) {
                    byMinute.merge(local.toLocalTime().withSecond(0).withNano(0).toString(), 1L, Long::sum);
                }
            }
            long ofGreat = byDay.getOrDefault(GREAT_DAY, 0L);
            byDay.remove(GREAT_DAY);
            return new Loss(
                    byDay.values().stream().mapToLong(lost -> lost).sum(),
                    byDay.values().stream().mapToLong(lost -> lost).max().orElse(0),
                    ofGreat,
                    byMinute.entrySet().stream()
                            .sorted(Map.Entry.<String, Long>comparingByValue()
                                    .reversed()
                                    .thenComparing(Map.Entry.comparingByKey()))
                            .limit(8)
                            .map(entry -> new Minute(entry.getKey(), entry.getValue()))
                            .toList());
        }
    }
}
