package dev.tidemark.kit;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One record of a log: where it stands and its bytes. */
public final class SourceRecord {
    private final String log;
    private final String split;
    private final long offset;
    private final byte[] payload;
    private final @Nullable Instant timestamp;

    /** A record of a file of a source that is one log. */
    public SourceRecord(String split, long offset, byte[] payload) {
        this("", split, offset, payload, null);
    }

    /** A record of a Kafka partition, which carries a timestamp of its own. */
    public SourceRecord(String split, long offset, byte[] payload, @Nullable Instant timestamp) {
        this(split, split, offset, payload, timestamp);
    }

    /** A record of a log of this name; empty when the source is one log. */
    public SourceRecord(String log, String split, long offset, byte[] payload, @Nullable Instant timestamp) {
        this.log = log;
        this.split = split;
        this.offset = offset;
        this.payload = payload.clone();
        this.timestamp = timestamp;
    }

    public String log() {
        return log;
    }

    /** Whether a split belongs to the log of this record. */
    public boolean isInLogOf(String otherSplit) {
        return log.isEmpty() || otherSplit.equals(log) || otherSplit.startsWith(log + "/");
    }

    public String split() {
        return split;
    }

    public long offset() {
        return offset;
    }

    public byte[] payload() {
        return payload.clone();
    }

    /** The Kafka timestamp; null in files. */
    public @Nullable Instant timestamp() {
        return timestamp;
    }

    @Override
    public String toString() {
        return split + ":" + offset + " " + new String(payload, StandardCharsets.UTF_8);
    }
}
