package dev.tidemark.generate;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** How the fields of a record become bytes. */
public interface RecordEncoding {
    void begin() throws IOException;

    void integer(int value) throws IOException;

    void number(long value) throws IOException;

    void text(String value) throws IOException;

    /** A text of a field that may be null. */
    void textOrNull(@Nullable String value) throws IOException;

    /** A decimal of two digits behind the point, by its number of hundredths. */
    void decimal(long hundredths) throws IOException;

    /** Microseconds since the epoch. */
    void timestamp(long micros) throws IOException;

    /** The record's bytes. */
    byte[] end() throws IOException;
}
