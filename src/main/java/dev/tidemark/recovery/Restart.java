package dev.tidemark.recovery;

/**
 * A job as it is to be restored.
 *
 * @param flinkJob the id that it must have, 32 hexadecimal digits
 * @param submission the id by which the warehouse will know it
 */
public record Restart(String flinkJob, String submission, String savepoint, int lookback, FlinkJobs.Settings settings) {

    /** Submits it. */
    @FunctionalInterface
    public interface Submitter {
        /**
         * Submits a job; returns when Flink has taken it. If Flink knows the id already, nothing happens.
         *
         * @throws RecoveryException if it could not be submitted
         */
        void submit(Restart restart);
    }
}
