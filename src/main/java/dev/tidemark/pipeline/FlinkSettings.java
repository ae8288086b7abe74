package dev.tidemark.pipeline;

import java.time.Duration;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** What Tidemark asks of Flink, each setting with its reason. */
public final class FlinkSettings {
    /** How often a checkpoint, and with it a publication, is made if nobody says otherwise. */
    public static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(10);

    /** Key groups: the most that the job can be scaled to. Fixed, because a savepoint cannot change it. */
    static final int MAX_PARALLELISM = 128;

    private FlinkSettings() {}

    /** What Flink calls a job. */
    public static String jobName(String job) {
        return "tidemark " + job;
    }

    /** What the promises rest on, wherever the job runs. */
    public static void require(StreamExecutionEnvironment environment, Duration checkpointInterval) {
        Configuration settings = new Configuration();
        // The cut of a checkpoint must be the same in every operator: aligned barriers, each change in one cut.
        settings.set(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.EXACTLY_ONCE);
        settings.set(CheckpointingOptions.ENABLE_UNALIGNED, false);
        // The last cut of a bounded input is published by the checkpoint after its end.
        settings.set(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH, true);
        settings.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpointInterval);
        // Raw records are reused between the source and the operators chained to it; all else is immutable.
        settings.set(PipelineOptions.OBJECT_REUSE, true);
        // Kryo is slow, and its bytes are no contract.
        settings.set(PipelineOptions.GENERIC_TYPES, false);
        settings.set(PipelineOptions.AUTO_GENERATE_UIDS, false);
        settings.set(PipelineOptions.MAX_PARALLELISM, MAX_PARALLELISM);
        environment.configure(settings);
    }

    /** What a rebuild rests on, wherever it runs. */
    public static void requireForRebuild(StreamExecutionEnvironment environment) {
        Configuration settings = new Configuration();
        // What is keyed comes sorted by key and is spilled: memory is that of one key, not of the history.
        settings.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.BATCH);
        // Raw records are reused between the source and the operators chained to it; all else is immutable.
        settings.set(PipelineOptions.OBJECT_REUSE, true);
        settings.set(PipelineOptions.GENERIC_TYPES, false);
        settings.set(PipelineOptions.AUTO_GENERATE_UIDS, false);
        settings.set(PipelineOptions.MAX_PARALLELISM, MAX_PARALLELISM);
        environment.configure(settings);
    }

    /** What writing a history down rests on. What fails is not tried again: it costs a minute to begin anew. */
    public static void requireForRecording(StreamExecutionEnvironment environment) {
        requireForRebuild(environment);
        Configuration settings = new Configuration();
        settings.set(RestartStrategyOptions.RESTART_STRATEGY, "disable");
        environment.configure(settings);
    }

    /**
     * Settings of the Flink that a direct start brings along.
     *
     * @param checkpoints the folder for checkpoints, as a URI
     */
    public static Configuration embedded(String checkpoints, int parallelism) {
        Configuration settings = new Configuration();
        settings.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        settings.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        settings.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints);
        // A run that is stopped can be restored.
        settings.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        // What a restart can mend is mended within minutes; what it cannot is reported.
        settings.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF, Duration.ofMillis(500));
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF, Duration.ofSeconds(10));
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS, 6);
        settings.set(TaskManagerOptions.NUM_TASK_SLOTS, parallelism);
        // Every subtask that judges sends to every subtask that accumulates: four buffers of 32 KiB a channel.
        MemorySize network = MemorySize.ofMebiBytes(64 + parallelism * parallelism / 8);
        settings.set(TaskManagerOptions.NETWORK_MEMORY_MIN, network);
        settings.set(TaskManagerOptions.NETWORK_MEMORY_MAX, network);
        settings.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(64));
        return settings;
    }
}
