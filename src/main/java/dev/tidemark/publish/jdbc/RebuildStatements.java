package dev.tidemark.publish.jdbc;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The statements about rebuilds: their rows, the ledger rows that they account for, and the counts of partitions. */
final class RebuildStatements {
    /** Whether a ledger row's partition lies between two, null being open, and it is open. */
    private static final String OPEN = """
            l.job = ? and l.status = 'open'
            and (cast(? as text) is null or l.partition >= ?) and (cast(? as text) is null or l.partition <= ?)""";

    private final String job;
    private final Calendar calendar;
    private final TargetNames names;

    RebuildStatements(String job, Calendar calendar, TargetNames names) {
        this.job = job;
        this.calendar = calendar;
        this.names = names;
    }

    /** The row of a rebuild. */
    record State(boolean finished, @Nullable String error, Timestamp startedAt, Timestamp now) {}

    /** What the stream's last publication says, as text. */
    record Bounds(
            @Nullable Timestamp frontierLeast,
            @Nullable Timestamp frontierGreatest,
            @Nullable String closedBefore,
            @Nullable String endedBefore,
            @Nullable String completeFrom,
            @Nullable String retainedFrom) {
        private static final Bounds NONE = new Bounds(null, null, null, null, null, null);

        long completeFrom(Calendar calendar) {
            return completeFrom == null ? Standing.NOWHERE : calendar.parse(completeFrom);
        }
    }

    /** What it came to. */
    record Numbers(
            long scanned,
            long rejected,
            long bytes,
            long written,
            long fresh,
            long removed,
            long partitions,
            long incorporated) {}

