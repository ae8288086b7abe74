package dev.tidemark.calendar;

import dev.tidemark.change.Values;
import dev.tidemark.job.Grain;
import java.io.Serializable;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import org.jspecify.annotations.Nullable;

/**
 * Partition arithmetic: which calendar unit an instant lies in, and how units follow each other, in one zone.
 *
 * <p>A partition is a {@code long}: for days the days since 1970-01-01; for weeks and months those of the Monday and of
 * the first; for hours the partition's first second since the epoch. Days, weeks and months are counted on local dates,
 * so that a day of 23 or 25 hours, a midnight that does not exist and a date that never occurred are ordinary. An hour
 * is a local clock hour at one offset: the repeated hour is two partitions, a transition inside an hour begins a new one.
 *
 * <p>Instants are microseconds since the epoch. Neither the JVM's zone nor a database session's matters.
 */
public final class Calendar implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final long HOUR = 3600;
    private static final long DAY = 86_400;

    private final Grain grain;
    private final ZoneId zone;
    private transient @Nullable ZoneRules cachedRules;
    private transient @Nullable Stretch lastStretch;

    public Calendar(Grain grain, ZoneId zone) {
        this.grain = grain;
        this.zone = zone;
    }

    public Grain grain() {
        return grain;
    }

    public ZoneId zone() {
        return zone;
    }

    /** P(t): the partition that contains an instant. */
    public long partitionOf(long micros) {
        long second = Math.floorDiv(micros, 1_000_000L);
        if (grain == Grain.HOUR) {
            return hourOf(second);
        }
        long day = localDay(second);
        return switch (grain) {
            case WEEK -> day - Math.floorMod(day + 3, 7L);
            case MONTH -> LocalDate.ofEpochDay(day).withDayOfMonth(1).toEpochDay();
            default -> day;
        };
    }

    /** The partition that begins with, or contains the beginning of, a local date. */
    public long partitionFrom(LocalDate date) {
        if (grain != Grain.HOUR) {
            return partitionOf(startOfDay(date));
        }
        return hourOf(Math.floorDiv(startOfDay(date), 1_000_000L));
    }

    /** The local date of an instant, in days since 1970-01-01. */
    public long dayOf(long micros) {
        return localDay(Math.floorDiv(micros, 1_000_000L));
    }

    /** The partition {@code count} units after (or, negative, before) another. */
    public long plus(long partition, long count) {
        return switch (grain) {
            case DAY -> partition + count;
            case WEEK -> partition + 7 * count;
            case MONTH -> LocalDate.ofEpochDay(partition).plusMonths(count).toEpochDay();
            case HOUR -> plusHours(partition, count);
        };
    }

    /** How many units {@code to} lies after {@code from}; negative if before. */
    public long distance(long from, long to) {
        return switch (grain) {
            case DAY -> to - from;
            case WEEK -> Math.floorDiv(to - from, 7L);
            case MONTH -> ChronoUnit.MONTHS.between(LocalDate.ofEpochDay(from), LocalDate.ofEpochDay(to));
            case HOUR -> from <= to ? hoursBetween(from, to) : -hoursBetween(to, from);
        };
    }

    /** The first instant after a partition, as microseconds since the epoch. */
    public long endOf(long partition) {
        return switch (grain) {
            case HOUR -> Math.multiplyExact(nextHour(partition), 1_000_000L);
            default -> startOf(plus(partition, 1));
        };
    }

    /** The first instant of a partition, as microseconds since the epoch. */
    public long startOf(long partition) {
        if (grain == Grain.HOUR) {
            return Math.multiplyExact(partition, 1_000_000L);
        }
        return startOfDay(LocalDate.ofEpochDay(partition));
    }

    private long startOfDay(LocalDate date) {
        LocalDateTime midnight = date.atStartOfDay();
        ZoneOffsetTransition transition = rules().getTransition(midnight);
        Instant start = transition != null && transition.isGap()
                ? transition.getInstant()
                : midnight.atZone(zone).withEarlierOffsetAtOverlap().toInstant();
        return Values.micros(start);
    }

    /** Whether all of the partition's dates lie in the years 1 to 9999. */
    public boolean isInRange(long partition) {
        int year = grain == Grain.HOUR
                ? Instant.ofEpochSecond(partition).atZone(zone).getYear()
                : LocalDate.ofEpochDay(partition).getYear();
        return year >= 1 && year <= 9999;
    }

    /** The partition as text that orders as partitions do: a date, or for hours the first instant in UTC. */
    public String iso(long partition) {
        return grain == Grain.HOUR
                ? Instant.ofEpochSecond(partition).toString()
                : LocalDate.ofEpochDay(partition).toString();
    }

    /** The inverse of {@link #iso}. */
    public long parse(String iso) {
        return grain == Grain.HOUR
                ? Instant.parse(iso).getEpochSecond()
                : LocalDate.parse(iso).toEpochDay();
    }

    private long localDay(long second) {
        return Math.floorDiv(second + offsetAt(second), DAY);
    }

    private long hourOf(long second) {
        long offset = offsetAt(second);
        long start = Math.floorDiv(second + offset, HOUR) * HOUR - offset;
        ZoneOffsetTransition before = rules().previousTransition(Instant.ofEpochSecond(second + 1));
        return before == null ? start : Math.max(start, before.toEpochSecond());
    }

    private long nextHour(long partition) {
        long offset = offsetAt(partition);
        long next = (Math.floorDiv(partition + offset, HOUR) + 1) * HOUR - offset;
        ZoneOffsetTransition after = rules().nextTransition(Instant.ofEpochSecond(partition));
        return after == null ? next : Math.min(next, after.toEpochSecond());
    }

    private long plusHours(long partition, long count) {
        long at = partition;
        for (long i = 0; i < count; i++) {
            at = nextHour(at);
        }
        for (long i = 0; i > count; i--) {
            at = hourOf(at - 1);
        }
        return at;
    }

    /** The partitions that begin after {@code from} up to and including {@code to}, stretch by stretch of one offset. */
    private long hoursBetween(long from, long to) {
        long count = 0;
        long at = from;
        while (at < to) {
            ZoneOffsetTransition after = rules().nextTransition(Instant.ofEpochSecond(at));
            long end = after == null ? to : Math.min(to, after.toEpochSecond());
            long offset = offsetAt(at);
            count += Math.floorDiv(end - 1 + offset, HOUR) - Math.floorDiv(at + offset, HOUR) + 1;
            at = end;
        }
        return count;
    }

    /** Instants of one job lie close together, mostly between the same two transitions: the last stretch is kept. */
    private int offsetAt(long second) {
        Stretch stretch = lastStretch;
        if (stretch == null || second < stretch.from || second >= stretch.until) {
            stretch = stretchAt(second);
            lastStretch = stretch;
        }
        return stretch.offset;
    }

    private Stretch stretchAt(long second) {
        Instant instant = Instant.ofEpochSecond(second);
        ZoneOffsetTransition before = rules().previousTransition(Instant.ofEpochSecond(second + 1));
        ZoneOffsetTransition after = rules().nextTransition(instant);
        return new Stretch(
                before == null ? Long.MIN_VALUE : before.toEpochSecond(),
                after == null ? Long.MAX_VALUE : after.toEpochSecond(),
                rules().getOffset(instant).getTotalSeconds());
    }

    /** A stretch of time, in seconds since the epoch, with one offset. */
    private record Stretch(long from, long until, int offset) {}

    private ZoneRules rules() {
        ZoneRules rules = cachedRules;
        if (rules == null) {
            rules = zone.getRules();
            cachedRules = rules;
        }
        return rules;
    }
}
