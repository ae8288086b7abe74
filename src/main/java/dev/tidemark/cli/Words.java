package dev.tidemark.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers and spans of time as people read them. */
final class Words {
    private Words() {}

    /** With commas between thousands. */
    static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** A number and what it counts, which takes an s unless it is one. */
    static String count(long value, String noun) {
        return number(value) + " " + noun + (value == 1 ? "" : "s");
    }

    /** A span by its two greatest units, rounded down: 9 d 2 h, 1 h 30 min, 12.5 s, 850 ms. */
    static String span(Duration span) {
        if (span.isNegative()) {
            return "-" + span(span.negated());
        }
        if (span.toDays() > 0) {
            return pair(span.toDays(), "d", span.toHoursPart(), "h");
        }
        if (span.toHours() > 0) {
            return pair(span.toHours(), "h", span.toMinutesPart(), "min");
        }
        if (span.toMinutes() > 0) {
            return pair(span.toMinutes(), "min", span.toSecondsPart(), "s");
        }
        if (span.toSeconds() > 0) {
            return String.format(Locale.ROOT, "%d.%d s", span.toSeconds(), span.toMillisPart() / 100);
        }
        return span.toMillis() + " ms";
    }

    /** A share in percent with as many digits as it takes to tell it from nothing: 12 %, 0.036 %; a dash of nothing. */
    static String percent(long part, long whole) {
        if (whole == 0) {
            return "-";
        }
        double percent = 100.0 * part / whole;
        if (part == 0 || part == whole) {
            return String.format(Locale.ROOT, "%.0f %%", percent);
        }
        return String.format(Locale.ROOT, percent < 0.1 ? "%.4f %%" : percent < 10 ? "%.2f %%" : "%.1f %%", percent);
    }

    /** A span in milliseconds; null stays null. */
    static @Nullable String spanOfMillis(@Nullable Long millis) {
        return millis == null ? null : span(Duration.ofMillis(millis));
    }

    /** How long ago something was. */
    static String ago(Instant instant, Instant now) {
        Duration age = Duration.between(instant, now);
        return age.isNegative() ? "just now" : span(age) + " ago";
    }

    /** An instant to the second: finer is of no use to people. */
    static Instant second(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS);
    }

    private static String pair(long great, String greatUnit, long small, String smallUnit) {
        return great + " " + greatUnit + (small == 0 ? "" : " " + small + " " + smallUnit);
    }
}
