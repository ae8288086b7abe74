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
 * Applies staged cells to the target: of each cell the newest staged truth; a truth that stands already is not written, a
 * changed one replaces the row under the next revision number, a cell without members is deleted. One statement, so that
 * the staged rows are read and compared once.
 *
 * <p>Global columns are written with the others, but unless the job is retroactive a truth that differs in them alone is
 * taken for one that stands: they are as of the publication that wrote the row.
 */
final class ApplyStatement {
    /**
     * Fresh rows have no statistics, so that the planner guesses how many there are; we know. Few look up their cells one
     * by one, many are joined at once.
     */
    private static final long MANY_CELLS = 10_000;

    private static final String PLAN_FOR_FEW = "set local enable_hashjoin = off; set local enable_mergejoin = off";
    private static final String PLAN_FOR_MANY = "set local enable_nestloop = off; set local work_mem = '64MB'";
    private static final String PLAN_AS_USUAL =
            "set local enable_hashjoin = on; set local enable_mergejoin = on; set local enable_nestloop = on";

    private final String extent;
    private final String apply;
    private final String strangers;

    ApplyStatement(String job, TargetNames names) {
        this.extent = """
                select count(*), min(%1$s) filter (where %1$s >= open._first), max(%1$s)
                from %2$s, (select coalesce(cast(? as %3$s), '-infinity') as _first) as open
                where _part = any(cast(? as uuid[]))""".formatted(names.partition(), names.staging(), names.partitionType());
        this.apply = apply(job, names);
        this.strangers = strangers(names);
    }

    /** How many cells of some parts are staged, and between which open partitions they lie (as SQL text, null: none). */
    record Extent(
            long cells, @Nullable String first, @Nullable String last) {}

    /** What changed in one partition. */
    record Touched(String partition, long replaced, long removed, long cells, long members) {}

    /**
     * What surrounds the rows of a publication.
     *
     * @param changesFrom cells of earlier partitions are left alone; null: no bound
     * @param widenedBefore cells of earlier partitions change because the lookback is larger now; null: none do
     * @param endedBefore what had ended before this publication; null: nothing
     * @param endsBefore what has ended with it; null: nothing
     */
    record Bounds(
            @Nullable String changesFrom,
            @Nullable String widenedBefore,
            @Nullable String endedBefore,
            @Nullable String endsBefore) {}

