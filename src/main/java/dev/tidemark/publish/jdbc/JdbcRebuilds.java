package dev.tidemark.publish.jdbc;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Values;
import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.Rebuilds;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what stands before a rebuild, and keeps its row. While a rebuild is begun here and not closed, an advisory lock of
 * the session says that it is at work; the lock goes with the connection, however the process ends.
 */
public final class JdbcRebuilds implements Rebuilds {
    private final String job;
    private final Calendar calendar;
    private final TargetNames names;
    private final PublicationStatements statements;
    private final RebuildStatements rebuilds;
    private final Transactions transactions;

    /** @param lockTimeout how long a statement may wait for a lock */
    public JdbcRebuilds(JobPlan plan, Connections connections, Duration lockTimeout) {
        this.job = plan.job();
        this.calendar = new Calendar(plan.partition().grain(), plan.partition().zone());
        this.names = new TargetTable(plan).names();
        this.statements =
                new PublicationStatements(job, calendar, plan.partition().lookback(), names);
        this.rebuilds = new RebuildStatements(job, calendar, names);
        this.transactions = new Transactions(
                connections,
                Session.named("tidemark rebuilds " + job).waitingFor(lockTimeout),
                JdbcReplacement.PATIENCE);
    }

    @Override
    public Standings look(long notBeyond) {
        return run("read what stands of the job " + job, connection -> standings(connection, notBeyond));
    }

