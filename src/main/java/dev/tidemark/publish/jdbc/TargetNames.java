package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Identifiers;
import dev.tidemark.job.ColumnKind;
import dev.tidemark.job.Field;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The tables and columns of one job's target, as SQL takes them. */
final class TargetNames {
    static final String STAGING_SCHEMA = "tidemark_staging";
    private static final String REVISIONS = "_revisions";

    private final Grain grain;
    private final String schema;
    private final String tableName;
    private final String table;
    private final String revisions;
    private final String revisionsName;
    private final String staging;
    private final String partition;
    private final List<String> keys;
    private final List<String> values;
    private final List<String> lasting;
    private final boolean hasRevisions;

    /** @throws IllegalArgumentException if a name cannot be one */
    TargetNames(JobPlan plan) {
        JobPlan.TargetPlan target = plan.target();
        grain = plan.partition().grain();
        schema = target.schema();
        tableName = target.table();
        hasRevisions = target.revisions();
        revisionsName = tableName + REVISIONS;
        table = Identifiers.quoted(schema, tableName);
        revisions = hasRevisions ? Identifiers.quoted(schema, revisionsName) : "";
        staging = Identifiers.quoted(STAGING_SCHEMA, plan.job());
        partition = Identifiers.quoted(plan.partition().column());
        keys = target.key().stream().map(Field::column).map(Identifiers::quoted).toList();
        values = target.columns().stream()
                .map(JobPlan.ValueColumn::name)
                .map(Identifiers::quoted)
                .toList();
        lasting = target.columns().stream()
                .filter(column -> column.kind() == ColumnKind.LOCAL || target.retroactive())
                .map(JobPlan.ValueColumn::name)
                .map(Identifiers::quoted)
                .toList();
    }

    String schema() {
        return schema;
    }

    String tableName() {
        return tableName;
    }

    String revisionsName() {
        return revisionsName;
    }

    String table() {
        return table;
    }

    String revisions() {
        return revisions;
    }

    boolean hasRevisions() {
        return hasRevisions;
    }

    String staging() {
        return staging;
    }

    String partition() {
        return partition;
    }

    List<String> keys() {
        return keys;
    }

    List<String> values() {
        return values;
    }

    /** The value columns for whose sake the stream writes a row again: those that stay true while the row stands. */
    List<String> lasting() {
        return lasting;
    }

    String partitionType() {
        return grain == Grain.HOUR ? "timestamp with time zone" : "date";
    }

    /** Partition and key columns. */
    List<String> cell() {
        List<String> cell = new ArrayList<>();
        cell.add(partition);
        cell.addAll(keys);
        return cell;
    }

    /** Partition, key and value columns. */
    List<String> cellAndValues() {
        List<String> columns = cell();
        columns.addAll(values);
        return columns;
    }

    /** The partition column of a row as ISO text, as the bookkeeping tables have it. */
    String iso(String column) {
        return grain == Grain.HOUR
                ? "to_char(" + column + " at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
                : "to_char(" + column + ", 'YYYY-MM-DD')";
    }

    static String list(List<String> columns) {
        return String.join(", ", columns);
    }

    static String list(List<String> columns, UnaryOperator<String> each) {
        return columns.stream().map(each).collect(Collectors.joining(", "));
    }

    static String and(List<String> columns, UnaryOperator<String> each) {
        return columns.stream().map(each).collect(Collectors.joining(" and "));
    }

    static String or(List<String> columns, UnaryOperator<String> each) {
        return columns.stream().map(each).collect(Collectors.joining(" or "));
    }
}
