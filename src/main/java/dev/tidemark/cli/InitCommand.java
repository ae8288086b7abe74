package dev.tidemark.cli;

import dev.tidemark.job.JobPlan;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code init}: creates or upgrades the schema and the target. */
@Command(name = "init", description = "Create or upgrade Tidemark's schema and the target table; safe to repeat.")
final class InitCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    InitCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        JobPlan plan = job.read(console).plan();
        try (WarehouseOption.Opened opened = warehouse.open(console)) {
            console.err().println("warehouse: " + opened.shown());
            Wiring wiring = new Wiring(opened.settings());
            wiring.requireReachable();
            wiring.prepare(plan);
            console.out()
                    .println("ready: " + plan.target().schema() + "."
                            + plan.target().table() + " of job " + plan.job());
        }
        return ExitStatus.DONE;
    }
}
