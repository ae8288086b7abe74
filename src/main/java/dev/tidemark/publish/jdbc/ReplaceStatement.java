package dev.tidemark.publish.jdbc;

import static dev.tidemark.publish.jdbc.TargetNames.and;
import static dev.tidemark.publish.jdbc.TargetNames.list;
import static dev.tidemark.publish.jdbc.TargetNames.or;

import dev.tidemark.database.Identifiers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts staged cells in the place of all rows of some partitions: a row that is not among them goes, one that differs is
 * replaced under the next revision number, and one that stands as it should is not written. The difference is found once,
 * by joining both sides, and global columns count in it: what a rebuild leaves is as of the rebuild.
 */
final class ReplaceStatement {
    private static final String SETTINGS = "set local enable_nestloop = off; set local work_mem = '64MB'";
    private static final String PLAN_AS_USUAL = "set local enable_nestloop = on";

    private final String repeated;
    private final String trial;
    private final String replace;

    ReplaceStatement(String job, TargetNames names) {
        String diff = diff(job, names);
        this.repeated = """
                select %s from %s where _part = any(cast(? as uuid[])) group by %s having count(*) > 1 limit 1""".formatted(
                list(names.cell(), column -> "cast(" + column + " as text)"), names.staging(), list(names.cell()));
        this.trial = diff + summary(names);
        this.replace = diff
                + """
                , paned as materialized (
                    select diff.*, 'REBUILT' as _pane,
                           cast(? as bigint) as _publication, cast(? as timestamptz) as _published_at
                    from diff
                ), replaced as (
                    insert into %1$s (%2$s)
                    select %3$s from paned where not _removed
                    on conflict (%4$s) do update set %5$s
                ), removed as (
                    delete from %1$s t using paned where paned._removed and %6$s
                ), kept as (
                    %7$s
                )""".formatted(
                        names.table(),
                        ApplyStatement.standing(names),
                        ApplyStatement.fresh(names),
                        list(names.cell()),
                        ApplyStatement.assignments(names),
                        and(names.cell(), column -> "t." + column + " = paned." + column),
                        ApplyStatement.keep(job, names, ApplyStatement.standing(names), ApplyStatement.fresh(names)))
                + summary(names);
    }

    /** What differs in one partition. */
    record Changed(String partition, long fresh, long changed, long removed) {}

    /** A cell that is staged more than once, as text; null: there is none. */
    @Nullable
    String repeated(Connection connection, List<String> parts) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(repeated)) {
            statement.setArray(1, Parameters.text(connection, parts));
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                List<String> cell = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    cell.add(row.getString(i));
                }
                return String.join(", ", cell);
            }
        }
    }

    /** What would change. */
    List<Changed> differences(Connection connection, List<String> parts, @Nullable String first, @Nullable String last)
            throws SQLException {
        set(connection, SETTINGS);
        try (PreparedStatement statement = connection.prepareStatement(trial)) {
            bind(statement, connection, parts, first, last);
            List<Changed> changed = read(statement);
            set(connection, PLAN_AS_USUAL);
            return changed;
        }
    }

    /** Changes it. */
    List<Changed> run(
            Connection connection,
            List<String> parts,
            @Nullable String first,
            @Nullable String last,
            long publication,
            Timestamp publishedAt)
            throws SQLException {
        set(connection, SETTINGS);
        try (PreparedStatement statement = connection.prepareStatement(replace)) {
            bind(statement, connection, parts, first, last);
            statement.setLong(4, publication);
            statement.setTimestamp(5, publishedAt);
            List<Changed> changed = read(statement);
            set(connection, PLAN_AS_USUAL);
            return changed;
        }
    }

    private static void bind(
            PreparedStatement statement,
            Connection connection,
            List<String> parts,
            @Nullable String first,
            @Nullable String last)
            throws SQLException {
        statement.setArray(1, Parameters.text(connection, parts));
        statement.setString(2, first);
        statement.setString(3, last);
    }

    private static List<Changed> read(PreparedStatement statement) throws SQLException {
        List<Changed> changed = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                changed.add(new Changed(rows.getString(1), rows.getLong(2), rows.getLong(3), rows.getLong(4)));
            }
        }
        return changed;
    }

    private static void set(Connection connection, String settings) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(settings);
        }
    }

    private static String diff(String job, TargetNames names) {
        String type = names.partitionType();
        List<String> cell = names.cell();
        return """
                with truth as (
                    select %1$s, _members, _fingerprint from %2$s where _part = any(cast(? as uuid[])) and not _removed
                ), stands as (
                    select * from %3$s
                    where %4$s >= coalesce(cast(? as %5$s), '-infinity')
                      and %4$s <= coalesce(cast(? as %5$s), 'infinity')
                ), joined as (
                    select %6$s%7$s, coalesce(s._members, 0) as _members, coalesce(s._fingerprint, 0) as _fingerprint,
                           s._members is null as _removed, t._revision is not null as _stood,
                           coalesce(t._revision, 0) as _was
                    from truth s full join stands t on %8$s
                    where s._members is null or t._revision is null or %9$s
                ), diff as materialized (
                    select joined.*, greatest(joined._was, coalesce(%10$s, 0)) + 1 as _number from joined
                )""".formatted(
                list(names.cellAndValues()),
                names.staging(),
                names.table(),
                names.partition(),
                type,
                list(cell, column -> "coalesce(s." + column + ", t." + column + ") as " + column),
                names.values().isEmpty() ? "" : ", " + list(names.values(), column -> "s." + column),
                and(cell, column -> "s." + column + " = t." + column),
                or(ApplyStatement.compared(names.values()), column -> "t." + column + " is distinct from s." + column),
                lastNumber(job, names));
    }

    /** The greatest number that a cell ever had, as a subquery: what stands may be somebody else's row. */
    private static String lastNumber(String job, TargetNames names) {
        return names.hasRevisions()
                ? "(select max(r._revision) from " + names.revisions() + " r where "
                        + and(names.cell(), column -> "r." + column + " = joined." + column) + ")"
                : "(select r.revision from tidemark.removed_cells r where r.job = " + Identifiers.literal(job)
                        + " and r.partition = " + names.iso("joined." + names.partition()) + " and r.key = "
                        + ApplyStatement.keyJson(names, "joined.") + ")";
    }

    private static String summary(TargetNames names) {
        return """

                select %s, count(*) filter (where not _removed and not _stood),
                       count(*) filter (where not _removed and _stood), count(*) filter (where _removed)
                from diff group by %s""".formatted(names.iso(names.partition()), names.partition());
    }
}
