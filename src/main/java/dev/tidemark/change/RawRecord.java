package dev.tidemark.change;

import org.jspecify.annotations.Nullable;

/**
 * One record as the source framed it, not yet decoded. Mutable and reused: it is valid until the source frames the next
 * one.
 *
 * <p>{@link #sequence} is the record's ordinal in its log, from 0, whichever files the log was cut into.
 */
public final class RawRecord {
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
    /** The record's whole length if {@link #length} is only the beginning of it, else the same as {@link #length}. */
    public long wholeLength;
}
