package dev.tidemark.generate;

import java.io.Closeable;
import java.io.IOException;

/** Where encoded records go, in the order in which they are given. What was accepted is safe once it has been closed. */
public interface RecordSink extends Closeable {
    /**
     * Takes a record.
     *
     * @param key what the record is about: records of one key stay in order
     * @param arrivedAt when it could first be seen, in microseconds since the epoch; never less than that of the one before
     */
    void accept(long key, long arrivedAt, byte[] record) throws IOException;
}
