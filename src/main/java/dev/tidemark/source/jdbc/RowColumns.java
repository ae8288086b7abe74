package dev.tidemark.source.jdbc;

import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JdbcPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.source.SourceException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The columns of the rows: whether they hold what the job reads, and how they are written in JSON. PostgreSQL itself writes
 * it, so that a number, a time or a text is there as it holds it.
 */
final class RowColumns {
    private final JdbcPlan rows;
    private final Map<String, Column> columns;

    private RowColumns(JdbcPlan rows, Map<String, Column> columns) {
        this.rows = rows;
        this.columns = columns;
    }

    /**
     * One column.
     *
     * @param type the number in {@link Types}
     * @param name of the type, in PostgreSQL's short words
     */
    record Column(int type, String name) {}

    /** Asks what the rows have. */
    static RowColumns of(JdbcPlan rows, Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select h.* from " + from(rows) + " limit 0")) {
            ResultSetMetaData found = statement.getMetaData();
            Map<String, Column> columns = new LinkedHashMap<>();
            for (int i = 1; i <= found.getColumnCount(); i++) {
                columns.put(found.getColumnLabel(i), new Column(found.getColumnType(i), found.getColumnTypeName(i)));
            }
            return new RowColumns(rows, columns);
        }
    }

    /** What is selected from, called h. */
    static String from(JdbcPlan rows) {
        String query = rows.query();
        return query == null ? rows.table() + " h" : "(" + withoutEnd(query) + "\n) h";
    }

    private static String withoutEnd(String query) {
        String stripped = query.strip();
        return stripped.endsWith(";") ? stripped.substring(0, stripped.length() - 1) : stripped;
    }

    /**
     * The columns as the fields of a JSON object, and where the row stands.
     *
     * @param plan of the job over its history
     * @throws SourceException with everything that is missing or of another type
     */
    String selection(JobPlan plan) {
        List<String> wrong = new ArrayList<>();
        List<String> fields = new ArrayList<>();
        for (Field field : plan.sourceFields()) {
            Column column = columns.get(field.name());
            String value = column == null ? null : value(field, column);
            if (column == null) {
                wrong.add("there is no column " + field.name() + " ("
                        + field.type().sql() + ")");
            } else if (value == null) {
                wrong.add("the column " + field.name() + " is " + column.name() + ", not "
                        + field.type().sql());
            } else {
                fields.add(value + " as " + Identifiers.quoted(field.name()));
            }
        }
        JdbcPlan.Position position = rows.position();
        if (position != null) {
            require(position.split(), "history.jdbc.position.split", wrong);
            require(position.offset(), "history.jdbc.position.offset", wrong);
            if (position.timestamp() != null) {
                require(position.timestamp(), "history.jdbc.position.timestamp", wrong);
            }
        }
        if (rows.splitBy() != null) {
            require(rows.splitBy(), "history.jdbc.splitBy", wrong);
        }
        if (!wrong.isEmpty()) {
            throw new SourceException("the history (" + rows.name() + ") does not hold what the job reads: "
                    + String.join("; ", wrong)
                    + ". Its columns are "
                    + columns.entrySet().stream()
                            .map(column ->
                                    column.getKey() + " " + column.getValue().name())
                            .collect(Collectors.joining(", "))
                    + ". Name another table, or let a query give the columns their names and types");
        }
        return "row_to_json((select f from (select " + String.join(", ", fields) + ") f))::text"
                + (position == null ? "" : position(position));
    }

    private String position(JdbcPlan.Position position) {
        String timestamp = position.timestamp();
        return ", " + Identifiers.column(position.split()) + "::text, " + Identifiers.column(position.offset())
                + "::bigint, " + (timestamp == null ? "null::bigint" : micros(timestamp));
    }

    /** Microseconds of Kafka's timestamp, which a number counts in milliseconds. */
    private String micros(String name) {
        String column = Identifiers.column(name);
        Column found = columns.get(name);
        if (found != null && found.name().equals("timestamptz")) {
            return "case when isfinite(" + column + ") then (extract(epoch from " + column + ") * 1000000)::bigint end";
        }
        return column + "::bigint * 1000";
    }

    private void require(String name, String key, List<String> wrong) {
        if (!columns.containsKey(name)) {
            wrong.add("there is no column " + name + ", which " + key + " names");
        }
    }

    /** The type of a column, for casts; null if ranges of it cannot be made. */
    @Nullable
    String rangeType(String name) {
        Column column = columns.get(name);
        if (column == null) {
            return null;
        }
        return switch (column.type()) {
            case Types.SMALLINT, Types.INTEGER, Types.BIGINT -> "bigint";
            case Types.NUMERIC, Types.DECIMAL -> "numeric";
            case Types.DATE -> "date";
            default -> Set.of("timestamp", "timestamptz").contains(column.name()) ? column.name() : null;
        };
    }

    /** The type of a column in PostgreSQL's words. */
    String typeName(String name) {
        Column column = columns.get(name);
        return column == null ? "missing" : column.name();
    }

    /** What row_to_json makes JSON of as the schema wants it; null: the column is of another type. */
    private @Nullable String value(Field field, Column column) {
        String name = Identifiers.column(field.name());
        int type = column.type();
        boolean isWhole = type == Types.SMALLINT || type == Types.INTEGER;
        boolean isNumeric = type == Types.NUMERIC || type == Types.DECIMAL;
        Kind kind = field.type().kind();
        return switch (kind) {
            case BOOLEAN -> column.name().equals("bool") ? name : null;
            case INT -> isWhole ? name : null;
            case LONG -> isWhole || type == Types.BIGINT ? name : null;
            case FLOAT -> type == Types.REAL ? name : null;
            case DOUBLE -> type == Types.REAL || type == Types.DOUBLE ? name + "::float8" : null;
            case DECIMAL -> isWhole || type == Types.BIGINT || isNumeric ? name + "::text" : null;
            case STRING ->
                type == Types.VARCHAR || type == Types.CHAR || column.name().equals("uuid") ? name + "::text" : null;
            // encode breaks its lines.
            case BYTES -> type == Types.BINARY ? "translate(encode(" + name + ", 'base64'), E'\\n', '')" : null;
            case UUID -> column.name().equals("uuid") || type == Types.VARCHAR ? name + "::text" : null;
            case DATE -> type == Types.DATE ? name : null;
            case TIME -> column.name().equals("time") ? cut(field, name, "::interval)::time") : null;
            case TIMESTAMP -> column.name().equals("timestamptz") ? cut(field, name, ")") : null;
            case LOCAL_TIMESTAMP -> column.name().equals("timestamp") ? cut(field, name, ")") : null;
        };
    }

    private String cut(Field field, String name, String end) {
        return rows.millis().contains(field.name()) ? "date_trunc('milliseconds', " + name + end : name;
    }
}
