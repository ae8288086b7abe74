package dev.tidemark.membership;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the job remembers of one record id: its newest version, admitted or late, and what of the record stands in the
 * target. Immutable.
 *
 * @param deleted whether the newest version is a delete; key, row, event time and partition are then void
 * @param standing whether the newest version's member stands in the published truth of its cell
 * @param held whether it is in the full truth of its cell; so it is when it stands
 * @param observedAt when the newest version, or a copy of it, was last observed
 * @param sequence with {@code log} the position of the newest version
 * @param partition where the record lives
 * @param rememberedUnder m: the greatest of the partitions that its changes named and of P(h) when each was read
 * @param namesakes how many members of the record were left behind in cells before the newest version
 * @param copy the older version that stands in the published truth of its cell in place of the newest; null: none does
 */
public record RecordMemory(
        boolean deleted,
        boolean standing,
        boolean held,
        Bytes version,
        long observedAt,
        String log,
        long sequence,
        long eventTime,
        long partition,
        Bytes key,
        Bytes row,
        long rememberedUnder,
        int namesakes,
        @Nullable Copy copy) {

    /** The same record, remembered at least under another partition, and observed at another time. */
    RecordMemory rememberedAtLeast(long atLeast, long observed) {
        return atLeast <= rememberedUnder && observed == observedAt
                ? this
                : new RecordMemory(
                        deleted,
                        standing,
                        held,
                        version,
                        observed,
                        log,
                        sequence,
                        eventTime,
                        partition,
                        key,
                        row,
                        Math.max(atLeast, rememberedUnder),
                        namesakes,
                        copy);
    }

    /**
     * The same record after the full truths of all partitions from one on have become the published ones: there it stands
     * as it lives. An older version that stands before that stays there, as when a newer one had been admitted.
     */
    public RecordMemory reopened(long from) {
        boolean stands = standing || (held && partition >= from);
        Copy left = copy == null || stands || copy.partition() >= from ? null : copy;
        return stands == standing && Objects.equals(left, copy)
                ? this
                : new RecordMemory(
                        deleted,
                        stands,
                        held,
                        version,
                        observedAt,
                        log,
                        sequence,
                        eventTime,
                        partition,
                        key,
                        row,
                        rememberedUnder,
                        namesakes,
                        left);
    }

    static RecordMemory ofDelete(Change change, long rememberedUnder, int namesakes, @Nullable Copy copy) {
        return deleted(
                change.version(),
                change.observedAt(),
                change.log(),
                change.sequence(),
                rememberedUnder,
                namesakes,
                copy);
    }

    /** A record that was withdrawn, remembered so that an older version stays out. */
    public static RecordMemory deleted(
            Bytes version,
            long observedAt,
            String log,
            long sequence,
            long rememberedUnder,
            int namesakes,
            @Nullable Copy copy) {
        return new RecordMemory(
                true,
                false,
                false,
                version,
                observedAt,
                log,
                sequence,
                Change.UNKNOWN,
                Change.UNKNOWN,
                Bytes.EMPTY,
                Bytes.EMPTY,
                rememberedUnder,
                namesakes,
                copy);
    }

    /** The newest version as it was put into its cell. */
    Copy newest() {
        return new Copy(version, log, sequence, eventTime, partition, key, row, namesakes);
    }
}
