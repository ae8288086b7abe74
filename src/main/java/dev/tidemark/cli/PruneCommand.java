package dev.tidemark.cli;

import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.jdbc.Pruning;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prune}: thins out old bookkeeping. */
@Command(
        name = "prune",
        description = {
            "Remove old bookkeeping: resolved ledger rows, rejected changes, lateness days, finished rebuilds and operations,",
            "and publications that nothing names. What is open, what a restore or a widening needs, and the target stay."
        })
final class PruneCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(
            names = "--before",
            required = true,
            paramLabel = "T",
            description = "What is older goes: a date, which begins in the job's zone, or an instant.")
    private String before = "";

    @Option(names = "--dry-run", description = "Only say how many rows would go.")
    private boolean dryRun;

    PruneCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        JobPlan plan = job.read(console).plan();
        Instant end = end(plan.partition().zone());
        if (end.isAfter(console.clock().instant())) {
            throw CommandException.wrongUse("--before %s lies in the future", before);
        }
        try (WarehouseOption.Opened opened = warehouse.openFor(plan, console)) {
            Pruning pruning = new Wiring(opened.settings()).pruning(plan);
            Map<String, Long> rows = dryRun ? pruning.count(end) : pruning.remove(end);
            Sheet sheet = new Sheet();
            rows.forEach(
                    (table, count) -> sheet.line(table, Words.number(count) + (dryRun ? " would go" : " removed")));
            console.out().print(sheet.text());
            console.out().flush();
        }
        return ExitStatus.DONE;
    }

    private Instant end(ZoneId zone) {
        try {
            return before.indexOf('T') < 0
                    ? LocalDate.parse(before).atStartOfDay(zone).toInstant()
                    : Instant.parse(before);
        } catch (DateTimeException wrong) {
            throw CommandException.wrongUse(
                    "--before: '%s' is neither a date like 2026-01-31 nor an instant like 2026-01-31T12:00:00Z",
                    before);
        }
    }
}
