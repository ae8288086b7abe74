package dev.tidemark.expression;

import dev.tidemark.change.Draft;
import dev.tidemark.change.Values;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobFileException;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Derived;
import dev.tidemark.job.SourceSchema;
import dev.tidemark.job.avro.AvroSchemas;
import dev.tidemark.job.yaml.JobFiles;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the program and what PostgreSQL say of the same expressions over {@link TypedRows}. */
final class BothAnswers {
    /** Neither a value nor null. */
    static final String FAILURE = "cannot be computed";

    static final String ZONE = "America/New_York";

    private static final String JOB = """
            formatVersion: 1
            job: expressions
            source: { schema: row.avsc, format: json, files: { path: . } }
            fields:
            FIELDS
            changes: { mode: append }
            time: { event: at, observed: none, frontier: event }
            partition: { grain: day, zone: %s, lookback: 1 }
            target: { table: x, key: [s], columns: { rows: { count: {} } } }
            """.formatted(ZONE);

    private final Path folder;
    private final Connection connection;

    BothAnswers(Path folder, Connection connection) throws IOException, SQLException {
        this.folder = folder;
        this.connection = connection;
        Files.writeString(folder.resolve("row.avsc"), TypedRows.SCHEMA);
        try (Statement statement = connection.createStatement()) {
            statement.execute("set timezone = '" + ZONE + "'");
            statement.execute("set datestyle = 'ISO'");
            statement.execute("create table if not exists typed_rows (" + TypedRows.COLUMNS + ", id integer)");
            statement.execute("truncate typed_rows");
            for (int id = 0; id < TypedRows.ROWS.size(); id++) {
                String values = TypedRows.sql(TypedRows.ROWS.get(id));
                statement.execute("insert into typed_rows values "
                        + values.substring(0, values.length() - 1)
                        + (", " + id + ")"));
            }
        }
    }

    /** The expressions, typed, each as a derived field. */
    JobPlan plan(List<String> expressions) throws IOException {
        StringBuilder fields = new StringBuilder();
        for (int i = 0; i < expressions.size(); i++) {
            String quoted = expressions.get(i).replace("\\", "\\\\").replace("\"", "\\\"");
            fields.append("  x").append(i).append(": \"").append(quoted).append("\"\n");
        }
        Path file = Files.writeString(folder.resolve("job.yaml"), JOB.replace("FIELDS\n", fields));
        return JobFiles.read(file, Map.of());
    }

    /** Which of the expressions have no type; the numbers of those that have. */
    List<String> accepted(List<String> expressions) throws IOException {
        try {
            plan(expressions);
            return expressions;
        } catch (JobFileException refused) {
            List<String> rest = new ArrayList<>(expressions);
            refused.problems().stream()
                    .map(problem -> Integer.parseInt(problem.path().replace("fields.x", "")))
                    .distinct()
                    .sorted((one, other) -> other - one)
                    .forEach(number -> rest.remove((int) number));
            return rest;
        }
    }

    /** The program's values: by expression, then by row. */
    List<List<@Nullable Object>> ours(JobPlan plan) {
        SourceSchema schema = AvroSchemas.parse(TypedRows.SCHEMA);
        List<Field> fields = new ArrayList<>();
        for (SourceSchema.SchemaField field : schema.fields()) {
            FieldType type = field.type();
            if (type != null) {
                fields.add(new Field(field.name(), type));
            }
        }
        int decoded = fields.size();
        plan.fields().forEach(derived -> fields.add(derived.field()));
        Derivations derivations =
                new Derivations(plan.fields(), fields, plan.partition().zone());
        Draft draft = new Draft(fields.size());
        List<List<@Nullable Object>> answers = new ArrayList<>();
        plan.fields().forEach(derived -> answers.add(new ArrayList<>()));
        for (List<@Nullable Object> row : TypedRows.ROWS) {
            TypedRows.fill(draft, fields, row);
            derivations.evaluate(draft);
            for (int i = 0; i < answers.size(); i++) {
                answers.get(i)
                        .add(value(draft, decoded + i, fields.get(decoded + i).type()));
            }
        }
        return answers;
    }

