package dev.tidemark.evidence;

import dev.tidemark.job.Grain;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;
import java.util.HashMap;
import java.util.Map;

/**
 * The partition of an event time as the bookkeeping writes it, by {@code java.time} alone: what the stream's own arithmetic
 * is compared with. Not thread-safe.
 */
public final class PartitionText {
    private static final int KEPT = 10_000;

    private final Grain grain;
    private final ZoneId zone;
    private final Map<LocalDate, String> dates = new HashMap<>();

    public PartitionText(Grain grain, ZoneId zone) {
        this.grain = grain;
        this.zone = zone;
    }

    /** An ISO date; of an hour its first instant in UTC. */
    public String of(Instant event) {
        ZonedDateTime local = event.atZone(zone);
        LocalDate date = local.toLocalDate();
        return switch (grain) {
            case HOUR -> hour(event, local).toString();
            case DAY -> text(date);
            case WEEK -> text(date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)));
            case MONTH -> text(date.withDayOfMonth(1));
        };
    }

    /** A local clock hour at one offset: it begins on the hour, or where the clocks were turned. */
    private Instant hour(Instant event, ZonedDateTime local) {
        Instant onTheHour =
                local.toOffsetDateTime().truncatedTo(ChronoUnit.HOURS).toInstant();
        ZoneOffsetTransition turned = zone.getRules().previousTransition(event.plusNanos(1));
        return turned != null && turned.getInstant().isAfter(onTheHour) ? turned.getInstant() : onTheHour;
    }

    private String text(LocalDate date) {
        if (dates.size() > KEPT) {
            dates.clear();
        }
        return dates.computeIfAbsent(date, LocalDate::toString);
    }
}
