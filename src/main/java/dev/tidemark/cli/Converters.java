package dev.tidemark.cli;

import dev.tidemark.change.Rejection;
import dev.tidemark.job.Durations;
import dev.tidemark.ledger.LateReason;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.TypeConversionException;

/** What words on the command line mean. */
final class Converters {
    private Converters() {}

    static Duration duration(String text) {
        Duration duration = Durations.parse(text);
        if (duration == null) {
            throw new TypeConversionException("'" + text + "' is not " + Durations.FORMS);
        }
        return duration;
    }

    static LateReason lateReason(String text) {
        return word(text, LateReason.values(), LateReason::word);
    }

    static Rejection rejection(String text) {
        return word(text, Rejection.values(), Rejection::word);
    }

    /** A constant by its name in small letters, its words joined by hyphens. */
    static <E extends Enum<E>> E constant(String text, Class<E> type) {
        return word(
                text,
                type.getEnumConstants(),
                constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    private static <T> T word(String text, T[] all, Function<T, String> word) {
        return Arrays.stream(all)
                .filter(one -> word.apply(one).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is none of "
                        + Arrays.stream(all).map(word).collect(Collectors.joining(", "))));
    }
}
