package dev.tidemark.recovery;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a running Flink. Jobs and stops bear ids that whoever asks has chosen, so that asking again after an
 * interruption has no further effect. What Flink refuses, or that it does not answer, is a {@link RecoveryException}.
 */
public interface FlinkJobs {

    /** Where a job of Flink stands. */
    enum Phase {
        RUNNING,
        /** On its way: being started, restarted or ended. */
        CHANGING,
        FINISHED,
        CANCELED,
        FAILED;

        /** Whether it will never run again. */
        public boolean isOver() {
            return this == FINISHED || this == CANCELED || this == FAILED;
        }

        /** In words. */
        public String word() {
            return switch (this) {
                case RUNNING -> "running";
                case CHANGING -> "being started or ended";
                case FINISHED -> "finished";
                case CANCELED -> "cancelled";
                case FAILED -> "failed";
            };
        }
    }

    /**
     * What a job was submitted with and must come back with.
     *
     * @param stateBackend {@code hashmap} or {@code rocksdb}; null: another one, which the cluster's settings choose
     * @param isKeptWhenCancelled whether the last checkpoint outlives a cancellation
     */
    record Settings(
            int parallelism,
            long checkpointIntervalMillis,
            long checkpointTimeoutMillis,
            long minPauseMillis,
            int tolerableFailures,
            boolean isKeptWhenCancelled,
            @Nullable String stateBackend) {}

    /** Whether it is there for one job and ends with it (application mode): then nothing can be restored in it. */
    boolean endsWithItsJob();

    /** What has become of a stop. */
    sealed interface Stop {
        /** Flink does not know of it: it was never asked for, or has forgotten it. */
        record Unknown() implements Stop {}

        /** It is under way. */
        record UnderWay() implements Stop {}

        /** The job has ended, and left this savepoint. */
        record Stopped(String savepoint) implements Stop {}

        /** The job was not stopped. */
        record Failed(String cause) implements Stop {}
    }

    /** The ids of the jobs of a name that are not over. */
    List<String> live(String name);

    /** Where a job stands; null: Flink does not know it. */
    @Nullable
    Phase phase(String flinkJob);

    /** What a job runs with. */
    Settings settings(String flinkJob);

    /**
     * Asks a job to take a savepoint and end.
     *
     * @param trigger an id of 32 hexadecimal digits, chosen by the caller; asking again with the same one changes nothing
     * @param folder where the savepoint goes; null: where Flink is set to put them
     * @return why Flink does not take the request; null: it does
     */
    @Nullable
    String stop(String flinkJob, String trigger, @Nullable String folder);

    /** What has become of a stop. */
    Stop stop(String flinkJob, String trigger);

    /** The savepoint with which a finished job was stopped; null: it was not. */
    @Nullable
    String savepoint(String flinkJob);

    /** Why a job failed, on one line. */
    String failure(String flinkJob);
}
