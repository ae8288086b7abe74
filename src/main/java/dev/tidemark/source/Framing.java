package dev.tidemark.source;

import dev.tidemark.change.RawRecord;
import java.io.Closeable;
import java.io.IOException;

/**
 * Cuts the content of one file into records.
 *
 * <p>{@link #resumePosition} and {@link #resumeOrdinal} name a place at or before the last record from which a new
 * framing of the same content goes on: its first record is the one with that ordinal.
 */
public interface Framing extends Closeable {
    /** How much of a record that could not be framed is kept. */
    int KEPT_BYTES = 64 << 10;

    /**
     * Frames the next record: sets its bytes, writer schema and damage, leaves its position alone. The bytes are valid
     * until the next call.
     *
     * @return false: the content has no more records
     */
    boolean next(RawRecord into) throws IOException;

    /** A position in the content at which framing can begin again. */
    long resumePosition();

    /** The ordinal in the file of the record at {@link #resumePosition}. */
    long resumeOrdinal();
}
