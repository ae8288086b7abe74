package dev.tidemark.cli;

import dev.tidemark.job.Caution;
import dev.tidemark.job.Cautions;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.ResolvedJob;
import dev.tidemark.job.SourceSchema;
import dev.tidemark.job.avro.AvroSchemas;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code validate}: checks a job file, prints it resolved, and compares it with what a warehouse knows. */
@Command(
        name = "validate",
        description = {
            "Check a job file and print it resolved: every default, every SQL type. What is allowed but mostly a mistake",
            "is told as a warning; the exit status is 0 all the same.",
            "With --warehouse: say as well what has changed since the last run, whether the state can follow, and whether the"
                    + " target fits. Changes nothing."
        })
final class ValidateCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Option(
            names = "--warehouse",
            arity = "0..1",
            fallbackValue = "",
            paramLabel = "URL",
            description = "Compare with the job's last run there; without URL: with that of " + WarehouseOption.VARIABLE
                    + ". Exit with 1 if the job cannot go on.")
    private @Nullable String warehouse;

    ValidateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        ResolvedJob resolved = job.read(console);
        console.out().print(resolved.text());
        console.out().flush();
        SourceSchema schema = AvroSchemas.parse(resolved.plan().source().schema());
        for (Caution caution : Cautions.of(resolved.plan(), schema)) {
            console.err().println("warning: " + Table.plain(caution.toString()));
        }
        if (warehouse == null) {
            return ExitStatus.DONE;
        }
        JobPlan plan = resolved.plan();
        try (WarehouseOption.Opened opened = WarehouseOption.openNamed(warehouse, console)) {
            Wiring wiring = new Wiring(opened.settings());
            wiring.requireReachable();
            Comparison comparison = Comparison.of(plan, wiring);
            console.out().println();
            console.out().print(comparison.text(opened.shown()));
            console.out().flush();
            return comparison.canGoOn() ? ExitStatus.DONE : ExitStatus.DIFFERENCE;
        }
    }
}