    @Override
    public void begin(Rebuild rebuild) {
        boolean alone = run("look for other rebuilds of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "select pg_try_advisory_lock(hashtext('tidemark rebuild'), hashtext(?))")) {
                statement.setString(1, job);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getBoolean(1);
                }
            }
        });
        if (!alone) {
            throw new WarehouseException("another rebuild of the job " + job
                    + " is at work (see tidemark.rebuilds); wait for its end, or end it first");
        }
        run("enter a rebuild of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "select retired_at is not null from tidemark.jobs where job = ? for update")) {
                statement.setString(1, job);
                try (ResultSet row = statement.executeQuery()) {
                    if (!row.next()) {
                        throw new WarehouseException(
                                "the warehouse does not know the job " + job + "; run `init` first");
                    }
                    if (row.getBoolean(1)) {
                        throw new WarehouseException(
                                "the job " + job + " was retired; run `init` to take its target up again");
                    }
                }
            }
            clearAway(connection, rebuild);
            rebuilds.insert(connection, rebuild);
            return true;
        });
    }

    @Override
    public Result result(String rebuild) {
        return run("read the rebuild " + rebuild + " of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select coalesce(publication, 0), coalesce(rows_scanned, 0), coalesce(rows_rejected, 0),
                           coalesce(bytes, 0), coalesce(rows_written, 0), coalesce(rows_new, 0),
                           coalesce(rows_removed, 0), coalesce(partitions, 0), coalesce(incorporated, 0),
                           coalesce(lock_ms, 0)
                    from tidemark.rebuilds where rebuild = cast(? as uuid)""")) {
                statement.setString(1, rebuild);
                try (ResultSet row = statement.executeQuery()) {
                    if (!row.next()) {
                        throw new WarehouseException("the row of the rebuild " + rebuild + " is gone");
                    }
                    return new Result(
                            row.getLong(1),
                            row.getLong(2),
                            row.getLong(3),
                            row.getLong(4),
                            row.getLong(5),
                            row.getLong(6),
                            row.getLong(7),
                            row.getLong(8),
                            row.getLong(9),
                            row.getLong(10));
                }
            }
        });
    }

    @Override
    public void fail(Rebuild rebuild, String error) {
        run("give up the rebuild " + rebuild.id() + " of the job " + job, connection -> {
            execute(
                    connection,
                    rebuild.trial()
                            ? "delete from tidemark.rebuilds where rebuild = cast(? as uuid)"
                            : "update tidemark.rebuilds set error = ?, finished_at = clock_timestamp()"
                                    + " where rebuild = cast(? as uuid) and finished_at is null",
                    rebuild.trial() ? List.of(rebuild.id()) : List.of(error, rebuild.id()));
            statements.deleteStaged(
                    connection, StagedRegistry.read(connection, job).notCarried(rebuild.id()));
            return true;
        });
    }

    @Override
    public void forget(Rebuild rebuild) {
        run("forget the trial " + rebuild.id() + " of the job " + job, connection -> {
            execute(
                    connection,
                    "delete from tidemark.rebuilds where trial and rebuild = cast(? as uuid)",
                    List.of(rebuild.id()));
            return true;
        });
    }

    @Override
    public void close() {
        transactions.close();
    }

    /** Those that did not come to their end never will: should one be at work still, it finds that it was given up. */
    private void clearAway(Connection connection, Rebuild rebuild) throws SQLException {
        execute(
                connection,
                "delete from tidemark.rebuilds where trial and job = ? and rebuild <> cast(? as uuid)",
                List.of(job, rebuild.id()));
        execute(connection, """
                update tidemark.rebuilds set finished_at = clock_timestamp(),
                    error = 'it had not come to its end when the rebuild ' || cast(? as text) || ' began'
                where job = ? and finished_at is null and rebuild <> cast(? as uuid)""", List.of(rebuild.id(), job, rebuild.id()));
        StagedRegistry registry = StagedRegistry.read(connection, job);
        List<String> left = new ArrayList<>();
        for (String other : abandoned(connection)) {
            left.addAll(registry.notCarried(other));
        }
        statements.deleteStaged(connection, left);
    }

    /** Who has staged something and is no submission of the stream that has registered, nor one that may yet. */
    private Collection<String> abandoned(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select distinct p.submission from tidemark.staged_parts p
                where p.job = ? and exists (
                    select 1 from tidemark.rebuilds r where r.job = p.job and cast(r.rebuild as text) = p.submission)""")) {
            statement.setString(1, job);
            List<String> submissions = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    submissions.add(rows.getString(1));
                }
            }
            return submissions;
        }
    }

    private Standings standings(Connection connection, long notBeyond) throws SQLException {
        PublicationStatements.Last last = statements.last(connection);
        RebuildStatements.Bounds bounds = rebuilds.bounds(connection);
        Timestamp frontier = bounds.frontierGreatest();
        long reached = frontier == null ? Standing.NOWHERE : calendar.partitionOf(Values.micros(frontier.toInstant()));
        List<Long> filled = partitions(
                connection,
                "select partition from tidemark.partitions where job = ? and cells > 0 order by partition",
                job);
        List<PartitionSpan> covered = covered(connection);
        if (last.standing().publication() > 0 && reached != Standing.NOWHERE && !filled.isEmpty()) {
            covered.add(new PartitionSpan(filled.get(0), Math.max(filled.get(0), reached)));
        }
        String table = " from " + names.table();
        String partition = names.partition();
        List<Long> least = partitions(
                connection,
                "select " + names.iso("min(" + partition + ")") + table + " having cast(? as text) is not null",
                "");
        List<Long> greatest = partitions(
                connection,
                "select " + names.iso("max(" + partition + ")") + table + " where " + partition + " <= cast(? as "
                        + names.partitionType() + ")",
                calendar.iso(notBeyond));
        List<Long> beyond = partitions(
                connection,
                "select distinct " + names.iso(partition) + table + " where " + partition + " > cast(? as "
                        + names.partitionType() + ") order by 1 limit 20",
                calendar.iso(notBeyond));
        return new Standings(
                last.number(),
                last.standing(),
                bounds.completeFrom(calendar),
                heartbeat(connection),
                last.now().toInstant(),
                least.isEmpty() ? null : least.get(0),
                greatest.isEmpty() ? null : greatest.get(0),
                beyond,
                filled,
                covered);
    }

    private List<PartitionSpan> covered(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select from_partition, coalesce(to_partition, reached) from tidemark.rebuilds
                where job = ? and publication is not null and coalesce(to_partition, reached) is not null""")) {
            statement.setString(1, job);
            List<PartitionSpan> covered = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String from = rows.getString(1);
                    covered.add(new PartitionSpan(
                            from == null ? PartitionSpan.BEGINNING : calendar.parse(from),
                            calendar.parse(rows.getString(2))));
                }
            }
            return covered;
        }
    }

    private @Nullable Instant heartbeat(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select heartbeat_at from tidemark.jobs where job = ?")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                Timestamp heartbeat = row.next() ? row.getTimestamp(1) : null;
                return heartbeat == null ? null : heartbeat.toInstant();
            }
        }
    }

    private List<Long> partitions(Connection connection, String sql, String parameter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, parameter);
            List<Long> partitions = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String iso = rows.getString(1);
                    if (iso != null) {
                        partitions.add(calendar.parse(iso));
                    }
                }
            }
            return partitions;
        }
    }

    private static void execute(Connection connection, String sql, List<String> parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setString(i + 1, parameters.get(i));
            }
            statement.executeUpdate();
        }
    }

    private <T> T run(String what, Transactions.Work<T> work) {
        try {
            return transactions.run(what, work);
        } catch (DatabaseException failure) {
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }
}
