package dev.tidemark.generate;

import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The inventory history of TTC: every hour a snapshot of what is on hand of each product, and in a second table of what is
 * on hand at each location. 6,000 sqrt(s) products and 990 sqrt(s) days at scale s, so 142.6 million rows of products at
 * scale 1. Days begin on 2023-11-04 in New York: from two days on there is one of 25 hours, from 128 on one of 23 as well.
 *
 * <p><b>A snapshot</b> takes a minute and begins up to a minute before its hour, so that the one of midnight lies on both
 * days. Its rows bear the second in which each was taken, and are seen together two seconds after the last could have been.
 *
 * <p><b>What goes wrong.</b> Half a percent of the snapshots are seen late, as a whole, an hour to two days (of both
 * tables). One row in a thousand is tried again in the same second, with another quantity: the greater {@code seq} counts.
 * One row in 5,000 is a correction: a later snapshot's new quantity for the second of an earlier row, an hour to sixty days
 * old, evenly in the logarithm. One row in ten million is dated three days ahead.
 */
public final class Ttc {
    public static final ZoneId ZONE = ZoneId.of("America/New_York");
    public static final LocalDate FIRST_DAY = LocalDate.of(2023, 11, 4);

    private static final double PRODUCTS = 6_000;
    private static final double DAYS = 990;
    private static final int PRODUCTS_A_LOCATION = 100;

    private static final long SECOND = 1_000_000L;
    private static final long HOUR_SECONDS = 3_600;
    private static final int TAKES_SECONDS = 60;
    private static final double LATE = 0.005;
    private static final int LATEST_HOURS = 48;
    private static final double RETRIED = 0.001;
    private static final double CORRECTED = 0.0002;
    private static final long OLDEST_HOURS = 60 * 24;
    private static final long OLD_SECONDS = 3 * 24 * HOUR_SECONDS;
    private static final long FUTURE_DATED_ONE_IN = 10_000_000;
    private static final long AHEAD_SECONDS = 3 * 24 * HOUR_SECONDS;

    private final long seed;
    private final int days;
    private final int products;
    private final int locations;
    private final long startSecond;
    private final long hours;
    private final String[] productNames;
    private final String[] locationNames;

    /** A snapshot that is seen late. */
    private record Late(long snapshot, long seenSecond) {}

    /** The story, with the days that belong to the scale. */
    public Ttc(double scale, long seed) {
        this(scale, daysAt(scale), seed);
    }

    public Ttc(double scale, int days, long seed) {
        this.seed = seed;
        this.days = days;
        this.products = Math.max(1, (int) StrictMath.round(PRODUCTS * StrictMath.sqrt(scale)));
        this.locations = -Math.floorDiv(-products, PRODUCTS_A_LOCATION);
        this.startSecond = FIRST_DAY.atStartOfDay(ZONE).toEpochSecond();
        this.hours = (FIRST_DAY.plusDays(days).atStartOfDay(ZONE).toEpochSecond() - startSecond) / HOUR_SECONDS;
        this.productNames = names("T", 100_000, products);
        this.locationNames = names("L", 1_000, locations);
    }

    private static int daysAt(double scale) {
        return Math.max(1, (int) StrictMath.round(DAYS * StrictMath.sqrt(scale)));
    }

    private static String[] names(String prefix, int from, int count) {
        String[] names = new String[count];
        for (int i = 0; i < count; i++) {
            names[i] = prefix + (from + i);
        }
        return names;
    }

    /** Writes every row of both tables in the order of arrival, and tells what it wrote. */
    public TtcFigures write(RecordWriter productRows, RecordWriter locationRows, Progress progress) throws IOException {
        Telling telling = new Telling(productRows, locationRows);
        PriorityQueue<Late> late =
                new PriorityQueue<>(Comparator.comparingLong(Late::seenSecond).thenComparingLong(Late::snapshot));
        for (long snapshot = 1; snapshot <= hours; snapshot++) {
            telling.lateOnes(late, seenSecond(snapshot));
            Draws draws = new Draws(Draws.mix(seed ^ 11), snapshot);
            if (draws.fraction() < LATE) {
                long delay = draws.between(1, LATEST_HOURS) * HOUR_SECONDS - draws.between(600, 1_800);
                late.add(new Late(snapshot, seenSecond(snapshot) + delay));
                telling.lateSnapshots++;
            } else {
                telling.snapshot(snapshot, seenSecond(snapshot));
            }
            telling.corrections(snapshot, draws);
            if (snapshot % 24 == 0) {
                LocalDate day = LocalDate.ofInstant(Instant.ofEpochSecond(hourSecond(snapshot - 1)), ZONE);
                progress.reached(day, telling.productRows + telling.locationRows);
            }
        }
        telling.lateOnes(late, Long.MAX_VALUE);
        return telling.figures();
    }

    private long hourSecond(long snapshot) {
        return startSecond + snapshot * HOUR_SECONDS;
    }

    /** When all rows of a snapshot that is not late can be seen: behind the last second in which one may be taken. */
    private long seenSecond(long snapshot) {
        return hourSecond(snapshot) + TAKES_SECONDS + 2;
    }

