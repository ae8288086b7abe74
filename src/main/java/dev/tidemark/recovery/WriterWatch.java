package dev.tidemark.recovery;

import org.jspecify.annotations.Nullable;

/** What the warehouse sees of the one that writes a job's target. */
public interface WriterWatch extends AutoCloseable {

    /** The newest writer. */
    Writer newest();

    /** A submission and its Flink job; null: none has come yet. */
    record Writer(@Nullable String submission, @Nullable String flinkJob) {}

    /** The publication by which a submission widened; null: not yet. */
    @Nullable
    Long widening(String submission);

    /** Whether a submission is the newest writer and has dealt with a checkpoint since it became that. */
    boolean isAlive(String submission);

    @Override
    void close();
}
