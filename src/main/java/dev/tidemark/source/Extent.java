package dev.tidemark.source;

import java.io.Serializable;

/** Which records of a history are read: a prefix of each log. */
public interface Extent extends Serializable {
    /** There is no limit. */
    long UNLIMITED = Long.MAX_VALUE;

    /** Whether the record at a position is read. */
    boolean contains(String log, String split, long offset);

    /**
     * Of a log that is one split, such as a partition of a topic: the offset before which it is read.
     *
     * @return {@link #UNLIMITED}: all of it; 0: nothing
     */
    long end(String log);
}
