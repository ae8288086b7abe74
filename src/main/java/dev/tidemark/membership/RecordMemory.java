package dev.tidemark.membership;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;

/**
 * What the job remembers of one record id: its newest version, admitted or late. Immutable.
 *
 * @param deleted whether the newest version is a delete; key, row, event time and partition are then void
 * @param observedAt when the newest version, or a copy of it, was last observed
 * @param standing whether the newest version's member was added to its cell
 * @param sequence with {@code log} the position of the newest version
 * @param partition where the record lives
 * @param rememberedUnder m: the greatest of the partitions that its changes named and of P(h) when each was read
 */
public record RecordMemory(
        boolean deleted,
        boolean standing,
        Bytes version,
        long observedAt,
        String log,
        long sequence,
        long eventTime,
        long partition,
        Bytes key,
        Bytes row,
        long rememberedUnder) {

    /** The same record, remembered at least under another partition, and observed at another time. */
    RecordMemory rememberedAtLeast(long partition, long observed) {
        return partition <= rememberedUnder && observed == observedAt
                ? this
                : new RecordMemory(
                        deleted,
                        standing,
                        version,
                        observed,
                        log,
                        sequence,
                        eventTime,
                        this.partition,
                        key,
                        row,
                        Math.max(partition, rememberedUnder));
    }

    static RecordMemory ofDelete(Change change, long rememberedUnder) {
        return deleted(change.version(), change.observedAt(), change.log(), change.sequence(), rememberedUnder);
    }

    /** A record that was withdrawn, remembered so that an older version stays out. */
    public static RecordMemory deleted(
            Bytes version, long observedAt, String log, long sequence, long rememberedUnder) {
        return new RecordMemory(
                true,
                false,
                version,
                observedAt,
                log,
                sequence,
                Change.UNKNOWN,
                Change.UNKNOWN,
                Bytes.EMPTY,
                Bytes.EMPTY,
                rememberedUnder);
    }
}
