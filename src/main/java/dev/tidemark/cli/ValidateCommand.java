package dev.tidemark.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code validate}: checks a job file and prints it resolved. */
@Command(name = "validate", description = "Check a job file and print it resolved: every default, every SQL type.")
final class ValidateCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    ValidateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        console.out().print(job.read(console).text());
        console.out().flush();
        return ExitStatus.DONE;
    }
}
