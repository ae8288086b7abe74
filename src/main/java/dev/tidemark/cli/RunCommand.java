package dev.tidemark.cli;

import dev.tidemark.gate.FrontierResets;
import dev.tidemark.job.Durations;
import dev.tidemark.job.JobPlan;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.publish.LastRun;
import dev.tidemark.publish.Progress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code run}: the job itself, on an embedded Flink or on the cluster that {@code flink run} names. */
@Command(
        name = "run",
        description = "Run the job: on an embedded Flink when started directly, on the cluster under 'flink run'.")
final class RunCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(names = "--no-init", description = "Fail when schema or target are not there, instead of creating them.")
    private boolean noInit;

    @Option(names = "--restore", paramLabel = "SAVEPOINT", description = "Begin from a savepoint or checkpoint.")
    private @Nullable String restore;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description =
                    "How many subtasks work behind the reader; default: the processors, or the cluster's default.")
    private @Nullable Integer parallelism;

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "DURATION",
            description =
                    "How often a checkpoint, and so a publication, is made, for instance 10s; default: what the cluster's configuration says, else 10s.")
    private @Nullable String checkpointInterval;

    @Option(
            names = "--lookback",
            paramLabel = "N",
            description = {
                "Another lookback than partition.lookback, for this run; at most partition.retain.",
                "Restored with more than before, the job reopens what its state still holds."
            })
    private @Nullable Integer lookback;

    @Mixin
    private final FrontierResetOption frontierReset = new FrontierResetOption();

    RunCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        Duration named = namedInterval();
        if (parallelism != null && (parallelism < 1 || parallelism > 128)) {
            throw CommandException.wrongUse("--parallelism must lie between 1 and 128, not %d", parallelism);
        }
        JobPlan plan = withLookback(job.read(console).plan());
        FrontierResets resets = frontierReset.read(plan);
        SourceCheck.requireReadable(plan.source(), job.file());
        StreamExecutionEnvironment environment = environment(plan);
        Duration interval = named == null ? interval(environment) : named;
        RestoredState state = state(environment, plan, resets);
        try (WarehouseOption.Opened opened = warehouse.open(console);
                Interruption interruption = new Interruption(
                        console, "stopped; what is published stays, and the next run goes on from there")) {
            console.err().println("warehouse: " + opened.shown());
            Wiring wiring = new Wiring(opened.settings());
            wiring.requireReachable();
            requireLastRun(plan, wiring, state);
            prepare(plan, wiring);
            FlinkSettings.require(environment, interval);
            wiring.topology(plan, UUID.randomUUID().toString(), interval, resets)
                    .build(environment);
            execute(environment, plan, wiring, interruption);
        }
        return ExitStatus.DONE;
    }

    private JobPlan withLookback(JobPlan plan) {
        if (lookback == null) {
            return plan;
        }
        int retain = plan.partition().retain();
        if (lookback < 0) {
            throw CommandException.wrongUse("--lookback must not be negative: %d", lookback);
        }
        if (lookback > retain) {
            throw CommandException.wrongUse(
                    "--lookback %d is more than the %d partitions that the job remembers; set partition.retain in %s to at"
                            + " least %d (what its state has forgotten stays so: for that, rebuild)",
                    lookback, retain, job.file(), lookback);
        }
        return plan.withLookback(lookback);
    }

    /** State that the job cannot go on with is found out before anything is created or started. */
    private @Nullable RestoredState state(StreamExecutionEnvironment environment, JobPlan plan, FrontierResets resets) {
        String path = environment.getConfiguration().get(StateRecoveryOptions.SAVEPOINT_PATH);
        if (path == null) {
            if (!resets.isEmpty()) {
                throw CommandException.wrongUse(
                        "%s sets a frontier back in the state that is restored: name a savepoint or checkpoint with"
                                + " --restore",
                        FrontierResetOption.NAME);
            }
            return null;
        }
        RestoredState state = RestoredState.of(path, job.file());
        state.requireFor(plan, resets);
        return state;
    }

    /** What the warehouse knows of the job decides as well, before anything is created. */
    private static void requireLastRun(JobPlan plan, Wiring wiring, @Nullable RestoredState state) {
        LastRun last = wiring.lastRun(plan);
        if (last == null) {
            return;
        }
        if (last.retiredAt() != null) {
            throw CommandException.failed(
                    "the job %s was retired at %s: run `tidemark init` to take its target up again",
                    plan.job(), Words.second(last.retiredAt()));
        }
        if (state != null && last.hasPublished() && plan.partition().lookback() > state.lookback(last)) {
            Widened.require(plan, wiring);
        }
    }

    private void prepare(JobPlan plan, Wiring wiring) {
        if (!noInit) {
            wiring.prepare(plan);
        } else if (!wiring.knows(plan)) {
            throw CommandException.failed(
                    "the warehouse does not know the job %s: run `tidemark init` first, or leave out --no-init",
                    plan.job());
        } else {
            wiring.resume(plan);
        }
    }

    private void execute(StreamExecutionEnvironment environment, JobPlan plan, Wiring wiring, Interruption interruption)
            throws Exception {
        try (Progress.Reader progress = wiring.progress(plan)) {
            long before = progress.since(0).lastPublication();
            long startedNanos = System.nanoTime();
            JobClient client = environment.executeAsync(FlinkSettings.jobName(plan.job()));
            if (CommandLineInterface.isUnderFlinkClient() && !plan.source().isBounded()) {
                console.out().println("submitted " + plan.job() + " as Flink job " + client.getJobID());
                return;
            }
            try {
                await(client, progress, before);
            } catch (Exception failure) {
                if (interruption.hasCome()) {
                    return;
                }
                throw new CheckpointStorage(CommandLineInterface.isUnderFlinkClient() ? null : checkpoints(plan))
                        .told(failure);
            }
            Duration took = Duration.ofNanos(System.nanoTime() - startedNanos);
            console.out().print(RunSummary.text(plan, progress.since(before), took));
            console.out().flush();
        }
    }

    private void await(JobClient client, Progress.Reader progress, long before) throws Exception {
        var result = client.getJobExecutionResult();
        ProgressLine line = new ProgressLine(console);
        while (true) {
            try {
                JobExecutionResult done = result.get(line.pauseMillis(), TimeUnit.MILLISECONDS);
                line.end();
                if (done == null) {
                    throw CommandException.failed("Flink gave no result of job %s", client.getJobID());
                }
                return;
            } catch (TimeoutException running) {
                line.show(progress.since(before));
            } catch (ExecutionException failed) {
                line.end();
                throw failed;
            }
        }
    }

    private StreamExecutionEnvironment environment(JobPlan plan) {
        Configuration settings = new Configuration();
        if (restore != null) {
            settings.set(StateRecoveryOptions.SAVEPOINT_PATH, restore);
        }
        if (CommandLineInterface.isUnderFlinkClient()) {
            StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(settings);
            if (parallelism != null) {
                environment.setParallelism(parallelism);
            }
            return environment;
        }
        int subtasks = parallelism == null ? Runtime.getRuntime().availableProcessors() : parallelism;
        // By way of Flink's Path, which takes the %20 of a URI's text for a name.
        String address = new org.apache.flink.core.fs.Path(checkpoints(plan).toUri()).toString();
        settings.addAll(FlinkSettings.embedded(address, subtasks));
        return StreamExecutionEnvironment.createLocalEnvironment(subtasks, settings);
    }

    /** Of a job that is started directly. */
    private Path checkpoints(JobPlan plan) {
        return WarehouseOption.local(console)
                .toAbsolutePath()
                .resolve("checkpoints")
                .resolve(plan.job());
    }

    /** What the cluster's configuration says, if it does. */
    private static Duration interval(StreamExecutionEnvironment environment) {
        long configuredMillis = environment.getCheckpointConfig().getCheckpointInterval();
        return configuredMillis > 0 ? Duration.ofMillis(configuredMillis) : FlinkSettings.CHECKPOINT_INTERVAL;
    }

    private @Nullable Duration namedInterval() {
        if (checkpointInterval == null) {
            return null;
        }
        Duration interval = Durations.parse(checkpointInterval);
        if (interval == null || interval.toMillis() < 10) {
            throw CommandException.wrongUse(
                    "--checkpoint-interval: '%s' is no duration of at least 10ms; write for instance 500ms, 10s or 5m",
                    checkpointInterval);
        }
        return interval;
    }
}
