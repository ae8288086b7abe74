package dev.tidemark.pipeline;

import dev.tidemark.recovery.FlinkJobs;
import dev.tidemark.recovery.RecoveryException;
import dev.tidemark.recovery.Restart;
import dev.tidemark.recovery.flink.RestFlinkJobs;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptionsInternal;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A Flink that runs elsewhere: its jobs, and how one is submitted to it from here. */
public final class RemoteFlink {
    private final URI address;
    private final FlinkJobs jobs;

    /** @param address of the JobManager's REST interface, such as {@code http://localhost:8081} */
    public RemoteFlink(URI address) {
        this.address = address;
        this.jobs = new RestFlinkJobs(address);
    }

    /** Where its JobManager is. */
    public URI address() {
        return address;
    }

    /** The jobs that run there. */
    public FlinkJobs jobs() {
        return jobs;
    }

    /**
     * Submits a job; returns when Flink has taken it. All that the cluster decides by itself, such as where checkpoints go,
     * it decides again.
     *
     * @param topology the job, with the lookback and the submission id of the restart
     * @param jar the program
     * @throws RecoveryException if Flink does not take it
     */
    public void submit(Restart restart, Topology topology, String name, Path jar) {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createRemoteEnvironment(
                address.getHost(), address.getPort(), settings(restart), jar.toString());
        environment.setParallelism(restart.settings().parallelism());
        FlinkSettings.require(environment, Duration.ofMillis(restart.settings().checkpointIntervalMillis()));
        topology.build(environment);
        try {
            environment.executeAsync(name);
        } catch (Exception failure) {
            throw new RecoveryException(
                    "the job could not be submitted to " + address + ": " + innermost(failure), failure);
        }
    }

    private static Configuration settings(Restart restart) {
        FlinkJobs.Settings before = restart.settings();
        Configuration settings = new Configuration();
        settings.set(DeploymentOptions.ATTACHED, false);
        settings.set(StateRecoveryOptions.SAVEPOINT_PATH, restart.savepoint());
        settings.set(PipelineOptionsInternal.PIPELINE_FIXED_JOB_ID, restart.flinkJob());
        settings.set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, Duration.ofMillis(before.checkpointTimeoutMillis()));
        settings.set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, Duration.ofMillis(before.minPauseMillis()));
        settings.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, before.tolerableFailures());
        settings.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                before.isKeptWhenCancelled()
                        ? ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION
                        : ExternalizedCheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS);
        if (before.stateBackend() != null) {
            settings.set(StateBackendOptions.STATE_BACKEND, before.stateBackend());
        }
        return settings;
    }

    private static String innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        String message = String.valueOf(cause.getMessage());
        return RestFlinkJobs.cause(message);
    }
}
