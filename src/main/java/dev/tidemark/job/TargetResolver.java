package dev.tidemark.job;

import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Resolves the target of a job file: its names, its key, and the types of its value columns. */
final class TargetResolver {
    private static final Set<String> FOREIGN_SCHEMAS = Set.of("tidemark", "information_schema");
    private static final String REVISIONS_SUFFIX = "_revisions";
    private static final int GREATEST_KEY = 31;
    private static final int GREATEST_COLUMNS = 1500;
    private static final int GREATEST_SUM_PRECISION = 28;
    private static final int RESULT_PRECISION = 38;
    private static final int AVERAGE_DIGITS = 6;

    static final String METHOD_FORMS = "raw, forward_only, backward_fill or connected_components";

    private final FieldLookup fields;
    private final ExpressionTyper expressions;
    private final String partitionColumn;
    private final Problems problems;

    TargetResolver(FieldLookup fields, ExpressionTyper expressions, String partitionColumn, Problems problems) {
        this.fields = fields;
        this.expressions = expressions;
        this.partitionColumn = partitionColumn;
        this.problems = problems;
    }

    /** The plan of the target, or null if its table is none. */
    @Nullable
    TargetPlan resolve(JobFile.Target target) {
        boolean revisions = target.revisions() != null && target.revisions();
        boolean retroactive = target.retroactive() != null && target.retroactive();
        TableName table = target.table() == null ? null : table(target.table(), revisions);
        // Without key fields the cell is the partition.
        List<Field> key = target.key() == null || target.key().isEmpty()
                ? List.of()
                : fields.keyFields("target.key", target.key());
        if (key.size() > GREATEST_KEY) {
            problems.wrong("target.key", "has " + key.size() + " fields", "expected at most " + GREATEST_KEY);
        }
        Map<String, String> keyColumns = keyColumns(target.key());
        List<ValueColumn> columns = new ArrayList<>();
        Map<String, JobFile.Column> written = target.columns();
        if (written != null) {
            if (written.isEmpty()) {
                problems.wrong("target.columns", "is empty", "expected at least one value column");
            } else if (written.size() > GREATEST_COLUMNS) {
                problems.wrong(
                        "target.columns", "has " + written.size() + " columns", "expected at most " + GREATEST_COLUMNS);
            }
            written.forEach((name, column) -> {
                columnName(name, keyColumns);
                ValueColumn resolved = column(name, column);
                if (resolved != null) {
                    columns.add(resolved);
                }
            });
        }
        if (retroactive && written != null && written.values().stream().noneMatch(TargetResolver::isGlobal)) {
            problems.wrong(
                    "target.retroactive",
                    "is true, but no column is global",
                    "it is for columns that depend on other partitions: leave it out");
        }
        return table == null
                ? null
                : new TargetPlan(table.schema(), table.table(), key, List.copyOf(columns), revisions, retroactive);
    }

    private @Nullable TableName table(String written, boolean revisions) {
        String path = "target.table";
        String[] parts = written.split("\\.", -1);
        if (parts.length > 2
                || !Arrays.stream(parts)
                        .allMatch(part -> ColumnNames.SQL_NAME.matcher(part).matches())) {
            problems.wrong(
                    path,
                    "'" + written + "' is no table name",
                    "expected table or schema.table, each of letters, digits and underscores, not beginning with a"
                            + " digit");
            return null;
        }
        String schemaName = parts.length == 2 ? parts[0] : "public";
        String table = parts[parts.length - 1];
        int longest = ColumnNames.GREATEST_NAME - (revisions ? REVISIONS_SUFFIX.length() : 0);
        if (schemaName.length() > ColumnNames.GREATEST_NAME) {
            problems.wrong(
                    path,
                    "schema name '" + schemaName + "' is too long",
                    "expected at most " + ColumnNames.GREATEST_NAME + " bytes");
        }
        if (table.length() > longest) {
            problems.wrong(
                    path,
                    "table name '" + table + "' is too long",
                    "expected at most " + longest + " bytes"
                            + (revisions ? ", so that " + REVISIONS_SUFFIX + " fits" : ""));
        }
        if (FOREIGN_SCHEMAS.contains(schemaName) || schemaName.startsWith("pg_")) {
            problems.wrong(path, "schema '" + schemaName + "' is not for targets", "choose another schema");
        }
        return new TableName(schemaName, table);
    }

    /** The key's fields by the columns that bear their names; of a path, its last part. */
    private Map<String, String> keyColumns(@Nullable List<String> key) {
        Map<String, String> fieldByColumn = new LinkedHashMap<>();
        for (int i = 0; key != null && i < key.size(); i++) {
            String path = "target.key[" + i + "]";
            String name = key.get(i);
            String column = name.substring(name.lastIndexOf('.') + 1);
            String other = fieldByColumn.putIfAbsent(column, name);
            if (other != null && !other.equals(name)) {
                problems.wrong(
                        path,
                        "'" + name + "' and '" + other + "' would both be the column '" + column + "'",
                        "a key column is named by the last part of its field's path: give one of the fields another name"
                                + " in the schema, with the present one as its alias");
            } else if (column.equals(partitionColumn)) {
                problems.wrong(
                        path,
                        "'" + column + "' is the name of the partition column too",
                        "give partition.column another name");
            } else if (ColumnNames.SQL_NAME.matcher(column).matches()) {
                // Another name is no field, which is said already.
                ColumnNames.check(path, column, problems);
            }
        }
        return fieldByColumn;
    }

