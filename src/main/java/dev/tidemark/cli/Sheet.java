package dev.tidemark.cli;

import org.jspecify.annotations.Nullable;

/** Names and values, one pair a line, for people. */
final class Sheet {
    private static final int NAME_WIDTH = 16;

    private final StringBuilder text = new StringBuilder();

    /** A line; a dash where nothing is known. The value is printed as it is. */
    Sheet line(String name, @Nullable Object value) {
        text.append(name)
                .append(" ".repeat(Math.max(1, NAME_WIDTH - name.length())))
                .append(value == null ? "-" : value)
                .append(System.lineSeparator());
        return this;
    }

    /** A line whose value came from a source. */
    Sheet foreign(String name, @Nullable Object value) {
        return line(name, value == null ? null : Table.plain(value.toString()));
    }

    /** A number, and a remark behind it unless the number is 0. */
    Sheet number(String name, long value, String remark) {
        return line(name, Words.number(value) + (value == 0 || remark.isEmpty() ? "" : "   " + remark));
    }

    String text() {
        return text.toString();
    }
}
