package dev.tidemark.kit;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.Operation;
import dev.tidemark.kit.Snapshot.RejectedRow;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.RejectedChange;
import dev.tidemark.publish.CellTruth;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the product says, in the words of the oracle. */
public final class Canonical {
    /** By partition, then key. */
    public static final Comparator<TargetRow> ORDER =
            Comparator.comparing(TargetRow::partition).thenComparing(TargetRow::key, Values::compareAll);

    private final Calendar calendar;
    private final RowLayout keys;
    private final RowLayout values;

    public Canonical(JobPlan plan) {
        this.calendar = new Calendar(plan.partition().grain(), plan.partition().zone());
        this.keys = RowLayout.ofFields(plan.target().key());
        this.values = new RowLayout(
                plan.target().columns().stream().map(JobPlan.ValueColumn::type).toList());
    }

    public TargetRow row(CellTruth truth) {
        return new TargetRow(
                calendar.iso(truth.partition()),
                key(truth.key()),
                valuesOf(values, Objects.requireNonNull(truth.values())),
                truth.members(),
                truth.fingerprint());
    }

    public LedgerRow row(LateChange change) {
        return new LedgerRow(
                change.split(),
                change.offset(),
                Snapshot.Half.valueOf(change.half().name()),
                change.recordId(),
                change.delete() ? Operation.DELETE : Operation.UPSERT,
                partition(change.partition()),
                change.key() == null ? null : key(change.key()),
                instant(change.eventTime()),
                instant(change.observedAt()),
                known(change.latenessMillis()),
                known(change.age()),
                instant(change.frontier()),
                partition(change.openFrom()),
                Snapshot.Reason.valueOf(change.reason().name()),
                change.withheld());
    }

    public static RejectedRow row(RejectedChange change) {
        return new RejectedRow(change.split(), change.offset(), change.reason().word(), change.payloadLength());
    }

    /** A Java value of the product as the oracle has it. */
    public static @Nullable Object value(@Nullable Object value) {
        if (value instanceof Integer number) {
            return number.longValue();
        }
        if (value instanceof Float number) {
            return number.doubleValue();
        }
        if (value instanceof byte[] bytes) {
            return Values.Binary.of(bytes);
        }
        if (value instanceof LocalDateTime local) {
            return local.toInstant(ZoneOffset.UTC);
        }
        return value;
    }

    public static @Nullable Instant instant(long micros) {
        return micros == LateChange.UNKNOWN ? null : dev.tidemark.change.Values.instant(micros);
    }

    private static @Nullable Long known(long value) {
        return value == LateChange.UNKNOWN ? null : value;
    }

    private @Nullable String partition(long partition) {
        return partition == LateChange.UNKNOWN ? null : calendar.iso(partition);
    }

    private List<Object> key(Bytes key) {
        List<Object> result = new ArrayList<>();
        for (Object value : valuesOf(keys, key)) {
            result.add(Objects.requireNonNull(value));
        }
        return result;
    }

    private static List<@Nullable Object> valuesOf(RowLayout layout, Bytes encoded) {
        List<@Nullable Object> result = new ArrayList<>();
        for (Object value : layout.values(encoded)) {
            result.add(value(value));
        }
        return result;
    }
}
