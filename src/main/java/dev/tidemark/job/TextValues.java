package dev.tidemark.job;

import dev.tidemark.job.FieldType.Kind;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Values that are written as text, in the forms that a cast of text takes: those of PostgreSQL that are not open to
 * interpretation. Numbers in digits, dates and times in ISO-8601 (a blank may stand for the T), booleans by PostgreSQL's
 * words. Blanks around a value do not matter.
 */
public final class TextValues {
    private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]+");
    private static final Pattern NUMBER = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,4})?");
    private static final Pattern DATE = Pattern.compile("([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})");
    private static final String CLOCK = "([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\\.([0-9]{1,9}))?)?";
    private static final Pattern TIME = Pattern.compile(CLOCK);
    private static final Pattern TIMESTAMP = Pattern.compile(
            "([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})(?:[T ]+" + CLOCK + ")?\\s*(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?");
    private static final Pattern UUID = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final long MICROS_A_SECOND = 1_000_000;
    private static final long MICROS_A_DAY = 86_400 * MICROS_A_SECOND;

    private TextValues() {}

    /** An instant or a local time as text says it. */
    public record Timestamp(long local, @Nullable Integer offsetSeconds) {}

    /** A boolean: true, yes, on, 1, false, no, off, 0, or the beginning of a word; null if it is none. */
    public static @Nullable Boolean truth(String text) {
        String word = text.strip().toLowerCase(Locale.ROOT);
        if (word.isEmpty()) {
            return null;
        }
        if ("true".startsWith(word) || "yes".startsWith(word) || word.equals("on") || word.equals("1")) {
            return true;
        }
        boolean isFalse = "false".startsWith(word) || "no".startsWith(word) || word.equals("0");
        boolean isOff = "off".startsWith(word) && word.length() > 1;
        return (isFalse || isOff) ? false : null;
    }

    /** An integer that fits a long. */
    public static OptionalLong integer(String text) {
        String digits = text.strip();
        if (!INTEGER.matcher(digits).matches()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(digits));
        } catch (NumberFormatException tooLong) {
            return OptionalLong.empty();
        }
    }

    /** A number; null if it is none. */
    public static @Nullable BigDecimal number(String text) {
        String digits = text.strip();
        if (!NUMBER.matcher(digits).matches() || digits.length() > 400) {
            return null;
        }
        BigDecimal number = new BigDecimal(digits);
        return number.scale() < 0 ? number.setScale(0) : number;
    }

    /** Days since 1970-01-01. */
    public static OptionalLong date(String text) {
        Matcher matcher = DATE.matcher(text.strip());
        if (!matcher.matches()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(LocalDate.of(
                            Integer.parseInt(matcher.group(1)),
                            Integer.parseInt(matcher.group(2)),
                            Integer.parseInt(matcher.group(3)))
                    .toEpochDay());
        } catch (DateTimeException noDate) {
            return OptionalLong.empty();
        }
    }

    /** Microseconds of the day. */
    public static OptionalLong time(String text) {
        Matcher matcher = TIME.matcher(text.strip());
        return matcher.matches() ? clock(matcher, 1) : OptionalLong.empty();
    }

    /** A date and time, with or without an offset from UTC; null if it is none. */
    public static @Nullable Timestamp timestamp(String text) {
        Matcher matcher = TIMESTAMP.matcher(text.strip());
        if (!matcher.matches()) {
            return null;
        }
        OptionalLong day = date(matcher.group(1));
        OptionalLong clock = matcher.group(2) == null ? OptionalLong.of(0) : clock(matcher, 2);
        if (day.isEmpty() || clock.isEmpty()) {
            return null;
        }
        String offset = matcher.group(6);
        Integer seconds = offset == null ? null : offsetSeconds(offset);
        return new Timestamp(day.getAsLong() * MICROS_A_DAY + clock.getAsLong(), seconds);
    }

    /** Whether a text is a uuid in its usual form. */
    public static boolean isUuid(String text) {
        return UUID.matcher(text.strip()).matches();
    }

    /** What a cast to a type expects of text, for people. */
    static String form(Kind kind) {
        return switch (kind) {
            case BOOLEAN -> "true or false";
            case INT, LONG -> "an integer in digits";
            case DECIMAL, FLOAT, DOUBLE -> "a number in digits";
            case DATE -> "a date such as '2026-01-31'";
            case TIME -> "a time such as '23:59:59'";
            case TIMESTAMP -> "a timestamp with an offset such as '2026-01-31 12:00:00+00'";
            case LOCAL_TIMESTAMP -> "a timestamp such as '2026-01-31 12:00:00'";
            case UUID -> "a uuid in its usual form";
            case STRING, BYTES -> "text";
        };
    }

    private static OptionalLong clock(Matcher matcher, int group) {
        int hour = Integer.parseInt(matcher.group(group));
        int minute = Integer.parseInt(matcher.group(group + 1));
        String second = matcher.group(group + 2);
        String fraction = matcher.group(group + 3);
        int seconds = second == null ? 0 : Integer.parseInt(second);
        if (hour > 23 || minute > 59 || seconds > 59) {
            return OptionalLong.empty();
        }
        long micros = LocalTime.of(hour, minute, seconds).toNanoOfDay() / 1000;
        if (fraction != null) {
            // PostgreSQL rounds to microseconds, half to even as it computes in floating point.
            micros += new BigDecimal("0." + fraction)
                    .movePointRight(6)
                    .setScale(0, java.math.RoundingMode.HALF_EVEN)
                    .longValueExact();
        }
        return OptionalLong.of(micros);
    }

    private static @Nullable Integer offsetSeconds(String offset) {
        if (offset.equals("Z")) {
            return 0;
        }
        String digits = offset.substring(1).replace(":", "");
        int hours = Integer.parseInt(digits.substring(0, 2));
        int minutes = digits.length() > 2 ? Integer.parseInt(digits.substring(2)) : 0;
        int seconds = (hours * 60 + minutes) * 60;
        return offset.charAt(0) == '-' ? -seconds : seconds;
    }
}
