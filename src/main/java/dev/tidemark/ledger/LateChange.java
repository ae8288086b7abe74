package dev.tidemark.ledger;

import dev.tidemark.change.Bytes;
import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A ledger row as it is first written: a late change, or the half of one that was late. Times are microseconds since the
 * epoch, partitions as the job's calendar numbers them; {@link #UNKNOWN} where there is none.
 *
 * @param recordId the record id as text; null when records have none
 * @param key the target key in the layout of the job's key fields; null when it is not known
 * @param age how many partitions lie between the row's partition and the frontier's
 * @param openFrom the first partition that was open for the change
 * @param payload the fields that the job reads, as a JSON object
 */
public record LateChange(
        String split,
        long offset,
        Half half,
        @Nullable String recordId,
        boolean delete,
        long partition,
        @Nullable Bytes key,
        long eventTime,
        long observedAt,
        long age,
        long frontier,
        long openFrom,
        LateReason reason,
        String payload) {
    public static final long UNKNOWN = Long.MIN_VALUE;

    /** Observed less event time in milliseconds, towards the past; {@link #UNKNOWN} when either is. */
    public long latenessMillis() {
        return eventTime == UNKNOWN || observedAt == UNKNOWN ? UNKNOWN : Math.floorDiv(observedAt - eventTime, 1000L);
    }

    /** Whether the job's memory holds the effect, so that a wider lookback can bring it in. */
    public boolean withheld() {
        return reason == LateReason.OUTSIDE_WINDOW && half != Half.NEIGHBOUR;
    }

    /** Writes it, for the way to the stage; never part of state. */
    public void writeTo(DataOutput out) throws IOException {
        Wire.writeText(split, out);
        out.writeLong(offset);
        Wire.writeText(half.name(), out);
        Wire.writeNullableText(recordId, out);
        out.writeBoolean(delete);
        out.writeLong(partition);
        Wire.writeNullableBytes(key, out);
        out.writeLong(eventTime);
        out.writeLong(observedAt);
        out.writeLong(age);
        out.writeLong(frontier);
        out.writeLong(openFrom);
        Wire.writeText(reason.name(), out);
        Wire.writeText(payload, out);
    }

    /** The inverse of {@link #writeTo}. */
    public static LateChange readFrom(DataInput in) throws IOException {
        return new LateChange(
                Wire.readText(in),
                in.readLong(),
                Half.valueOf(Wire.readText(in)),
                Wire.readNullableText(in),
                in.readBoolean(),
                in.readLong(),
                Wire.readNullableBytes(in),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                LateReason.valueOf(Wire.readText(in)),
                Wire.readText(in));
    }
}
