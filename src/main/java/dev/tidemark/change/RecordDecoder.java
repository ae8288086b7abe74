package dev.tidemark.change;

import dev.tidemark.job.JobPlan;
import java.io.Serializable;

/** Turns the bytes of a record into the slots of a draft. Not thread-safe. */
public interface RecordDecoder {

    /**
     * Fills the draft, which has been cleared, with the fields that the job reads. A record that cannot be read makes
     * {@link Draft#reject} with {@link Rejection#UNDECODABLE}; nothing is thrown for bad input.
     */
    void decode(RawRecord raw, Draft draft);

    /** Makes the decoder where it runs. */
    @FunctionalInterface
    interface Factory extends Serializable {
        RecordDecoder create(JobPlan plan);
    }
}