    private long begins(long snapshot) {
        return hourSecond(snapshot) - new Draws(Draws.mix(seed ^ 12), snapshot).below(TAKES_SECONDS);
    }

    private long taken(long begins, int product) {
        return begins + (long) product * TAKES_SECONDS / products;
    }

    /** What is on hand: it falls hour by hour, and is filled up again when it has run out. */
    private int onHand(int product, long snapshot) {
        long nature = Draws.mix(Draws.mix(seed ^ 13) + product);
        int full = 20 + (int) (nature & 0x1FF);
        int sold = 1 + (int) (nature >>> 9 & 7);
        long place = (nature >>> 12 & 0xFFFF) + snapshot * sold / 6;
        return full - (int) (place % full);
    }

    /** Whether a second is at most a minute away from a midnight in New York. Its clocks are never put there at midnight. */
    private static boolean isAroundMidnight(long second) {
        long hour = Math.floorDiv(second + 60, HOUR_SECONDS) * HOUR_SECONDS;
        return second - hour <= 60
                && LocalTime.ofInstant(Instant.ofEpochSecond(hour), ZONE).equals(LocalTime.MIDNIGHT);
    }

    /** What has been told so far. */
    private final class Telling {
        private final RecordWriter products;
        private final RecordWriter locations;
        private final long[] atLocation = new long[Ttc.this.locations];
        private long lateSnapshots;
        private long productRows;
        private long retries;
        private long corrections;
        private long oldCorrections;
        private long futureDated;
        private long aroundMidnight;
        private long locationRows;

        Telling(RecordWriter products, RecordWriter locations) {
            this.products = products;
            this.locations = locations;
        }

        void lateOnes(PriorityQueue<Late> late, long before) throws IOException {
            for (Late due = late.peek(); due != null && due.seenSecond() < before; due = late.peek()) {
                late.remove();
                snapshot(due.snapshot(), due.seenSecond());
            }
        }

        void snapshot(long snapshot, long seenSecond) throws IOException {
            Draws draws = new Draws(Draws.mix(seed ^ 14), snapshot);
            long begins = begins(snapshot);
            Arrays.fill(atLocation, 0);
            for (int product = 0; product < Ttc.this.products; product++) {
                int onHand = onHand(product, snapshot);
                long second = taken(begins, product);
                row(product, snapshot, 1, onHand, second, seenSecond);
                if (draws.fraction() < RETRIED) {
                    onHand = Math.max(0, onHand - 1 - draws.below(5));
                    row(product, snapshot, 2, onHand, second, seenSecond);
                    retries++;
                }
                if (productRows % FUTURE_DATED_ONE_IN == FUTURE_DATED_ONE_IN / 2) {
                    row(product, snapshot, 3, onHand, second + AHEAD_SECONDS, seenSecond);
                    futureDated++;
                }
                atLocation[product / PRODUCTS_A_LOCATION] += onHand;
            }
            for (int location = 0; location < atLocation.length; location++) {
                locationRow(location, snapshot, begins, seenSecond);
            }
        }

        void corrections(long snapshot, Draws draws) throws IOException {
            double wanted = Ttc.this.products * CORRECTED;
            int count = (int) wanted + (draws.fraction() < wanted - (int) wanted ? 1 : 0);
            for (int i = 0; i < count; i++) {
                int product = draws.below(Ttc.this.products);
                long age = draws.logarithmic(1, OLDEST_HOURS);
                int onHand = draws.below(500);
                if (age < snapshot) {
                    long second = taken(begins(snapshot - age), product);
                    row(product, snapshot, 1, onHand, second, seenSecond(snapshot) + 10);
                    corrections++;
                    oldCorrections += seenSecond(snapshot) - second > OLD_SECONDS ? 1 : 0;
                }
            }
        }

        private void row(int product, long snapshot, int seq, int onHand, long second, long seenSecond)
                throws IOException {
            products.begin(product, seenSecond * SECOND);
            products.text(productNames[product]);
            products.number(snapshot);
            products.integer(seq);
            products.integer(onHand);
            products.timestamp(second * SECOND);
            products.timestamp(seenSecond * SECOND);
            products.end();
            productRows++;
            aroundMidnight += isAroundMidnight(second) ? 1 : 0;
        }

        private void locationRow(int location, long snapshot, long begins, long seenSecond) throws IOException {
            locations.begin(location, seenSecond * SECOND);
            locations.text(locationNames[location]);
            locations.number(snapshot);
            locations.integer(Math.min(PRODUCTS_A_LOCATION, Ttc.this.products - location * PRODUCTS_A_LOCATION));
            locations.number(atLocation[location]);
            locations.timestamp(begins * SECOND);
            locations.timestamp(seenSecond * SECOND);
            locations.end();
            locationRows++;
        }

        TtcFigures figures() {
            return new TtcFigures(
                    FIRST_DAY,
                    days,
                    Ttc.this.products,
                    Ttc.this.locations,
                    hours,
                    lateSnapshots,
                    productRows,
                    retries,
                    corrections,
                    oldCorrections,
                    futureDated,
                    aroundMidnight,
                    locationRows);
        }
    }
}
