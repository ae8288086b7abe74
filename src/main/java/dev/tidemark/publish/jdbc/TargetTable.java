package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Identifiers;
import dev.tidemark.job.ColumnKind;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.WarehouseException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The table that a job keeps right, its table of revisions and its staging table: created if absent, checked column by
 * column if present. Key columns of text are created {@code collate "C"}: it is the order of UTF-8 bytes and the fastest to
 * compare.
 */
final class TargetTable {
    private static final int WIDEST_PRIMARY_KEY = 32;
    private static final Set<String> OWN =
            Set.of("_part", "_line", "_removed", "_number", "_stood", "_was_members", "_first");

    private final JobPlan plan;
    private final TargetNames names;

    /** @throws WarehouseException if names are too long or used twice */
    TargetTable(JobPlan plan) {
        this.plan = plan;
        try {
            if (plan.target().revisions()) {
                int limit = Identifiers.LIMIT_BYTES - "_revisions".length();
                if (plan.target().table().getBytes(StandardCharsets.UTF_8).length > limit) {
                    throw new WarehouseException(
                            "the table name " + plan.target().table() + " is longer than " + limit
                                    + " bytes, which leaves no room for its _revisions; shorten it or set revisions: false");
                }
            }
            this.names = new TargetNames(plan);
        } catch (IllegalArgumentException e) {
            throw new WarehouseException(
                    "the target of the job " + plan.job() + " cannot be made: " + e.getMessage(), e);
        }
        requireDistinctNames();
    }

    TargetNames names() {
        return names;
    }

    /**
     * Creates what is missing and checks what is there.
     *
     * @throws WarehouseException with all differences, if a table that is there does not fit
     */
    void ensure(Connection connection) throws SQLException {
        requireFit(connection);
        createSchema(connection);
        List<Column> columns = targetColumns();
        if (!exists(connection, names.tableName())) {
            create(connection, names.tableName(), columns, cellNames());
            describe(connection, names.tableName());
        }
        if (names.hasRevisions()) {
            if (!exists(connection, names.revisionsName())) {
                create(connection, names.revisionsName(), revisionColumns(columns), revisionNames());
                describe(connection, names.revisionsName());
            }
            createIndexOfRemovals(connection);
        }
        ensureStaging(connection, columns);
    }

    /**
     * Checks what is there, and changes nothing. What is missing is no fault.
     *
     * @throws WarehouseException with all differences, if a table that is there does not fit
     */
    void requireFit(Connection connection) throws SQLException {
        List<Column> columns = targetColumns();
        List<String> problems = new ArrayList<>();
        compare(connection, names.tableName(), columns, cellNames(), problems);
        if (names.hasRevisions()) {
            compare(connection, names.revisionsName(), revisionColumns(columns), revisionNames(), problems);
        }
        if (!problems.isEmpty()) {
            throw new WarehouseException("the table " + shown(names.tableName())
                    + " is there, but is not what the job " + plan.job() + " writes:\n  "
                    + String.join("\n  ", problems)
                    + "\nalter it, name another target, or drop it so that `init` creates it");
        }
    }

    private List<String> revisionNames() {
        List<String> key = cellNames();
        key.add("_revision");
        return key;
    }

    /** Whether the target itself is there. */
    boolean exists(Connection connection) throws SQLException {
        return exists(connection, names.tableName());
    }

