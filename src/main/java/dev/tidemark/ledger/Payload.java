package dev.tidemark.ledger;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.change.Change;
import dev.tidemark.change.OrderedBytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.change.Values;
import dev.tidemark.job.Expression;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a change that the job reads, as a JSON object by field name: numbers and booleans as such, all else as
 * text (ISO-8601 for times, base64 for bytes). Deletes have no key and no value fields. For rare changes only.
 */
public final class Payload {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final JsonFactory FACTORY = MAPPER.getFactory();

    private final JobPlan plan;
    private final RowLayout keyLayout;
    private final List<Field> rowFields;
    private final Set<Field> conditions = new HashSet<>();
    private final RowLayout rowLayout;

    public Payload(JobPlan plan) {
        this.plan = plan;
        this.keyLayout = RowLayout.ofFields(plan.target().key());
        this.rowFields = plan.rowFields();
        this.rowLayout = RowLayout.ofFields(rowFields);
        for (JobPlan.ValueColumn column : plan.target().columns()) {
            if (column.condition() != null && !(column.condition() instanceof Expression.Reference)) {
                conditions.add(Objects.requireNonNull(column.conditionField(), "a condition has a field"));
            }
        }
    }

    public String json(Change change) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = FACTORY.createGenerator(text)) {
            out.writeStartObject();
            write(change, new Writer(out));
            out.writeEndObject();
        } catch (IOException failure) {
            throw new UncheckedIOException("a change could not be written as JSON", failure);
        }
        return text.toString();
    }

    private void write(Change change, Writer writer) throws IOException {
        writeId(change, writer);
        if (!change.version().isEmpty()) {
            OrderedBytes.Reader version = new OrderedBytes.Reader(change.version());
            for (Field field : plan.changes().version()) {
                writer.write(field, version.next(field.type()));
            }
        }
        if (change.hasEventTime()) {
            writer.write(plan.time().event(), Values.instant(change.eventTime()));
        }
        Field observed = plan.time().observedField();
        if (observed != null && change.hasObservedTime()) {
            writer.write(observed, Values.instant(change.observedAt()));
        }
        if (change.key() != null) {
            writer.writeAll(plan.target().key(), keyLayout.values(change.key()));
        }
        if (change.row() != null) {
            List<@Nullable Object> values = rowLayout.values(change.row());
            for (int i = 0; i < rowFields.size(); i++) {
                if (!conditions.contains(rowFields.get(i))) {
                    writer.write(rowFields.get(i), values.get(i));
                }
            }
        }
        if (change.delete()) {
            writer.out.writeBooleanField("_delete", true);
        }
    }

    private void writeId(Change change, Writer writer) throws IOException {
        List<Field> id = plan.changes().id();
        if (id.size() == 1) {
            String text = change.recordId().text();
            switch (id.get(0).type().kind()) {
                case INT, LONG, DECIMAL -> writer.write(id.get(0), new BigDecimal(text));
                case BOOLEAN -> writer.write(id.get(0), Boolean.valueOf(text));
                default -> writer.write(id.get(0), text);
            }
        } else if (id.size() > 1) {
            JsonNode parts = MAPPER.readTree(change.recordId().array());
            for (int i = 0; i < id.size(); i++) {
                if (writer.isNew(id.get(i))) {
                    writer.out.writeFieldName(id.get(i).name());
                    MAPPER.writeTree(writer.out, parts.get(i));
                }
            }
        }
    }

    /** Writes each field once. */
    private static final class Writer {
        private final JsonGenerator out;
        private final Set<String> written = new HashSet<>();

        Writer(JsonGenerator out) {
            this.out = out;
        }

        boolean isNew(Field field) {
            return written.add(field.name());
        }

        void writeAll(List<Field> fields, List<@Nullable Object> values) throws IOException {
            for (int i = 0; i < fields.size(); i++) {
                write(fields.get(i), values.get(i));
            }
        }

        void write(Field field, @Nullable Object value) throws IOException {
            if (!isNew(field)) {
                return;
            }
            out.writeFieldName(field.name());
            if (value == null) {
                out.writeNull();
            } else if (value instanceof Boolean flag) {
                out.writeBoolean(flag);
            } else if (value instanceof BigDecimal decimal) {
                out.writeNumber(decimal.toPlainString());
            } else if (value instanceof Number number) {
                out.writeNumber(number.toString());
            } else {
                out.writeString(Values.text(value));
            }
        }
    }
}