    void insert(Connection connection, Rebuild rebuild) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.rebuilds
                    (rebuild, job, mode, trial, frontier, from_partition, to_partition, history, reason, gaps, started_at)
                values (cast(? as uuid), ?, ?, ?, ?, ?, ?, ?, ?, cast(? as jsonb), clock_timestamp())""")) {
            int at = 1;
            statement.setString(at++, rebuild.id());
            statement.setString(at++, job);
            statement.setString(at++, rebuild.mode().name().toLowerCase(Locale.ROOT));
            statement.setBoolean(at++, rebuild.trial());
            statement.setString(at++, rebuild.frontier());
            statement.setString(at++, iso(rebuild.span().first()));
            statement.setString(at++, iso(rebuild.span().last()));
            statement.setString(at++, rebuild.history());
            statement.setString(at++, rebuild.reason());
            statement.setString(
                    at++,
                    Json.spans(rebuild.gaps().stream()
                            .map(gap -> List.of(calendar.iso(gap.first()), calendar.iso(gap.last())))
                            .toList()));
            statement.executeUpdate();
        }
    }

    /** Its row, locked. */
    State state(Connection connection, String rebuild) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select finished_at is not null and error is null, error, started_at, clock_timestamp()
                from tidemark.rebuilds where rebuild = cast(? as uuid) for update""")) {
            statement.setString(1, rebuild);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new WarehouseException("the warehouse does not know the rebuild " + rebuild + " of the job "
                            + job + ": somebody removed it; nothing is changed");
                }
                return new State(row.getBoolean(1), row.getString(2), row.getTimestamp(3), row.getTimestamp(4));
            }
        }
    }

    Bounds bounds(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select frontier_least, frontier_greatest, closed_before, ended_before, complete_from, retained_from
                from tidemark.publications where job = ? and logs is not null order by publication desc limit 1""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? new Bounds(
                                row.getTimestamp(1),
                                row.getTimestamp(2),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5),
                                row.getString(6))
                        : Bounds.NONE;
            }
        }
    }

    /** How many records the stream had counted when a rebuild began, as far as the books still say it. */
    long recordsPublished(Connection connection, Rebuild rebuild) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "select coalesce(sum(records_read), 0) from tidemark.publications where job = ? and publication <= ?")) {
            statement.setString(1, job);
            statement.setLong(2, rebuild.streamed());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** What has replaced some of the same partitions since a rebuild began, in words; null: nothing. */
    @Nullable
    String overtakenBy(Connection connection, Rebuild rebuild) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select p.kind, p.publication
                from tidemark.publications p
                left join tidemark.rebuilds r on r.job = p.job and r.publication = p.publication
                where p.job = ? and p.publication > ? and p.kind in ('rebuild', 'widen')
                  and (cast(? as text) is null or coalesce(p.replaced_from, r.from_partition) is null
                       or coalesce(p.replaced_from, r.from_partition) <= ?)
                  and (cast(? as text) is null or r.to_partition is null or r.to_partition >= ?)
                order by p.publication desc limit 1""")) {
            statement.setString(1, job);
            statement.setLong(2, rebuild.standing());
            statement.setString(3, iso(rebuild.span().last()));
            statement.setString(4, iso(rebuild.span().last()));
            statement.setString(5, iso(rebuild.span().first()));
            statement.setString(6, iso(rebuild.span().first()));
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? "a " + (row.getString(1).equals("widen") ? "widening" : "rebuild") + " (publication "
                                + row.getLong(2) + ")"
                        : null;
            }
        }
    }

    /** How many open ledger rows a rebuild would account for. */
    long countOpen(Connection connection, Rebuild rebuild, List<LogCut> asOf, Timestamp startedAt) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "select count(*) from tidemark.late_ledger l where " + accountedFor(rebuild))) {
            bindAccountedFor(connection, statement, 1, rebuild, asOf, startedAt);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Marks the open ledger rows that a rebuild accounts for. */
    long incorporate(
            Connection connection,
            Rebuild rebuild,
            List<LogCut> asOf,
            Timestamp startedAt,
            long publication,
            Timestamp now)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "update tidemark.late_ledger l set status = 'incorporated', resolved_by = ?, resolved_at = ? where "
                        + accountedFor(rebuild))) {
            statement.setLong(1, publication);
            statement.setTimestamp(2, now);
            bindAccountedFor(connection, statement, 3, rebuild, asOf, startedAt);
            return statement.executeUpdate();
        }
    }

    /**
     * Where the history has the stream's positions, a change was read if it stands before them. Else the history is taken to
     * be at least as new as what had been recorded when it began to be read.
     */
    private static String accountedFor(Rebuild rebuild) {
        return OPEN + " and " + (rebuild.comparable() ? Incorporation.IS_BEFORE : "l.recorded_at < ?");
    }

    private void bindAccountedFor(
            Connection connection,
            PreparedStatement statement,
            int from,
            Rebuild rebuild,
            List<LogCut> asOf,
            Timestamp startedAt)
            throws SQLException {
        int at = from;
        statement.setString(at++, job);
        at = bindSpan(statement, at, rebuild.span());
        if (rebuild.comparable()) {
            Incorporation.setPositions(connection, statement, at, asOf);
        } else {
            statement.setTimestamp(at++, startedAt);
        }
    }

    private int bindSpan(PreparedStatement statement, int from, PartitionSpan span) throws SQLException {
        int at = from;
        statement.setString(at++, iso(span.first()));
        statement.setString(at++, iso(span.first()));
        statement.setString(at++, iso(span.last()));
        statement.setString(at++, iso(span.last()));
        return at;
    }

    /** Counts the partitions anew that have or had rows, and gives them in their order. */
    List<String> recount(Connection connection, PartitionSpan span, long publication) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                with counted as (
                    select %1$s as partition, count(*) as cells, cast(sum(_members) as bigint) as members from %2$s
                    where %3$s >= coalesce(cast(? as %4$s), '-infinity') and %3$s <= coalesce(cast(? as %4$s), 'infinity')
                    group by %3$s
                ), open as (
                    select l.partition, count(*) as late from tidemark.late_ledger l
                    where l.partition is not null and %5$s
                    group by l.partition
                ), known as (
                    select partition from tidemark.partitions l
                    where l.job = ? and (cast(? as text) is null or l.partition >= ?)
                      and (cast(? as text) is null or l.partition <= ?)
                    union
                    select partition from counted
                )
                insert into tidemark.partitions as p (job, partition, cells, members, open_late, rebuilt_by)
                select ?, known.partition, coalesce(cells, 0), coalesce(members, 0), coalesce(late, 0), ?
                from known left join counted on counted.partition = known.partition
                           left join open on open.partition = known.partition
                order by known.partition
                on conflict (job, partition) do update set
                    cells = excluded.cells, members = excluded.members, open_late = excluded.open_late,
                    rebuilt_by = excluded.rebuilt_by
                returning partition""".formatted(
                        names.iso(names.partition()), names.table(), names.partition(), names.partitionType(), OPEN))) {
            int at = 1;
            statement.setString(at++, iso(span.first()));
            statement.setString(at++, iso(span.last()));
            statement.setString(at++, job);
            at = bindSpan(statement, at, span);
            statement.setString(at++, job);
            at = bindSpan(statement, at, span);
            statement.setString(at++, job);
            statement.setLong(at++, publication);
            List<String> partitions = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    partitions.add(rows.getString(1));
                }
            }
            partitions.sort(null);
            return partitions;
        }
    }

    /** The publication of a rebuild: it counts nothing, and the stream stands where it stood. */
    void publication(
            Connection connection,
            Rebuild rebuild,
            long number,
            PublicationStatements.Last last,
            Bounds bounds,
            int lookback,
            List<LogCut> asOf,
            List<ReplaceStatement.Changed> changed,
            Timestamp startedAt)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.publications
                    (job, publication, kind, lookback, frontier_least, frontier_greatest, closed_before, ended_before,
                     complete_from, retained_from, cells_replaced, cells_removed, partitions, positions, started_at,
                     published_at)
                values (?, ?, 'rebuild', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, cast(? as jsonb), ?, ?)""")) {
            int at = 1;
            statement.setString(at++, job);
            statement.setLong(at++, number);
            statement.setInt(at++, lookback);
            statement.setTimestamp(at++, bounds.frontierLeast());
            statement.setTimestamp(at++, bounds.frontierGreatest());
            statement.setString(at++, bounds.closedBefore());
            statement.setString(at++, bounds.endedBefore());
            statement.setString(at++, bounds.completeFrom());
            statement.setString(at++, bounds.retainedFrom());
            statement.setLong(
                    at++,
                    changed.stream()
                            .mapToLong(partition -> partition.fresh() + partition.changed())
                            .sum());
            statement.setLong(
                    at++,
                    changed.stream()
                            .mapToLong(ReplaceStatement.Changed::removed)
                            .sum());
            statement.setLong(at++, changed.size());
            statement.setString(at++, rebuild.comparable() ? Json.positions(asOf) : null);
            statement.setTimestamp(at++, startedAt);
            statement.setTimestamp(at++, last.now());
            statement.executeUpdate();
        }
    }

    /** @param logs null: positions mean nothing */
    void finish(
            Connection connection,
            Rebuild rebuild,
            long publication,
            Numbers numbers,
            @Nullable String reached,
            @Nullable List<LogCut> logs,
            Timestamp locked)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                update tidemark.rebuilds set
                    publication = nullif(?, 0), rows_scanned = ?, rows_rejected = ?, bytes = ?, rows_written = ?,
                    rows_new = ?, rows_removed = ?, partitions = ?, incorporated = ?, reached = ?,
                    positions = cast(? as jsonb), finished_at = clock_timestamp(),
                    lock_ms = cast(extract(epoch from clock_timestamp() - ?) * 1000 as bigint)
                where rebuild = cast(? as uuid)""")) {
            int at = 1;
            statement.setLong(at++, publication);
            statement.setLong(at++, numbers.scanned());
            statement.setLong(at++, numbers.rejected());
            statement.setLong(at++, numbers.bytes());
            statement.setLong(at++, numbers.written());
            statement.setLong(at++, numbers.fresh());
            statement.setLong(at++, numbers.removed());
            statement.setLong(at++, numbers.partitions());
            statement.setLong(at++, numbers.incorporated());
            statement.setString(at++, reached);
            statement.setString(at++, logs == null ? null : Json.logs(logs));
            statement.setTimestamp(at++, locked);
            statement.setString(at++, rebuild.id());
            statement.executeUpdate();
        }
    }

    private @Nullable String iso(long partition) {
        return partition == PartitionSpan.BEGINNING || partition == PartitionSpan.END ? null : calendar.iso(partition);
    }
}
