package dev.tidemark.change;

import org.jspecify.annotations.Nullable;

/**
 * One accepted source record, decoded and stamped. Times are microseconds since the epoch.
 *
 * @param log the log it was read from
 * @param sequence its ordinal in the log: within one log the order of positions
 * @param split with {@code offset} its position
 * @param delete whether it withdraws its record
 * @param recordId the record id as text in UTF-8; empty when records have none
 * @param version the version fields in {@link OrderedBytes}; empty when there are none
 * @param eventTime {@link #UNKNOWN} only for a delete
 * @param observedAt {@link #UNKNOWN} if the job has no observed time
 * @param frontier h of its log, this record taken into account; {@link #UNKNOWN} before the log's first mark
 * @param wholeFrom the first partition of which its log holds everything; {@link Long#MIN_VALUE}: it holds all
 * @param closedBefore the first partition that was open by what was published when the job started, if this change counts;
 *     {@link Long#MIN_VALUE}: none was closed, or the change is replayed
 * @param key the target key in {@link RowLayout}; null for a delete
 * @param row the fields that the value columns read, in {@link RowLayout}; null for a delete
 * @param replayed whether a publication has counted it already: it acts, but is not counted, recorded or ledgered again
 */
public record Change(
        String log,
        long sequence,
        String split,
        long offset,
        boolean delete,
        Bytes recordId,
        Bytes version,
        long eventTime,
        long observedAt,
        long frontier,
        long wholeFrom,
        long closedBefore,
        @Nullable Bytes key,
        @Nullable Bytes row,
        boolean replayed) {
    /** No such time. Never the time of an accepted change. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    /** The same change judged by no log's frontier: to it, everything is open. */
    public Change unjudged() {
        return new Change(
                log,
                sequence,
                split,
                offset,
                delete,
                recordId,
                version,
                eventTime,
                observedAt,
                UNKNOWN,
                Long.MIN_VALUE,
                Long.MIN_VALUE,
                key,
                row,
                false);
    }

    public boolean hasEventTime() {
        return eventTime != UNKNOWN;
    }

    public boolean hasObservedTime() {
        return observedAt != UNKNOWN;
    }
}