    private void columnName(String name, Map<String, String> keyColumns) {
        String path = "target.columns." + name;
        if (name.equals(partitionColumn)) {
            problems.wrong(path, "'" + name + "' is the name of the partition column too", "choose another name");
        } else if (keyColumns.containsKey(name)) {
            problems.wrong(path, "'" + name + "' is the name of a key column too", "choose another name");
        } else {
            ColumnNames.check(path, name, problems);
        }
    }

    private @Nullable ValueColumn column(String name, JobFile.Column written) {
        String path = "target.columns." + name;
        Map<Aggregate, String> functions = written.functions();
        if (functions.size() != 1) {
            if (!functions.isEmpty()) {
                problems.wrong(
                        path, "has " + functions.size() + " functions: " + words(functions.keySet()), "expected one");
            } else if (!problems.anyAt(path)) {
                problems.wrong(path, "has no function", "expected one of " + words(List.of(Aggregate.values())));
            }
            return null;
        }
        Map.Entry<Aggregate, String> only = functions.entrySet().iterator().next();
        Aggregate function = only.getKey();
        String functionPath = path + "." + function.word();
        if (function.isOfIdentities()) {
            return identityColumn(name, path, function, only.getValue(), written);
        }
        boolean countsMembers = function.countsMembers() && only.getValue().isEmpty();
        Field field = countsMembers ? null : fields.field(functionPath, only.getValue());
        List<Field> order = List.of();
        if (written.order() != null) {
            order = fields.fields(path + ".order", written.order());
            if (function != Aggregate.FIRST && function != Aggregate.LATEST) {
                problems.wrong(path + ".order", function.word() + " has no order", "only first and latest have one");
            }
        }
        Expression condition = written.where() == null ? null : expressions.condition(path + ".where", written.where());
        if (field == null && !countsMembers) {
            return null;
        }
        FieldType type = field == null ? FieldType.of(Kind.LONG) : resultType(functionPath, function, field);
        return type == null ? null : new ValueColumn(name, function, field, order, type, condition);
    }

    private static boolean isGlobal(JobFile.Column written) {
        return written.functions().entrySet().stream().anyMatch(entry -> {
            IdentityMethod method = entry.getKey().isOfIdentities() ? IdentityMethod.of(entry.getValue()) : null;
            return (method == null ? entry.getKey().kind() : method.kind()) == ColumnKind.GLOBAL;
        });
    }

    private @Nullable ValueColumn identityColumn(
            String name, String path, Aggregate function, String written, JobFile.Column column) {
        if (column.order() != null) {
            problems.wrong(path + ".order", function.word() + " has no order", "only first and latest have one");
        }
        if (column.where() != null) {
            problems.wrong(
                    path + ".where",
                    function.word() + " sees all events",
                    "leave it out; the where of the job leaves records out for all columns");
        }
        IdentityMethod method = IdentityMethod.of(written);
        if (method == null) {
            problems.wrong(path + "." + function.word(), "'" + written + "' is no method", "expected " + METHOD_FORMS);
            return null;
        }
        return ValueColumn.ofIdentities(name, function, method);
    }

    private static String words(Iterable<Aggregate> functions) {
        List<String> words = new ArrayList<>();
        functions.forEach(function -> words.add(function.word()));
        return String.join(", ", words);
    }

    private @Nullable FieldType resultType(String path, Aggregate function, Field field) {
        return switch (function) {
            case COUNT, COUNT_DISTINCT, RUNNING_COUNT, RUNNING_COUNT_DISTINCT, IDENTITIES, IDENTIFIED_EVENTS ->
                FieldType.of(Kind.LONG);
            case MIN, MAX, FIRST, LATEST -> field.type();
            case SUM, RUNNING_SUM ->
                switch (field.type().kind()) {
                    case INT -> FieldType.of(Kind.LONG);
                    case LONG -> FieldType.decimal(RESULT_PRECISION, 0);
                    case FLOAT, DOUBLE -> FieldType.of(Kind.DOUBLE);
                    case DECIMAL -> decimal(path, function, field, 0);
                    default -> notANumber(path, function, field);
                };
            case AVG ->
                switch (field.type().kind()) {
                    case INT, LONG -> FieldType.decimal(RESULT_PRECISION, AVERAGE_DIGITS);
                    case FLOAT, DOUBLE -> FieldType.of(Kind.DOUBLE);
                    case DECIMAL -> decimal(path, function, field, AVERAGE_DIGITS);
                    default -> notANumber(path, function, field);
                };
        };
    }

    private @Nullable FieldType decimal(String path, Aggregate function, Field field, int furtherDigits) {
        if (field.type().precision() > GREATEST_SUM_PRECISION) {
            problems.wrong(
                    path,
                    function.word() + " over " + field.type().sql() + " could overflow",
                    "expected a decimal of at most " + GREATEST_SUM_PRECISION + " digits");
            return null;
        }
        return FieldType.decimal(RESULT_PRECISION, field.type().scale() + furtherDigits);
    }

    private @Nullable FieldType notANumber(String path, Aggregate function, Field field) {
        problems.wrong(
                path,
                function.word() + " over field '" + field.name() + "', which is " + fields.described(field.name()),
                "the numbers are " + fields.numbers());
        return null;
    }

    private record TableName(String schema, String table) {}
}
