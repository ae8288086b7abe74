package dev.tidemark.cli;

import dev.tidemark.evidence.duckdb.ChangeFiles;
import dev.tidemark.evidence.duckdb.Recomputation;
import dev.tidemark.evidence.duckdb.TargetFile;
import dev.tidemark.job.JobPlan;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.pipeline.HistoryReading;
import dev.tidemark.publish.AsOf;
import dev.tidemark.source.EventRange;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --memory} and {@code --parallelism}, and how a history is read by them. */
final class RecomputationOption {
    private static final long LEAST_MEGABYTES = 128;
    /** What a reader needs to write whole blocks. */
    private static final long READER_MEGABYTES = 96;

    @Option(
            names = "--memory",
            paramLabel = "MB",
            defaultValue = "768",
            description = {
                "What the recomputation may hold in memory beside Java's own, in megabytes; default: 768. The rest is",
                "spilled to TIDEMARK_LOCAL."
            })
    private long memoryMegabytes;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description = "How many threads read and compute; default: the processors.")
    private @Nullable Integer parallelism;

    /** Refuses what cannot be meant, and to run where the command's files would not be its own. */
    void require() {
        if (parallelism != null && (parallelism < 1 || parallelism > 128)) {
            throw CommandException.wrongUse("--parallelism must lie between 1 and 128, not %d", parallelism);
        }
        if (memoryMegabytes < LEAST_MEGABYTES) {
            throw CommandException.wrongUse(
                    "--memory must be %d or more megabytes, not %d", LEAST_MEGABYTES, memoryMegabytes);
        }
        if (CommandLineInterface.isUnderFlinkClient()) {
            throw CommandException.wrongUse(
                    "the history is recomputed in this process: start the command directly, not with `flink run`");
        }
    }

    /** A file for what was published, to be filled before the history is read. */
    TargetFile targetFile(JobPlan plan, Path folder) {
        return TargetFile.open(plan, folder, memoryMegabytes / 2);
    }

    /**
     * Reads a job's history into a folder.
     *
     * @param asOf the changes that are taken, if the history has the positions of the source; else all are
     * @param range the event times that matter
     */
    Recomputation read(Console console, Wiring wiring, JobPlan plan, AsOf asOf, EventRange range, Path folder)
            throws Exception {
        AsOf extent = plan.history().hasPositionsOf(plan.source()) ? asOf : AsOf.END;
        int subtasks = subtasks();
        long each = Math.max(READER_MEGABYTES, memoryMegabytes / (2L * subtasks));
        try (HistoryReading history = wiring.history(plan, extent, range)) {
            Configuration settings = FlinkSettings.embedded(
                    new org.apache.flink.core.fs.Path(folder.resolve("flink").toUri()).toString(), subtasks);
            StreamExecutionEnvironment environment =
                    StreamExecutionEnvironment.createLocalEnvironment(subtasks, settings);
            FlinkSettings.requireForRecording(environment);
            wiring.recordingTopology(
                            plan, new ChangeFiles(plan.overHistory(), folder.toString(), each), extent, history)
                    .build(environment);
            new HistoryProgress(console).await(environment.executeAsync("tidemark evidence " + plan.job()));
        }
        return Recomputation.open(plan.overHistory(), folder, memoryMegabytes, subtasks);
    }

    private int subtasks() {
        return parallelism == null ? Runtime.getRuntime().availableProcessors() : parallelism;
    }
}
