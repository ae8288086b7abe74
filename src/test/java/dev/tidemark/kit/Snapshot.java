package dev.tidemark.kit;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that a job must have published after a prefix of each of its logs. Values are canonical, see {@link Values}; partitions are
 * ISO text, see {@link Partitions#text}.
 *
 * @param target by partition, then key
 * @param ledger in the order of the positions
 * @param rejected in the order of the positions
 * @param lateness how often each entry occurs
 * @param frontier the greatest h over the logs; null while none has one
 * @param frontierPartition P of it
 * @param closedBefore as long as no log is idle
 * @param partitions sizes of the partitions that have cells
 * @param positions split to next offset
 */
public record Snapshot(
        List<TargetRow> target,
        List<LedgerRow> ledger,
        List<RejectedRow> rejected,
        Counts counts,
        Map<LatenessEntry, Long> lateness,
        @Nullable Instant frontier,
        @Nullable String frontierPartition,
        @Nullable String completeFrom,
        @Nullable String closedBefore,
        Map<String, PartitionSize> partitions,
        Map<String, Long> positions) {

    /** A cell that has members. */
    public record TargetRow(
            String partition, List<Object> key, List<@Nullable Object> values, long members, long fingerprint) {}

    /** A closed half of a late or split change. */
    public record LedgerRow(
            String split,
            long offset,
            Half half,
            @Nullable String recordId,
            Operation operation,
            @Nullable String partition,
            @Nullable List<Object> key,
            @Nullable Instant eventTime,
            @Nullable Instant observedAt,
            @Nullable Long latenessMillis,
            @Nullable Long age,
            @Nullable Instant frontier,
            @Nullable String openFrom,
            Reason reason,
            boolean withheld) {
        /** By position, then half. */
        public static final Comparator<LedgerRow> ORDER = Comparator.comparing(LedgerRow::split, Values::compare)
                .thenComparingLong(LedgerRow::offset)
                .thenComparing(LedgerRow::half);
    }

    /** Which side of a change a ledger row is about. */
    public enum Half {
        WHOLE,
        OLD,
        NEW
    }

    /** What a change wants. */
    public enum Operation {
        UPSERT,
        DELETE
    }

    /** Why a half is late. */
    public enum Reason {
        BEFORE_START("before-start"),
        STATE_EXPIRED("state-expired"),
        OUTSIDE_WINDOW("outside-window"),
        UNKNOWN_RECORD("unknown-record");

        private final String word;

        Reason(String word) {
            this.word = word;
        }

        /** As the ledger has it. */
        public String word() {
            return word;
        }
    }

    /** A record that does not count. */
    public record RejectedRow(String split, long offset, String reason, long payloadLength) {
        /** By position. */
        public static final Comparator<RejectedRow> ORDER =
                Comparator.comparing(RejectedRow::split, Values::compare).thenComparingLong(RejectedRow::offset);
    }

    /** How many records became what; {@code maxLatenessMillis} is null while no change had a known lateness. */
    public record Counts(
            long read,
            long applied,
            long superseded,
            long late,
            long split,
            long rejected,
            @Nullable Long maxLatenessMillis,
            long halfWindowExceeded) {}

    /** One point of the lateness distribution, before it is put into a bucket. */
    public record LatenessEntry(
            LocalDate observedDay, Arrival arrival, long age, long latenessMillis, boolean isLate) {}

    /** Whether the record id was remembered when the change came. */
    public enum Arrival {
        FIRST,
        CORRECTION
    }

    /** How much a partition holds. */
    public record PartitionSize(long cells, long members) {}
}
