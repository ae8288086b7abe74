package dev.tidemark.expression;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

/**
 * Instants and local times of a zone, in microseconds. Where a local time is there twice the later offset counts, where it
 * is missing the one before, as in PostgreSQL. Not thread-safe: it remembers the last offset.
 */
final class LocalClock {
    static final long MICROS_A_SECOND = 1_000_000;
    static final long MICROS_A_DAY = 86_400 * MICROS_A_SECOND;

    private final ZoneRules rules;
    private long from = Long.MAX_VALUE;
    private long until = Long.MIN_VALUE;
    private long offset;

    LocalClock(ZoneId zone) {
        this.rules = zone.getRules();
    }

    /** The local time of an instant. */
    long local(long micros) {
        return micros + offsetAt(Math.floorDiv(micros, MICROS_A_SECOND)) * MICROS_A_SECOND;
    }

    /** The instant of a local time. */
    long instant(long local) {
        long second = Math.floorDiv(local, MICROS_A_SECOND);
        LocalDateTime time = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
        ZoneOffsetTransition transition = rules.getTransition(time);
        ZoneOffset known = transition == null
                ? rules.getOffset(time)
                : transition.isGap() ? transition.getOffsetBefore() : transition.getOffsetAfter();
        return Math.subtractExact(local, known.getTotalSeconds() * MICROS_A_SECOND);
    }

    private long offsetAt(long second) {
        if (second < from || second >= until) {
            Instant instant = Instant.ofEpochSecond(second);
            ZoneOffsetTransition next = rules.nextTransition(instant);
            // The transition before or at the second itself.
            ZoneOffsetTransition last = rules.previousTransition(instant.plusSeconds(1));
            from = last == null ? Long.MIN_VALUE : last.toEpochSecond();
            until = next == null ? Long.MAX_VALUE : next.toEpochSecond();
            offset = rules.getOffset(instant).getTotalSeconds();
        }
        return offset;
    }
}
