package dev.tidemark.cli;

import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.StatusCheck;
import dev.tidemark.publish.jdbc.Retirement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retire}: gives up a target. */
@Command(
        name = "retire",
        description = {
            "Give up the job's target: what still runs is fenced for good, and another job may take the table.",
            "The table and the bookkeeping stay. 'init' takes the target up again; 'run' does not."
        })
final class RetireCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(names = "--force", description = "Although the job has given a sign of life within the last 5 minutes.")
    private boolean force;

    @Option(names = "--keep-staging", description = "Keep what is staged and not published, and the table for it.")
    private boolean keepStaging;

    RetireCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        JobPlan plan = job.read(console).plan();
        try (WarehouseOption.Opened opened = warehouse.openFor(plan, console)) {
            Retirement retirement = new Wiring(opened.settings()).retirement(plan);
            requireSilence(plan, retirement.lastSign());
            String target = keepStaging ? retirement.retire() : retirement.retireAndClear();
            console.out()
                    .println("retired: job " + plan.job() + "; the table " + target
                            + " stays, and another job may take it when it is empty");
            console.out().flush();
        }
        return ExitStatus.DONE;
    }

    private void requireSilence(JobPlan plan, @Nullable Instant sign) {
        if (force || sign == null) {
            return;
        }
        Duration silence = Duration.between(sign, console.clock().instant());
        if (silence.compareTo(StatusCheck.HEARTBEAT_AFTER) < 0) {
            throw CommandException.failed(
                    "the job %s gave a sign of life at %s and may still run: stop it first, or, if it has ended or is to be"
                            + " fenced while it runs, say --force",
                    plan.job(), Words.second(sign));
        }
    }
}
