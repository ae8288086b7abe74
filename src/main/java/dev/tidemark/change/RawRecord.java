package dev.tidemark.change;

import org.jspecify.annotations.Nullable;

/**
 * One record as the source framed it, not yet decoded; or a word about its log. Mutable and reused: it is valid until the
 * source frames the next one.
 *
 * <p>{@link #sequence} is the record's ordinal in its log, from 0, whichever files the log was cut into; for Kafka it is the
 * offset.
 */
public final class RawRecord {
    /** No time is known. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    /** What the source says. */
    public enum Kind {
        /** Here is a record. */
        RECORD,
        /**
         * This reader reads the log from now on, and stands before {@link #split} and {@link #offset}: said once after each
         * start for each of its logs, before any record of it.
         */
        TAKEN,
        /** The log has been read to its end, and nothing has come for the idle timeout; or it is finished. */
        QUIET,
        /** All logs that were there at the start have been taken, as far as they are this reader's. Not of one log. */
        READY
    }

    public Kind kind = Kind.RECORD;
    /** The name of the log; empty when the source is one log. */
    public String log = "";
    /** The file's path under the source folder, or topic-partition. */
    public String split = "";
    /** The record's ordinal in its split, from 0. */
    public long offset;

    public long sequence;
    /** The buffer that holds the record; what is outside {@link #start} and {@link #length} is not the record's. */
    public byte[] bytes = new byte[0];

    public int start;
    public int length;
    /** The Avro writer schema as JSON, the same instance for all records of a file; null when it is the reader's. */
    public @Nullable String writerSchema;
    /** Why the source could not frame the record; null: it could. The bytes are then what it has of it. */
    public @Nullable String damage;
    /** The timestamp that Kafka holds of the record, in microseconds; {@link #UNKNOWN}: it has none. */
    public long timestamp = UNKNOWN;
    /** The key that Kafka holds of the record; null: it has none. */
    public byte @Nullable [] recordKey;
    /** Whether the record has a null value: it withdraws what its key names. */
    public boolean tombstone;
    /** {@link Kind#TAKEN}: whether the log is begun without restored state. */
    public boolean begins;
    /** {@link Kind#TAKEN}: whether the log is read from its very beginning, so that all its partitions are whole. */
    public boolean whole = true;
    /**
     * Written by the stamping operator, which is chained: the log's h after the record, in microseconds. The reader paces
     * its logs by it. {@link #UNKNOWN}: not stamped.
     */
    public long frontier = UNKNOWN;
    /** The record's whole length if {@link #length} is only the beginning of it, else the same as {@link #length}. */
    public long wholeLength;
}
