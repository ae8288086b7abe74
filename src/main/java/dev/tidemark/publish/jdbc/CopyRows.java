package dev.tidemark.publish.jdbc;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.database.CopyText;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.RejectedChange;
import dev.tidemark.publish.CellTruth;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;

/** Writes parts as rows of the staging tables. */
final class CopyRows {
    private final Calendar calendar;
    private final List<Field> keyFields;
    private final List<FieldType> valueTypes;
    private final RowLayout.Cursor key;
    private final RowLayout.Cursor values;
    private final String cellsStatement;
    private final boolean withholds;

    static final String LATE_STATEMENT = """
            copy tidemark.staged_late (part, split, "offset", half, record_id, op, partition, key, event_time, observed_at,
                lateness_ms, age, frontier, open_from, reason, withheld, payload) from stdin""";
    static final String REJECTED_STATEMENT = """
            copy tidemark.staged_rejected (part, split, "offset", reason, error, payload, payload_length) from stdin""";

    CopyRows(JobPlan plan, TargetNames names) {
        this.calendar = new Calendar(plan.partition().grain(), plan.partition().zone());
        this.keyFields = plan.target().key();
        this.valueTypes =
                plan.target().columns().stream().map(JobPlan.ValueColumn::type).toList();
        this.key = new RowLayout.Cursor(RowLayout.ofFields(keyFields));
        this.values = new RowLayout.Cursor(new RowLayout(valueTypes));
        this.withholds = plan.identity() == null;
        this.cellsStatement = "copy " + names.staging() + " (_part, _line, _removed, "
                + TargetNames.list(names.cellAndValues()) + ", _members, _fingerprint) from stdin";
    }

    String cellsStatement() {
        return cellsStatement;
    }

    void put(CopyText out, String part, long line, CellTruth truth) {
        out.word(part).integer(line).bool(truth.isRemoved());
        putPartition(out, truth.partition());
        key.read(truth.key().array());
        for (int i = 0; i < keyFields.size(); i++) {
            put(out, keyFields.get(i).type(), key, i);
        }
        Bytes encoded = truth.values();
        if (encoded == null) {
            for (int i = 0; i < valueTypes.size(); i++) {
                out.nothing();
            }
            out.integer(0).integer(0);
        } else {
            values.read(encoded.array());
            for (int i = 0; i < valueTypes.size(); i++) {
                put(out, valueTypes.get(i), values, i);
            }
            out.integer(truth.members()).integer(truth.fingerprint());
        }
        out.endRow();
    }

    void put(CopyText out, String part, LateChange change) {
        out.word(part)
                .text(change.split())
                .integer(change.offset())
                .word(change.half().word());
        out.text(change.recordId()).word(change.delete() ? "delete" : "upsert");
        putIso(out, change.partition());
        Bytes changeKey = change.key();
        out.text(changeKey == null ? null : keyJson(changeKey));
        out.instantUnless(LateChange.UNKNOWN, change.eventTime());
        out.instantUnless(LateChange.UNKNOWN, change.observedAt());
        out.integerUnless(LateChange.UNKNOWN, change.latenessMillis());
        out.integerUnless(LateChange.UNKNOWN, change.age());
        out.instantUnless(LateChange.UNKNOWN, change.frontier());
        putIso(out, change.openFrom());
        out.word(change.reason().word()).bool(withholds && change.withheld()).text(change.payload());
        out.endRow();
    }

    void put(CopyText out, String part, RejectedChange change) {
        out.word(part)
                .text(change.split())
                .integer(change.offset())
                .word(change.reason().word());
        out.text(storable(change.error()));
        out.bytes(change.payload().array(), 0, change.payload().length()).integer(change.payloadLength());
        out.endRow();
    }

    private void putIso(CopyText out, long partition) {
        if (partition == LateChange.UNKNOWN) {
            out.nothing();
        } else {
            out.word(calendar.iso(partition));
        }
    }

    private void putPartition(CopyText out, long partition) {
        if (calendar.grain() == Grain.HOUR) {
            out.instant(partition * 1_000_000L);
        } else {
            out.date(partition);
        }
    }

    /** The key as a JSON object: numbers as such, what JSON has no word for as text. */
    private String keyJson(Bytes encoded) {
        key.read(encoded.array());
        StringBuilder json = new StringBuilder("{");
        for (int i = 0; i < keyFields.size(); i++) {
            json.append(i == 0 ? "" : ", ");
            Json.quote(json, keyFields.get(i).column());
            json.append(": ");
            Object value = key.value(i);
            if (value == null || value instanceof Boolean || value instanceof Number) {
                json.append(value instanceof BigDecimal decimal ? decimal.toPlainString() : Objects.toString(value));
            } else if (value instanceof byte[] bytes) {
                Json.quote(json, "\\x" + java.util.HexFormat.of().formatHex(bytes));
            } else {
                Json.quote(json, value.toString());
            }
        }
        return json.append('}').toString();
    }

    /** What the program says about a record may quote it; a zero byte cannot be stored. */
    private static String storable(String text) {
        return text.replace('\0', '\uFFFD');
    }

    private static void put(CopyText out, FieldType type, RowLayout.Cursor row, int index) {
        if (row.isNull(index)) {
            out.nothing();
            return;
        }
        switch (type.kind()) {
            case BOOLEAN -> out.bool(row.fixed(index) != 0);
            case INT, LONG -> out.integer(row.fixed(index));
            case FLOAT -> out.word(Float.toString((float) Double.longBitsToDouble(row.fixed(index))));
            case DOUBLE -> out.word(Double.toString(Double.longBitsToDouble(row.fixed(index))));
            case DECIMAL -> {
                if (type.isFixed()) {
                    out.decimal(row.fixed(index), type.scale());
                } else {
                    out.word(new BigDecimal(row.unscaled(index), type.scale()).toPlainString());
                }
            }
            case DATE -> out.date(row.fixed(index));
            case TIME -> out.time(row.fixed(index));
            case TIMESTAMP -> out.instant(row.fixed(index));
            case LOCAL_TIMESTAMP -> out.localTimestamp(row.fixed(index));
            case STRING -> out.text(row.source(), row.start(index), row.length(index));
            case BYTES -> out.bytes(row.source(), row.start(index), row.length(index));
            case UUID -> out.uuid(row.source(), row.start(index));
        }
    }
}
