package dev.tidemark.job;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations as job files write them: {@code 250ms}, {@code 2s}, {@code 5m}, {@code 12h}, {@code 3d} or ISO-8601. */
public final class Durations {
    /** The forms, for messages. */
    public static final String FORMS = "a duration such as 250ms, 2s, 5m, 12h, 3d or PT1H30M";

    private static final Pattern SHORT = Pattern.compile("(\\d{1,12})\\s*(ms|s|m|h|d)");
    private static final Map<String, Duration> UNITS = Map.of(
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));

    private Durations() {}

    /** The duration, or null if the text is none. */
    public static @Nullable Duration parse(String text) {
        Matcher matcher = SHORT.matcher(text);
        if (matcher.matches()) {
            Duration unit = UNITS.getOrDefault(matcher.group(2), Duration.ZERO);
            return unit.multipliedBy(Long.parseLong(matcher.group(1)));
        }
        try {
            return text.startsWith("P") ? Duration.parse(text) : null;
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
