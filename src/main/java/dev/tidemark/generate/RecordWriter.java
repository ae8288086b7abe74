package dev.tidemark.generate;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Takes records in the order of their arrival: {@link #begin}, each field of the table's schema in its order, {@link #end}.
 */
public interface RecordWriter extends Closeable {
    /**
     * Begins a record.
     *
     * @param key what the record is about: records of one key stay in order wherever they go
     * @param arrivedAt when it could first be seen, in microseconds since the epoch; never less than that of the one before
     */
    void begin(long key, long arrivedAt) throws IOException;

    void integer(int value) throws IOException;

    void number(long value) throws IOException;

    void text(String value) throws IOException;

    /** A text of a field that may be null. */
    void textOrNull(@Nullable String value) throws IOException;

    /** A decimal of two digits behind the point, by its number of hundredths. */
    void decimal(long hundredths) throws IOException;

    /** Microseconds since the epoch. */
    void timestamp(long micros) throws IOException;

    void end() throws IOException;
}
