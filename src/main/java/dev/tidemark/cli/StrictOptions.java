package dev.tidemark.cli;

import dev.tidemark.lateness.DailyReads;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the naive reader reads. */
final class StrictOptions {
    @Option(
            names = "--strict-watermark",
            description = {
                "Instead: replay the job's files as a reader of updated_at >",
                "MAX(updated_at) would have read them, and tell what it would have lost.",
                "Needs no warehouse, and a timestamp as the job's version. It goes through",
                "the files twice."
            })
    private boolean asked;

    @Option(names = "--every", paramLabel = "DURATION", description = "How often that reader reads; default: 24h.")
    private @Nullable Duration every;

    @Option(
            names = "--first",
            paramLabel = "TIME",
            description = "The time of its first read of a day, in the job's zone; default: 00:00.")
    private @Nullable LocalTime first;

    @Option(names = "--at", paramLabel = "TIME", split = ",", description = "Further reads, for instance 05:05,13:20.")
    private List<LocalTime> at = List.of();

    @Option(names = "--on", paramLabel = "DAY", description = "The day of the further reads; default: every day.")
    private @Nullable LocalDate on;

    @Option(
            names = "--strict-lookback",
            paramLabel = "DURATION",
            split = ",",
            description = {
                "That reader reads updated_at >= MAX(updated_at) - DURATION instead; several,",
                "for instance 0s,41m,19h,3d, are compared; default: 0s, which is > MAX."
            })
    private List<Duration> lookbacks = List.of();

    @Option(
            names = "--per",
            paramLabel = "FIELD",
            split = ",",
            description =
                    "What is counted: fields of changes.id, for instance the order of a line; default: all of them.")
    private List<String> per = List.of();

    @Option(
            names = "--value",
            paramLabel = "EXPRESSION",
            description = "What a record is worth: a field or an expression, for instance 'quantity * unit_price'.")
    private @Nullable String value;

    @Option(names = "--currency", paramLabel = "NAME", description = "Of --value, for instance USD.")
    private @Nullable String currency;

    /** Whether the replay was asked for. */
    boolean isAsked() {
        return asked;
    }

    /** Whether one of its options was given. */
    boolean isNamed() {
        return every != null
                || first != null
                || !at.isEmpty()
                || on != null
                || !lookbacks.isEmpty()
                || !per.isEmpty()
                || value != null
                || currency != null;
    }

    /** How far the readers look back; one of zero unless others were named. */
    List<Duration> lookbacks() {
        return lookbacks.isEmpty() ? List.of(Duration.ZERO) : lookbacks;
    }

    List<String> per() {
        return per;
    }

    @Nullable
    String value() {
        return value;
    }

    /** The currency behind a number; nothing if it was not named. */
    String currency() {
        return currency == null ? "" : " " + currency;
    }

    @Nullable
    String currencyName() {
        return currency;
    }

    DailyReads reads(ZoneId zone) {
        if (on != null && at.isEmpty()) {
            throw CommandException.wrongUse("--on %s says on which day, but not when: --at names the times", on);
        }
        if (currency != null && value == null) {
            throw CommandException.wrongUse("--currency %s needs a --value", currency);
        }
        Duration apart = every == null ? Duration.ofDays(1) : every;
        try {
            return new DailyReads(zone, apart, first == null ? LocalTime.MIDNIGHT : first, at, on);
        } catch (IllegalArgumentException wrong) {
            throw CommandException.wrongUse("--every: %s", String.valueOf(wrong.getMessage()));
        }
    }

    /** The condition of a reader in words. */
    static String condition(Duration lookback) {
        return lookback.isZero() ? "updated > MAX(updated)" : "updated >= MAX(updated) - " + Words.span(lookback);
    }

    /** The reads in words. */
    String shown(DailyReads reads) {
        String further = reads.further().isEmpty()
                ? ""
                : ", and at "
                        + reads.further().stream().map(LocalTime::toString).collect(Collectors.joining(", "))
                        + (reads.on() == null ? "" : " on " + reads.on());
        return String.format(
                Locale.ROOT,
                "every %s from %s on%s (%s)",
                Words.span(reads.every()),
                reads.first(),
                further,
                reads.zone());
    }
}
