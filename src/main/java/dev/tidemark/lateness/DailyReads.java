package dev.tidemark.lateness;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads by a clock on the wall: every day from a time of day on, as often as said, for ever; and at further times. A day goes
 * to the first read of the next, so one of 23 or 25 hours has one read less or more where they are less than a day apart.
 *
 * @param every at most a day, or whole days: then on the days whose number since 1970-01-01 it divides
 * @param first the first read of a day
 * @param further times of further reads
 * @param on the day of the further reads; null: every day
 */
public record DailyReads(
        ZoneId zone,
        Duration every,
        LocalTime first,
        List<LocalTime> further,
        @Nullable LocalDate on) implements ReadTimes {
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration LEAST = Duration.ofMinutes(1);

    /**
     * @throws IllegalArgumentException if the reads are less than a minute, or not whole days, apart
     */
    public DailyReads {
        boolean wholeDays = every.compareTo(DAY) >= 0 && every.toMillis() % DAY.toMillis() == 0;
        if (every.compareTo(LEAST) < 0 || (every.compareTo(DAY) > 0 && !wholeDays)) {
            throw new IllegalArgumentException(every + " is not from one minute to a day, or whole days");
        }
    }

    @Override
    public long atOrAfter(long micros) {
        LocalDate date = Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L))
                .atZone(zone)
                .toLocalDate();
        long days = Math.max(1, every.toDays());
        for (long day = -1; day <= days; day++) {
            Long read = reads(date.plusDays(day)).ceiling(micros);
            if (read != null) {
                return read;
            }
        }
        throw new IllegalStateException("no read follows on " + date);
    }

    /** The reads that belong to a day, up to the first of the next. */
    private NavigableSet<Long> reads(LocalDate date) {
        NavigableSet<Long> reads = new TreeSet<>();
        long days = every.toDays();
        if (days <= 1 || Math.floorMod(date.toEpochDay(), days) == 0) {
            ZonedDateTime read = date.atTime(first).atZone(zone);
            ZonedDateTime end = date.plusDays(1).atTime(first).atZone(zone);
            do {
                reads.add(micros(read));
                read = read.plus(every);
            } while (days < 1 && read.isBefore(end));
        }
        if (on == null || on.equals(date)) {
            further.forEach(time -> reads.add(micros(date.atTime(time).atZone(zone))));
        }
        return reads;
    }

    private static long micros(ZonedDateTime time) {
        return time.toEpochSecond() * 1_000_000L + time.getNano() / 1_000;
    }
}
