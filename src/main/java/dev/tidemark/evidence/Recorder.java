package dev.tidemark.evidence;

import dev.tidemark.change.Change;
import dev.tidemark.publish.LogCut;
import java.io.Serializable;
import java.util.List;

/** Writes down what is read of a history: one a reader. Not thread-safe. */
public interface Recorder extends AutoCloseable {

    /** An accepted change. */
    void record(Change change);

    /**
     * A record that must not count.
     *
     * @param reason as the warehouse writes it
     */
    void reject(String log, String split, long offset, String reason);

    /**
     * All has been read: from now on what was written stays.
     *
     * @param logs how far each log was read here, and the first partition that it holds whole
     * @param records how many records there were, rejected ones included
     * @param bytes how long they were
     */
    void finish(List<LogCut> logs, long records, long bytes);

    /** Forgets what was written, unless it is finished. */
    @Override
    void close();

    /** Makes the recorder where the reader runs. */
    @FunctionalInterface
    interface Factory extends Serializable {
        /**
         * Begins to write down.
         *
         * @param subtask the reader's number, from 0; a second recorder of a number takes the first one's place
         */
        Recorder open(int subtask);
    }
}
