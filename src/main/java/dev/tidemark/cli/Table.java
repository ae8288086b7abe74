package dev.tidemark.cli;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows for people: aligned columns, numbers to the right, a dash where nothing is known. Keeps all rows until the end,
 * because a column is as wide as its widest value. Control characters are shown escaped: what came from a source must not
 * steer the terminal.
 */
final class Table implements Rows {
    private static final String GAP = "  ";
    private static final int WIDEST = 60;

    private final PrintWriter out;
    private final List<String> columns;
    private final List<List<@Nullable Object>> rows = new ArrayList<>();

    Table(PrintWriter out, List<String> columns) {
        this.out = out;
        this.columns = List.copyOf(columns);
    }

    @Override
    public void add(List<@Nullable Object> row) {
        if (row.size() != columns.size()) {
            throw new IllegalArgumentException(row.size() + " values for " + columns.size() + " columns");
        }
        rows.add(row);
    }

    @Override
    public void end() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns);
        for (List<@Nullable Object> row : rows) {
            lines.add(row.stream().map(Table::cell).toList());
        }
        int[] widths = new int[columns.size()];
        boolean[] right = new boolean[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            widths[i] = lines.stream()
                    .mapToInt(line -> width(line.get(column)))
                    .max()
                    .orElse(0);
            right[i] = rows.stream().anyMatch(row -> row.get(column) instanceof Number);
        }
        for (List<String> line : lines) {
            out.println(line(line, widths, right));
        }
    }

    /** Text on one line, with control characters escaped. */
    static String plain(String text) {
        StringBuilder plain = new StringBuilder();
        text.codePoints().forEach(point -> {
            switch (point) {
                case '\n' -> plain.append("\\n");
                case '\r' -> plain.append("\\r");
                case '\t' -> plain.append("\\t");
                default -> {
                    if (isSteering(point)) {
                        plain.append("\\u{").append(Integer.toHexString(point)).append('}');
                    } else {
                        plain.appendCodePoint(point);
                    }
                }
            }
        });
        return plain.toString();
    }

    /** Control characters, and those that turn the direction of text or cannot be shown. */
    private static boolean isSteering(int point) {
        int type = Character.getType(point);
        return type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                || type == Character.SURROGATE;
    }

    private static String cell(@Nullable Object value) {
        if (value == null) {
            return "-";
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        String text = plain(value.toString());
        return width(text) <= WIDEST ? text : text.substring(0, text.offsetByCodePoints(0, WIDEST - 1)) + "…";
    }

    private static String line(List<String> cells, int[] widths, boolean[] right) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String padding = " ".repeat(widths[i] - width(cells.get(i)));
            line.append(i == 0 ? "" : GAP);
            line.append(right[i] ? padding + cells.get(i) : cells.get(i) + padding);
        }
        return line.toString().stripTrailing();
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }
}
