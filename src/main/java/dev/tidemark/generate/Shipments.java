package dev.tidemark.generate;

import java.io.IOException;
import java.time.LocalDate;
import java.time.LocalTime;

/**
 * What a nightly load of Kestrel's shipments fetches from the carriers' interface: at four in the morning every shipment of the
 * day that is over and of the three before, as it stands by then. So a shipment is fetched in the night after its day and in
 * three more: four copies, but for those of the last three days. 6,576 are shipped a day, between eight and twenty o'clock;
 * each is delivered six to sixty hours later, and its row changes by that.
 */
public final class Shipments {
    /** The nights that are told unless others are asked for; the last is that before {@link Kestrel#GREAT_DAY}. */
    public static final int NIGHTS = 19;
    /** How many days before the one that is over are fetched again. */
    public static final int LOOKBACK = 3;
    /** When the load runs, on the day after. */
    public static final LocalTime LOADED = LocalTime.of(4, 0);

    private static final double A_DAY = (double) Kestrel.ORDERS / Kestrel.DAYS;
    private static final long SECOND = 1_000_000L;
    private static final long HOUR = 3_600 * SECOND;
    private static final String[] CARRIERS = {"air", "courier", "freight", "post", "rail"};

    private final long seed;
    private final int nights;
    private final int daily;

    /**
     * The story.
     *
     * @param scale how many times as many shipments a day
     */
    public Shipments(double scale, int nights, long seed) {
        this.seed = seed;
        this.nights = nights;
        this.daily = Math.max(1, Math.toIntExact(StrictMath.round(A_DAY * scale)));
    }

    /** Writes what each night fetches, night after night, and tells what it wrote. */
    public ShipmentsFigures write(RecordWriter out, Progress progress) throws IOException {
        LocalDate firstDay = Kestrel.GREAT_DAY.minusDays(nights);
        long rows = 0;
        for (int night = 0; night < nights; night++) {
            LocalDate date = firstDay.plusDays(night);
            long loadedAt = Kestrel.at(date.plusDays(1), LOADED);
            for (int day = Math.max(0, night - LOOKBACK); day <= night; day++) {
                for (int n = 0; n < daily; n++) {
                    row((long) day * daily + n, firstDay.plusDays(day), loadedAt, out);
                    rows++;
                }
            }
            progress.reached(date, rows);
        }
        return new ShipmentsFigures(
                nights,
                firstDay,
                (long) nights * daily,
                (long) Math.max(0, nights - LOOKBACK) * daily,
                rows,
                1 + LOOKBACK);
    }

    private void row(long number, LocalDate day, long loadedAt, RecordWriter out) throws IOException {
        Draws draws = new Draws(Draws.mix(seed ^ 31), number);
        long shippedAt = Kestrel.at(day, LocalTime.of(8, 0)) + draws.between(0, 12 * HOUR - 1);
        long deliveredAt = shippedAt + draws.between(6 * HOUR, 60 * HOUR);
        boolean delivered = deliveredAt <= loadedAt;
        out.begin(number + 1, loadedAt);
        out.number(number + 1);
        out.number(1L + draws.below(2_000_000));
        out.text(CARRIERS[draws.below(CARRIERS.length)]);
        out.text(delivered ? "delivered" : "in transit");
        out.timestamp(shippedAt);
        out.timestamp(delivered ? deliveredAt : shippedAt);
        out.timestamp(loadedAt);
        out.end();
    }
}
