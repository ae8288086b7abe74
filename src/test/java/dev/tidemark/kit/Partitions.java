package dev.tidemark.kit;

import dev.tidemark.job.Grain;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;
import java.util.TreeMap;

/**
 * The oracle's own calendar: partitions as consecutive numbers.
 *
 * <p>Days, weeks and months are counted on the calendar of local dates, so that a date that never occurred has a number.
 * Hours are counted on the time line: between two changes of the zone's offset an hour is a local clock hour; every
 * change of the offset begins a new one.
 */
final class Partitions {
    private static final LocalDate FIRST_MONDAY = LocalDate.of(1970, 1, 5);

    /** A stretch of time with one offset, and the number of its first hour. */
    private record Stretch(long startSecond, ZoneOffset offset, long firstNumber) {
        long clockHour(long second) {
            return Math.floorDiv(second + offset.getTotalSeconds(), 3600L);
        }

        long number(long second) {
            return firstNumber + clockHour(second) - clockHour(startSecond);
        }

        long startOf(long number) {
            long clockHour = clockHour(startSecond) + number - firstNumber;
            return Math.max(startSecond, clockHour * 3600L - offset.getTotalSeconds());
        }
    }

    private final Grain grain;
    private final ZoneId zone;
    private final TreeMap<Long, Stretch> bySecond = new TreeMap<>();
    private final TreeMap<Long, Stretch> byNumber = new TreeMap<>();

    Partitions(Grain grain, ZoneId zone) {
        this.grain = grain;
        this.zone = zone;
        Instant beginning =
                LocalDate.of(-100, 1, 1).atStartOfDay(ZoneOffset.UTC).toInstant();
        add(new Stretch(beginning.getEpochSecond(), zone.getRules().getOffset(beginning), 0));
    }

    long number(Instant instant) {
        return grain == Grain.HOUR
                ? stretchAt(instant.getEpochSecond()).number(instant.getEpochSecond())
                : number(localDate(instant));
    }

    /** The first partition of a date. */
    long numberOfDate(LocalDate date) {
        return grain == Grain.HOUR ? number(date.atStartOfDay(zone).toInstant()) : number(date);
    }

    /** ISO text: a date; for an hour its local start with the offset. */
    String text(long number) {
        return grain == Grain.HOUR
                ? DateTimeFormatter.ISO_INSTANT.format(start(number))
                : firstDate(number).toString();
    }

    Instant start(long number) {
        if (grain != Grain.HOUR) {
            return firstDate(number).atStartOfDay(zone).toInstant();
        }
        while (byNumber.lastEntry().getValue().firstNumber() <= number && extend()) {
            // the stretch of the number may lie beyond those known so far
        }
        return Instant.ofEpochSecond(byNumber.floorEntry(number).getValue().startOf(number));
    }

    LocalDate localDate(Instant instant) {
        return instant.atZone(zone).toLocalDate();
    }

    private long number(LocalDate date) {
        return switch (grain) {
            case DAY -> date.toEpochDay();
            case WEEK -> Math.floorDiv(date.toEpochDay() - FIRST_MONDAY.toEpochDay(), 7L);
            case MONTH -> date.getYear() * 12L + date.getMonthValue() - 1;
            case HOUR -> throw new IllegalStateException("hours are not counted by dates");
        };
    }

    private LocalDate firstDate(long number) {
        return switch (grain) {
            case DAY -> LocalDate.ofEpochDay(number);
            case WEEK -> FIRST_MONDAY.plusWeeks(number).with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTH -> LocalDate.of((int) Math.floorDiv(number, 12L), (int) Math.floorMod(number, 12L) + 1, 1);
            case HOUR -> throw new IllegalStateException("hours are not counted by dates");
        };
    }

    private Stretch stretchAt(long second) {
        while (bySecond.lastKey() <= second && extend()) {
            // the stretch of the second may lie beyond those known so far
        }
        return bySecond.floorEntry(second).getValue();
    }

    private boolean extend() {
        Stretch last = bySecond.lastEntry().getValue();
        ZoneOffsetTransition change = zone.getRules().nextTransition(Instant.ofEpochSecond(last.startSecond()));
        if (change == null) {
            return false;
        }
        long second = change.toEpochSecond();
        add(new Stretch(second, change.getOffsetAfter(), last.number(second - 1) + 1));
        return true;
    }

    private void add(Stretch stretch) {
        bySecond.put(stretch.startSecond(), stretch);
        byNumber.put(stretch.firstNumber(), stretch);
    }
}