    /** Whether the table, which exists, has any row. */
    boolean hasRows(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select 1 from " + names.table() + " limit 1");
                ResultSet row = statement.executeQuery()) {
            return row.next();
        }
    }

    /** The greatest number of characters of each text column that has one, by the column's name. */
    Map<String, Integer> textLimits(Connection connection) throws SQLException {
        Map<String, Integer> limits = new LinkedHashMap<>();
        for (Present column :
                present(connection, names.schema(), names.tableName()).values()) {
            if (column.limit() != null) {
                limits.put(column.name(), column.limit());
            }
        }
        return limits;
    }

    private void createSchema(Connection connection) throws SQLException {
        try (PreparedStatement exists = connection.prepareStatement("select 1 from pg_namespace where nspname = ?")) {
            exists.setString(1, names.schema());
            try (ResultSet found = exists.executeQuery()) {
                if (found.next()) {
                    return;
                }
            }
        }
        execute(connection, "create schema " + Identifiers.quoted(names.schema()));
    }

    private void compare(
            Connection connection, String table, List<Column> columns, List<String> key, List<String> problems)
            throws SQLException {
        Map<String, Present> present = present(connection, names.schema(), table);
        if (present.isEmpty() && !exists(connection, table)) {
            return;
        }
        String where = table.equals(names.tableName()) ? "" : table + ": ";
        for (Column column : columns) {
            Present there = present.remove(column.name());
            if (there == null) {
                problems.add(where + "column " + column.name() + " " + column.type() + " is missing");
                continue;
            }
            if (!column.accepts(there.type())) {
                problems.add(where + "column " + column.name() + " is " + there.type() + ", must be " + column.type());
            }
            if (there.notNull() && column.mayBeNull()) {
                problems.add(where + "column " + column.name() + " is not null, must take nulls");
            }
            if (!there.notNull() && key.contains(column.name())) {
                problems.add(where + "column " + column.name() + " takes nulls, must be not null");
            }
        }
        for (Present extra : present.values()) {
            if (extra.notNull() && !extra.hasDefault()) {
                problems.add(where + "column " + extra.name() + " is not the job's, not null and has no default");
            }
        }
        List<String> primaryKey = primaryKey(connection, table);
        if (!new LinkedHashSet<>(primaryKey).equals(new LinkedHashSet<>(key))) {
            problems.add(where + "the primary key is "
                    + (primaryKey.isEmpty() ? "missing" : "(" + String.join(", ", primaryKey) + ")") + ", must be ("
                    + String.join(", ", key) + ")");
        }
    }

    private void create(Connection connection, String table, List<Column> columns, List<String> key)
            throws SQLException {
        List<String> lines = new ArrayList<>();
        for (Column column : columns) {
            boolean inKey = key.contains(column.name());
            String collation = inKey && column.type().equals("text") ? " collate \"C\"" : "";
            lines.add(Identifiers.quoted(column.name()) + " " + column.type() + collation
                    + (column.mayBeNull() && !inKey ? "" : " not null"));
        }
        lines.add("primary key (" + TargetNames.list(key, Identifiers::quoted) + ")");
        int fillFactor = table.equals(names.tableName()) ? 80 : 100;
        execute(
                connection,
                "create table " + Identifiers.quoted(names.schema(), table) + " (\n    " + String.join(",\n    ", lines)
                        + "\n) with (fillfactor = " + fillFactor + ")");
    }

    /** Says of each value column what it depends on, where readers of the table see it. */
    private void describe(Connection connection, String table) throws SQLException {
        for (JobPlan.ValueColumn column : plan.target().columns()) {
            String text = column.kind() == ColumnKind.GLOBAL
                    ? "global: as of _publication"
                    : column.kind().word();
            execute(
                    connection,
                    "comment on column " + Identifiers.quoted(names.schema(), table) + "."
                            + Identifiers.quoted(column.name()) + " is " + Identifiers.literal(text));
        }
    }

    /** Removals are few; by this index a cell that returns finds its last number without reading all revisions. */
    private void createIndexOfRemovals(Connection connection) throws SQLException {
        String list = TargetNames.list(names.cell()) + ", _revision";
        try (PreparedStatement exists = connection.prepareStatement("""
                select 1 from pg_index where indrelid = cast(? as regclass) and indpred is not null""")) {
            exists.setString(1, names.revisions());
            try (ResultSet found = exists.executeQuery()) {
                if (found.next()) {
                    return;
                }
            }
        }
        execute(connection, "create index on " + names.revisions() + " (" + list + ") where _removed");
    }

    /** Staged rows have the types of the target's own columns, so that they compare and join without conversion. */
    private void ensureStaging(Connection connection, List<Column> columns) throws SQLException {
        Map<String, Present> target = present(connection, names.schema(), names.tableName());
        Map<String, String> wanted = new LinkedHashMap<>();
        wanted.put("_part", "uuid");
        wanted.put("_line", "bigint");
        wanted.put("_removed", "boolean");
        for (Column column : columns) {
            if (!column.isBookkeeping()
                    || column.name().equals("_members")
                    || column.name().equals("_fingerprint")) {
                Present there = target.get(column.name());
                wanted.put(column.name(), there == null ? column.type() : there.type());
            }
        }
        Map<String, String> there = new LinkedHashMap<>();
        present(connection, TargetNames.STAGING_SCHEMA, plan.job())
                .values()
                .forEach(column -> there.put(column.name(), column.type()));
        if (there.equals(wanted)) {
            return;
        }
        if (!there.isEmpty()) {
            forgetStaged(connection);
            execute(connection, "drop table " + names.staging());
        }
        List<String> lines = new ArrayList<>();
        wanted.forEach((name, type) -> lines.add(Identifiers.quoted(name) + " " + type
                + (plan.target().key().stream().anyMatch(key -> key.column().equals(name)) && type.equals("text")
                        ? " collate \"C\""
                        : "")));
        execute(
                connection,
                "create table " + names.staging() + " (\n    " + String.join(",\n    ", lines)
                        + "\n) with (autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_threshold = 10000)");
        execute(connection, "create index on " + names.staging() + " (_part)");
    }

    /** Rows staged in another shape can no longer be published: the committer finds them gone and says the way out. */
    private void forgetStaged(Connection connection) throws SQLException {
        try (PreparedStatement forget = connection.prepareStatement("""
                with forgotten as (
                    delete from tidemark.staged_parts where job = ? and cells > 0 returning part
                ), late as (
                    delete from tidemark.staged_late where part in (select part from forgotten)
                )
                delete from tidemark.staged_rejected where part in (select part from forgotten)""")) {
            forget.setString(1, plan.job());
            forget.executeUpdate();
        }
    }

    private boolean exists(Connection connection, String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select relkind in ('r', 'p') from pg_class
                where relname = ? and relnamespace = (select oid from pg_namespace where nspname = ?)""")) {
            statement.setString(1, table);
            statement.setString(2, names.schema());
            try (ResultSet found = statement.executeQuery()) {
                if (!found.next()) {
                    return false;
                }
                if (!found.getBoolean(1)) {
                    throw new WarehouseException(shown(table) + " is there, but is not a table; name another target");
                }
                return true;
            }
        }
    }

    private static Map<String, Present> present(Connection connection, String schema, String table)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
                       a.atthasdef or a.attidentity <> '',
                       case when a.atttypid in ('varchar'::regtype, 'bpchar'::regtype) and a.atttypmod > 4
                            then a.atttypmod - 4 end
                from pg_attribute a
                where a.attnum > 0 and not a.attisdropped and a.attrelid = (
                    select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
                    where n.nspname = ? and c.relname = ? and c.relkind in ('r', 'p'))
                order by a.attnum""")) {
            statement.setString(1, schema);
            statement.setString(2, table);
            Map<String, Present> columns = new LinkedHashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    int limit = rows.getInt(5);
                    Integer given = rows.wasNull() ? null : Integer.valueOf(limit);
                    Present column = new Present(
                            rows.getString(1), rows.getString(2), rows.getBoolean(3), rows.getBoolean(4), given);
                    columns.put(column.name(), column);
                }
            }
            return columns;
        }
    }

    private List<String> primaryKey(Connection connection, String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select a.attname
                from pg_index i
                join unnest(i.indkey) with ordinality as k (attnum, place) on true
                join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
                where i.indrelid = cast(? as regclass) and i.indisprimary
                order by k.place""")) {
            statement.setString(1, Identifiers.quoted(names.schema(), table));
            List<String> columns = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    columns.add(rows.getString(1));
                }
            }
            return columns;
        }
    }

    private List<Column> targetColumns() {
        List<Column> columns = new ArrayList<>();
        columns.add(new Column(plan.partition().column(), names.partitionType(), false, false));
        for (Field key : plan.target().key()) {
            columns.add(new Column(key.column(), key.type().sql(), false, false));
        }
        for (JobPlan.ValueColumn column : plan.target().columns()) {
            columns.add(new Column(
                    column.name(), column.type().sql(), !column.function().countsMembers(), false));
        }
        columns.add(new Column("_revision", "integer", false, true));
        columns.add(new Column("_members", "bigint", false, true));
        columns.add(new Column("_fingerprint", "bigint", false, true));
        columns.add(new Column("_pane", "text", false, true));
        columns.add(new Column("_publication", "bigint", false, true));
        columns.add(new Column("_published_at", "timestamp with time zone", false, true));
        return columns;
    }

    /** A removal has no values. */
    private List<Column> revisionColumns(List<Column> target) {
        List<Column> columns = new ArrayList<>();
        List<String> cell = cellNames();
        for (Column column : target) {
            boolean isValue = !column.isBookkeeping() && !cell.contains(column.name());
            columns.add(isValue ? new Column(column.name(), column.type(), true, false) : column);
        }
        columns.add(new Column("_removed", "boolean", false, true));
        return columns;
    }

    private List<String> cellNames() {
        List<String> cell = new ArrayList<>();
        cell.add(plan.partition().column());
        plan.target().key().forEach(key -> cell.add(key.column()));
        return cell;
    }

    private void requireDistinctNames() {
        Set<String> seen = new LinkedHashSet<>(OWN);
        for (Column column : targetColumns()) {
            if (!seen.add(column.name())) {
                throw new WarehouseException("the target of the job " + plan.job() + " has two columns named "
                        + column.name() + ", or one that bears a name of the program's own; rename it");
            }
        }
        if (plan.target().key().size() + 2 > WIDEST_PRIMARY_KEY) {
            throw new WarehouseException("the target of the job " + plan.job() + " has "
                    + plan.target().key().size() + " key columns; PostgreSQL's primary keys have "
                    + (WIDEST_PRIMARY_KEY - 2) + " beside partition and revision at most");
        }
    }

    private String shown(String table) {
        return Identifiers.shown(names.schema(), table);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** A column as the job wants it. */
    private record Column(String name, String type, boolean mayBeNull, boolean isBookkeeping) {
        private boolean accepts(String there) {
            return there.equals(type)
                    || (type.equals(FieldType.of(FieldType.Kind.STRING).sql())
                            && !isBookkeeping
                            && (there.startsWith("character varying") || there.startsWith("character(")));
        }
    }

    /** A column as it is. */
    private record Present(
            String name,
            String type,
            boolean notNull,
            boolean hasDefault,
            @Nullable Integer limit) {}
}