    /** @param changesFrom cells of earlier partitions are left out of the partitions; null: no bound */
    Extent extent(Connection connection, List<String> parts, @Nullable String changesFrom) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(extent)) {
            statement.setString(1, changesFrom);
            statement.setArray(2, Parameters.text(connection, parts));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Extent(row.getLong(1), row.getString(2), row.getString(3));
            }
        }
    }

    /** @param parts oldest first */
    List<Touched> run(
            Connection connection,
            List<String> parts,
            List<Integer> ranks,
            Extent extent,
            Bounds bounds,
            long publication,
            Timestamp publishedAt)
            throws SQLException {
        set(connection, extent.cells() < MANY_CELLS ? PLAN_FOR_FEW : PLAN_FOR_MANY);
        List<Touched> touched = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(apply)) {
            int at = 1;
            statement.setArray(at++, Parameters.text(connection, parts));
            statement.setArray(at++, Parameters.integers(connection, ranks));
            statement.setString(at++, bounds.changesFrom());
            statement.setString(at++, extent.first());
            statement.setString(at++, extent.last());
            statement.setString(at++, bounds.widenedBefore());
            statement.setString(at++, bounds.endedBefore());
            statement.setString(at++, bounds.endsBefore());
            statement.setLong(at++, publication);
            statement.setTimestamp(at++, publishedAt);
            statement.setString(at++, extent.first());
            statement.setString(at++, extent.last());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    touched.add(new Touched(
                            rows.getString(1), rows.getLong(2), rows.getLong(3), rows.getLong(4), rows.getLong(5)));
                }
            }
        }
        set(connection, PLAN_AS_USUAL);
        return touched;
    }

    /**
     * Stages the removal of every row that stands in some partitions and of whose cell nothing is staged: so that the parts
     * replace the partitions whole.
     *
     * @param parts hold every cell of the partitions that has a member; the removals go with the first
     * @param from the first of the partitions; null: all
     * @return how many there are
     */
    long stageStrangers(Connection connection, List<String> parts, @Nullable String from) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(strangers)) {
            statement.setString(1, parts.get(0));
            statement.setString(2, from);
            statement.setArray(3, Parameters.text(connection, parts));
            return statement.executeUpdate();
        }
    }

    private static String strangers(TargetNames names) {
        return """
                insert into %1$s (_part, _line, _removed, _members, _fingerprint, %2$s)
                select cast(? as uuid), -1, true, 0, 0, %3$s from %4$s t
                where t.%5$s >= coalesce(cast(? as %6$s), '-infinity') and not exists (
                    select 1 from %1$s s where s._part = any(cast(? as uuid[])) and %7$s)""".formatted(
                        names.staging(),
                        list(names.cell()),
                        list(names.cell(), column -> "t." + column),
                        names.table(),
                        names.partition(),
                        names.partitionType(),
                        and(names.cell(), column -> "s." + column + " = t." + column));
    }

    private static void set(Connection connection, String settings) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(settings);
        }
    }

    private static String apply(String job, TargetNames names) {
        String type = names.partitionType();
        List<String> cell = names.cell();
        String truth = list(names.cellAndValues(), column -> "s." + column);
        String standing = standing(names);
        String fresh = fresh(names);
        return """
                with part (id, rank) as (
                    select * from unnest(cast(? as uuid[]), cast(? as int[]))
                ), truth as (
                    select distinct on (%2$s) %1$s, s._members, s._fingerprint, s._removed
                    from %3$s s join part on part.id = s._part
                    where s.%4$s >= coalesce(cast(? as %5$s), '-infinity')
                    order by %2$s, part.rank desc, s._line desc
                ), diff as materialized (
                    select truth.*, t._revision is not null as _stood, t._members as _was_members,
                           %6$s + 1 as _number
                    from truth
                    left join %7$s t on %8$s and t.%4$s between cast(? as %5$s) and cast(? as %5$s)
                    where case when truth._removed then t._revision is not null
                               else t._revision is null or %9$s end
                ), paned as materialized (
                    select diff.*,
                           case when %4$s < cast(? as %5$s) then 'WIDENED'
                                when %4$s < cast(? as %5$s) then 'LATE'
                                when %4$s < cast(? as %5$s) then 'ON_TIME'
                                else 'EARLY' end as _pane,
                           cast(? as bigint) as _publication, cast(? as timestamptz) as _published_at
                    from diff
                ), replaced as (
                    insert into %7$s (%10$s)
                    select %11$s from paned where not _removed
                    on conflict (%12$s) do update set %13$s
                ), removed as (
                    delete from %7$s t using paned
                    where paned._removed and %14$s and t.%4$s between cast(? as %5$s) and cast(? as %5$s)
                ), kept as (
                    %15$s
                )
                select %16$s, count(*) filter (where not _removed), count(*) filter (where _removed),
                       count(*) filter (where not _removed and not _stood) - count(*) filter (where _removed),
                       cast(sum(case when _removed then 0 else _members end - coalesce(_was_members, 0)) as bigint)
                from diff group by %4$s""".formatted(
                        truth,
                        list(cell, column -> "s." + column),
                        names.staging(),
                        names.partition(),
                        type,
                        lastNumber(job, names),
                        names.table(),
                        and(cell, column -> "t." + column + " = truth." + column),
                        or(compared(names.lasting()), column -> "t." + column + " is distinct from truth." + column),
                        standing,
                        fresh,
                        list(cell),
                        assignments(names),
                        and(cell, column -> "t." + column + " = paned." + column),
                        keep(job, names, standing, fresh),
                        names.iso(names.partition()));
    }

    /** What makes two truths of a cell different, of which these values count. */
    static List<String> compared(List<String> values) {
        List<String> compared = new ArrayList<>(values);
        compared.add("_members");
        compared.add("_fingerprint");
        return compared;
    }

    /** The columns of a row. */
    static String standing(TargetNames names) {
        return list(names.cellAndValues()) + ", _revision, _members, _fingerprint, _pane, _publication, _published_at";
    }

    /** What {@code paned} has for them. */
    static String fresh(TargetNames names) {
        return list(names.cellAndValues()) + ", _number, _members, _fingerprint, _pane, _publication, _published_at";
    }

    /** What replaces the row of a cell. */
    static String assignments(TargetNames names) {
        return list(names.values(), column -> column + " = excluded." + column)
                + (names.values().isEmpty() ? "" : ", ")
                + "_revision = excluded._revision, _members = excluded._members, _fingerprint = excluded._fingerprint,"
                + " _pane = excluded._pane, _publication = excluded._publication,"
                + " _published_at = excluded._published_at";
    }

    /**
     * The number that a cell had last. Where revisions are kept, the greatest of them all: rows that somebody has removed or
     * put back by hand do not use one twice. Without them that of the row, or, of a cell that does not stand, the one under
     * which it was removed.
     */
    private static String lastNumber(String job, TargetNames names) {
        return names.hasRevisions()
                ? "greatest(t._revision, (select max(r._revision) from " + names.revisions() + " r where "
                        + and(names.cell(), column -> "r." + column + " = truth." + column) + "), 0)"
                : "coalesce(t._revision, (select r.revision from tidemark.removed_cells r where r.job = "
                        + Identifiers.literal(job) + " and r.partition = "
                        + names.iso("truth." + names.partition()) + " and r.key = " + keyJson(names, "truth.")
                        + "), 0)";
    }

    static String keep(String job, TargetNames names, String standing, String fresh) {
        return names.hasRevisions()
                ? "insert into " + names.revisions() + " (" + standing + ", _removed) select " + fresh
                        + ", _removed from paned"
                : """
                    insert into tidemark.removed_cells (job, partition, key, revision)
                    select %s, %s, %s, _number from paned where _removed
                    on conflict (job, partition, key) do update set revision = excluded.revision""".formatted(Identifiers.literal(job), names.iso(names.partition()), keyJson(names, ""));
    }

    static String keyJson(TargetNames names, String prefix) {
        return "jsonb_build_array(" + list(names.keys(), column -> prefix + column) + ")";
    }
}