    private static @Nullable Object value(Draft draft, int slot, FieldType type) {
        if (draft.isSpoiled(slot)) {
            return FAILURE;
        }
        if (draft.isNull(slot)) {
            return null;
        }
        return type.isFixed()
                ? Values.ofFixed(type, draft.fixed(slot))
                : Values.ofBytes(type, draft.bytes(slot), draft.start(slot), draft.length(slot));
    }

    /** PostgreSQL's values by row, of an expression in its own words. */
    List<@Nullable Object> postgres(String sql, FieldType type) throws SQLException {
        List<@Nullable Object> answers = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("select " + sql + " from typed_rows order by id")) {
            while (result.next()) {
                answers.add(value(result, type));
            }
            return answers;
        } catch (SQLException failure) {
            // One row at least fails: which?
            answers.clear();
        }
        for (int id = 0; id < TypedRows.ROWS.size(); id++) {
            try (Statement statement = connection.createStatement();
                    ResultSet result = statement.executeQuery("select " + sql + " from typed_rows where id = " + id)) {
                result.next();
                answers.add(value(result, type));
            } catch (SQLException failure) {
                if (failure.getSQLState().startsWith("42")) {
                    throw failure;
                }
                answers.add(FAILURE);
            }
        }
        return answers;
    }

    private static @Nullable Object value(ResultSet result, FieldType type) throws SQLException {
        if (result.getObject(1) == null) {
            return null;
        }
        return switch (type.kind()) {
            case BOOLEAN -> result.getBoolean(1);
            case INT -> result.getInt(1);
            case LONG -> result.getLong(1);
            case FLOAT -> result.getFloat(1);
            case DOUBLE -> result.getDouble(1);
            case DECIMAL -> result.getBigDecimal(1);
            case STRING -> result.getString(1);
            case DATE -> result.getObject(1, LocalDate.class);
            case TIME -> result.getObject(1, LocalTime.class);
            case TIMESTAMP -> result.getObject(1, OffsetDateTime.class).toInstant();
            case LOCAL_TIMESTAMP -> result.getObject(1, LocalDateTime.class);
            case UUID -> result.getObject(1, UUID.class);
            case BYTES -> throw new IllegalArgumentException("no expression gives bytes");
        };
    }

    /** Whether two values are one; decimals by number, whatever digits are shown. */
    static boolean areEqual(@Nullable Object one, @Nullable Object other) {
        if (one instanceof BigDecimal left && other instanceof BigDecimal right) {
            return left.compareTo(right) == 0;
        }
        if (one instanceof Double left && other instanceof Double right) {
            return left == 0 ? right == 0 : left.equals(right);
        }
        if (one instanceof Float left && other instanceof Float right) {
            return left == 0 ? right == 0 : left.equals(right);
        }
        return one == null ? other == null : one.equals(other);
    }

    /** Each row in which the program and PostgreSQL differ over an expression. */
    List<String> differences(Derived derived, String sql, List<@Nullable Object> ours, boolean strict)
            throws SQLException {
        FieldType type = derived.field().type();
        List<@Nullable Object> theirs = postgres(sql, type);
        List<String> differences = new ArrayList<>();
        for (int id = 0; id < theirs.size(); id++) {
            // PostgreSQL folds a null that is constant before it computes the other operand
            boolean isForgiven = !strict
                    && (FAILURE.equals(theirs.get(id)) || (theirs.get(id) == null && FAILURE.equals(ours.get(id))));
            if (!isForgiven && !areEqual(ours.get(id), theirs.get(id))) {
                differences.add(sql + " in row " + id + " " + TypedRows.ROWS.get(id) + ": " + ours.get(id)
                        + ", and in PostgreSQL " + theirs.get(id) + " (" + type.sql() + ")");
            }
        }
        return differences;
    }
}
