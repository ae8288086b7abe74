package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.database.ConnectionSettings;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.publish.Progress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Runs a job, as its file has it but watching its folder, and stops it with a savepoint. */
final class Savepoints {
    private static final long PATIENCE_SECONDS = 120;

    private Savepoints() {}

    /** Gives the folder of the savepoint that stands behind so many records. */
    static String behind(long records, Path jobFile, PostgresServer postgres) throws Exception {
        Path watching = jobFile.resolveSibling("watching.yaml");
        String job = Files.readString(jobFile);
        String watched = job.replace("files: { path: data }", "files: { path: data, watch: 10ms }");
        assertThat(watched).isNotEqualTo(job);
        Files.writeString(watching, watched);
        JobPlan plan = JobFiles.read(watching, Map.of());
        Wiring wiring = new Wiring(ConnectionSettings.of(postgres.address()));
        wiring.prepare(plan);
        Configuration settings = FlinkSettings.embedded(
                jobFile.resolveSibling("checkpoints").toUri().toString(), 1);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1, settings);
        Duration interval = Duration.ofMillis(50);
        FlinkSettings.require(environment, interval);
        wiring.topology(plan, UUID.randomUUID().toString(), interval, FrontierResets.NONE)
                .build(environment);
        JobClient run = environment.executeAsync(plan.job());
        try (Progress.Reader progress = wiring.progress(plan)) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (progress.since(0).read() < records) {
                if (run.getJobStatus().get().isGloballyTerminalState()) {
                    run.getJobExecutionResult().get();
                }
                assertThat(System.nanoTime())
                        .as("waiting for %d records", records)
                        .isLessThan(end);
                Thread.sleep(15);
            }
        }
        return run.stopWithSavepoint(
                        false, jobFile.resolveSibling("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .replaceFirst("^file:/*", "/");
    }
}
