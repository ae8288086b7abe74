package dev.tidemark.cli;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rows for spreadsheets, by RFC 4180: a header, commas, CRLF. Nothing stands for null, a pair of quotes for empty text, as
 * PostgreSQL's own CSV has it.
 */
final class CsvRows implements Rows {
    private static final String LINE_END = "\r\n";

    private final PrintWriter out;

    CsvRows(PrintWriter out, List<String> columns) {
        this.out = out;
        line(columns);
    }

    @Override
    public void add(List<@Nullable Object> row) {
        line(row);
    }

    @Override
    public void end() {
        out.flush();
    }

    private void line(List<? extends @Nullable Object> values) {
        out.print(values.stream().map(CsvRows::field).collect(Collectors.joining(",")) + LINE_END);
    }

    private static String field(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        String text = value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString();
        boolean plain = !text.isEmpty() && text.chars().noneMatch(c -> c == '"' || c == ',' || c == '\r' || c == '\n');
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
