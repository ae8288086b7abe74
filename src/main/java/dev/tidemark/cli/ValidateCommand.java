package dev.tidemark.cli;

import dev.tidemark.job.Caution;
import dev.tidemark.job.Cautions;
import dev.tidemark.job.ResolvedJob;
import dev.tidemark.job.SourceSchema;
import dev.tidemark.job.avro.AvroSchemas;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code validate}: checks a job file and prints it resolved. */
@Command(
        name = "validate",
        description = {
            "Check a job file and print it resolved: every default, every SQL type. What is allowed but mostly a mistake is told",
            "as a warning; the exit status is 0 all the same."
        })
final class ValidateCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

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
        return ExitStatus.DONE;
    }
}
