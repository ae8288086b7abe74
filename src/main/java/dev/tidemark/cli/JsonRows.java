package dev.tidemark.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows for programs: a JSON array with one object a line. */
final class JsonRows implements Rows {
    private static final JsonFactory FACTORY = JsonFactory.builder().build();

    private final PrintWriter out;
    private final List<String> columns;
    private boolean begun;

    JsonRows(PrintWriter out, List<String> columns) {
        this.out = out;
        this.columns = List.copyOf(columns);
    }

    @Override
    public void add(List<@Nullable Object> row) {
        out.print(begun ? ",\n" : "[\n");
        begun = true;
        out.print(object(columns, row));
    }

    @Override
    public void end() {
        out.print(begun ? "\n]\n" : "[]\n");
        out.flush();
    }

    /** An object on one line. */
    static String object(List<String> names, List<@Nullable Object> values) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            for (int i = 0; i < names.size(); i++) {
                json.writeFieldName(names.get(i));
                write(json, values.get(i));
            }
            json.writeEndObject();
        } catch (IOException failure) {
            throw new UncheckedIOException("a row could not be written as JSON", failure);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Json ready) {
            json.writeRawValue(ready.text());
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof BigDecimal decimal) {
            json.writeRawValue(decimal.toPlainString());
        } else if (value instanceof Double || value instanceof Float) {
            double number = ((Number) value).doubleValue();
            if (Double.isFinite(number)) {
                json.writeRawValue(value.toString());
            } else {
                json.writeString(value.toString());
            }
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else {
            json.writeString(value.toString());
        }
    }
}
