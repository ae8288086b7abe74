package dev.tidemark.ledger;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which rows of a job's ledger are meant: those that meet every condition that is not null.
 *
 * @param fromPartition with {@code toPartition} the partitions, both inclusive, as ISO text
 * @param key a JSON object that the key must contain, or the text of one of its values
 * @param latenessOver what the lateness must exceed
 * @param position one change alone
 */
public record LedgerSelection(
        @Nullable Disposition status,
        @Nullable LateReason reason,
        @Nullable String fromPartition,
        @Nullable String toPartition,
        @Nullable String key,
        @Nullable String recordId,
        @Nullable Duration latenessOver,
        @Nullable Position position) {

    /** All rows. */
    public static final LedgerSelection EVERYTHING =
            new LedgerSelection(null, null, null, null, null, null, null, null);

    /** The rows of one change. */
    public static LedgerSelection at(Position position) {
        return new LedgerSelection(null, null, null, null, null, null, null, position);
    }

    /** The same with another status. */
    public LedgerSelection with(@Nullable Disposition other) {
        return new LedgerSelection(other, reason, fromPartition, toPartition, key, recordId, latenessOver, position);
    }
}
