package dev.tidemark.source.jdbc;

import dev.tidemark.job.JdbcPlan;
import dev.tidemark.source.SourceException;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.connector.jdbc.split.JdbcParameterValuesProvider;
import org.jspecify.annotations.Nullable;

/**
 * The ranges by which rows are read in parallel: of equal width between the least and the greatest value of a column, open at
 * both ends, and the rows where it is null apart.
 *
 * @param column null: there is one range, of all rows
 * @param type of the column, for casts
 * @param bounds between the ranges, as text
 */
record RowRanges(@Nullable String column, String type, List<String> bounds) implements JdbcParameterValuesProvider {
    private static final long serialVersionUID = 1L;

    /** Asks for the least and the greatest value. */
    static RowRanges of(JdbcPlan rows, RowColumns columns, Connection connection) throws SQLException {
        String splitBy = rows.splitBy();
        if (splitBy == null) {
            return new RowRanges(null, "", List.of());
        }
        String type = columns.rangeType(splitBy);
        if (type == null) {
            throw new SourceException("the column " + splitBy + ", which history.jdbc.splitBy names, is "
                    + columns.typeName(splitBy)
                    + ", and has no ranges: choose a whole number, numeric, date or timestamp"
                    + " column, or leave splitBy out");
        }
        String column = Identifiers.column(splitBy);
        boolean isNumber = type.equals("bigint") || type.equals("numeric");
        String finite =
                isNumber ? column + "::text not in ('NaN', 'Infinity', '-Infinity')" : "isfinite(" + column + ")";
        String number = isNumber ? "%s" : "floor(extract(epoch from %s))";
        String asked = "select (" + number.formatted("min(" + column + ")") + ")::numeric, ("
                + number.formatted("max(" + column + ")") + ")::numeric from " + RowColumns.from(rows)
                + " where " + finite;
        try (PreparedStatement statement = connection.prepareStatement(asked);
                ResultSet found = statement.executeQuery()) {
            BigDecimal least = found.next() ? found.getBigDecimal(1) : null;
            BigDecimal greatest = least == null ? null : found.getBigDecimal(2);
            List<String> bounds =
                    least == null || greatest == null ? List.of() : bounds(least, greatest, type, rows.splits());
            return new RowRanges(splitBy, type, bounds);
        }
    }

    private static List<String> bounds(BigDecimal least, BigDecimal greatest, String type, int splits) {
        List<String> bounds = new ArrayList<>();
        BigDecimal width = greatest.subtract(least);
        boolean isFine = type.equals("numeric");
        BigDecimal before = null;
        for (int i = 1; i < splits; i++) {
            BigDecimal bound = least.add(width.multiply(BigDecimal.valueOf(i))
                    .divide(BigDecimal.valueOf(splits), isFine ? 20 : 0, RoundingMode.FLOOR));
            if (bound.compareTo(least) > 0 && (before == null || bound.compareTo(before) > 0)) {
                bounds.add(bound.toPlainString());
                before = bound;
            }
        }
        return bounds;
    }

    /** The condition that the parameters make a range of. */
    String condition() {
        if (column == null) {
            return "true";
        }
        String value = Identifiers.column(column);
        return "((?::boolean and " + value + " is null) or (not ?::boolean and " + value + " is not null and ("
                + bound() + " is null or " + value + " >= " + bound() + ") and (" + bound() + " is null or " + value
                + " < " + bound() + ")))";
    }

    private String bound() {
        return switch (type) {
            case "bigint", "numeric" -> "?::" + type;
            // Seconds since the epoch.
            case "timestamptz" -> "to_timestamp(?::float8)";
            default -> "(to_timestamp(?::float8) at time zone 'UTC')::" + type;
        };
    }

    /** For each range its number, then the parameters of {@link #condition}. */
    @Override
    public Serializable[][] getParameterValues() {
        if (column == null) {
            return new Serializable[][] {{0}};
        }
        List<Serializable[]> ranges = new ArrayList<>();
        for (int i = 0; i <= bounds.size(); i++) {
            String from = i == 0 ? null : bounds.get(i - 1);
            String to = i == bounds.size() ? null : bounds.get(i);
            ranges.add(parameters(i, false, from, to));
        }
        ranges.add(parameters(ranges.size(), true, null, null));
        return ranges.toArray(Serializable[][]::new);
    }

    private static Serializable[] parameters(int number, boolean isNull, @Nullable String from, @Nullable String to) {
        return new @Nullable Serializable[] {number, isNull, isNull, from, from, to, to};
    }
}
