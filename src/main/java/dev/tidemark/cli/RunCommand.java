package dev.tidemark.cli;

import dev.tidemark.job.Durations;
import dev.tidemark.job.JobPlan;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.publish.Progress;
import java.net.URI;
import java.nio.file.Files;
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
            description = "How often a checkpoint, and so a publication, is made, for instance 10s; default: 10s.")
    private @Nullable String checkpointInterval;

    RunCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        Duration interval = interval();
        if (parallelism != null && (parallelism < 1 || parallelism > 128)) {
            throw CommandException.wrongUse("--parallelism must lie between 1 and 128, not %d", parallelism);
        }
        JobPlan plan = job.read(console).plan();
        requireSource(plan.source());
        try (WarehouseOption.Opened opened = warehouse.open(console);
                Interruption interruption = new Interruption(console)) {
            console.err().println("warehouse: " + opened.shown());
            Wiring wiring = new Wiring(opened.settings());
            wiring.requireReachable();
            execute(plan, wiring, interval, interruption);
        }
        return ExitStatus.DONE;
    }

    /** A source that is not there is found out before anything is created. A cluster may see other files than this process. */
    private void requireSource(JobPlan.SourcePlan source) {
        if (source.kafka() != null) {
            return;
        }
        URI uri = URI.create(
                new org.apache.flink.core.fs.Path(source.path()).toUri().toString());
        boolean isLocal = uri.getScheme() == null || "file".equals(uri.getScheme());
        if (!isLocal || CommandLineInterface.isUnderFlinkClient()) {
            return;
        }
        Path path = Path.of(uri.getPath());
        if (!Files.exists(path)) {
            throw CommandException.failed(
                    "the source %s does not exist: correct source.files.path in %s, or create it", path, job.file());
        }
        if (!Files.isReadable(path)) {
            throw CommandException.failed("the source %s cannot be read: its rights forbid it", path);
        }
    }

    private void execute(JobPlan plan, Wiring wiring, Duration interval, Interruption interruption) throws Exception {
        if (!noInit) {
            wiring.prepare(plan);
        } else if (!wiring.knows(plan)) {
            throw CommandException.failed(
                    "the warehouse does not know the job %s: run `tidemark init` first, or leave out --no-init",
                    plan.job());
        }
        StreamExecutionEnvironment environment = environment(plan);
        FlinkSettings.require(environment, interval);
        wiring.topology(plan, UUID.randomUUID().toString()).build(environment);
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
                throw failure;
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
        Path checkpoints = WarehouseOption.local(console)
                .toAbsolutePath()
                .resolve("checkpoints")
                .resolve(plan.job());
        // By way of Flink's Path, which takes the %20 of a URI's text for a name.
        String address = new org.apache.flink.core.fs.Path(checkpoints.toUri()).toString();
        settings.addAll(FlinkSettings.embedded(address, subtasks));
        return StreamExecutionEnvironment.createLocalEnvironment(subtasks, settings);
    }

    private Duration interval() {
        if (checkpointInterval == null) {
            return FlinkSettings.CHECKPOINT_INTERVAL;
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
