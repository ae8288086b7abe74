package dev.tidemark.cli;

import dev.tidemark.gate.FrontierResets;
import dev.tidemark.job.JobPlan;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** {@code --reset-frontier LOG=INSTANT}. */
final class FrontierResetOption {
    static final String NAME = "--reset-frontier";

    @Option(
            names = NAME,
            paramLabel = "LOG=INSTANT",
            description = {
                "Set the frontier of a log back, once, in the state that is restored: against a clock that had moved it too far.",
                "A log is a topic's partition (orders-0), a first-level folder, or 'files'. What is closed stays closed. Repeatable."
            })
    private List<String> resets = new ArrayList<>();

    /**
     * What they say.
     *
     * @throws CommandException if one cannot be read, or names a log twice
     */
    FrontierResets read(JobPlan plan) {
        Map<String, Long> instants = new TreeMap<>();
        for (String reset : resets) {
            // An instant has no equals sign, and a folder may.
            int equals = reset.lastIndexOf('=');
            if (equals < 1) {
                throw CommandException.wrongUse(
                        "%s: '%s' is no LOG=INSTANT; write for instance %s=2026-08-01T12:00:00Z",
                        NAME, reset, plan.source().kafka() == null ? FrontierResets.THE_FILES : "orders-0");
            }
            String name = reset.substring(0, equals);
            String log = name.equals(FrontierResets.THE_FILES) && plan.source().isOneLog() ? "" : name;
            if (instants.put(log, instant(reset.substring(equals + 1))) != null) {
                throw CommandException.wrongUse("%s: the log %s is named twice", NAME, name);
            }
        }
        return FrontierResets.of(instants);
    }

    private static long instant(String text) {
        try {
            return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(text));
        } catch (DateTimeException | ArithmeticException wrong) {
            throw CommandException.wrongUse(
                    "%s: '%s' is no instant; write for instance 2026-08-01T12:00:00Z", NAME, text);
        }
    }
}
