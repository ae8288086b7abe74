package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.publish.JobStatus;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads how a job stands, all of it at one moment. */
public final class JdbcJobStatus implements JobStatus.Reader {
    private static final int FILES_SHOWN = 5;
    private static final int RESETS_SHOWN = 5;

    private final String job;
    private final Transactions transactions;

    public JdbcJobStatus(String job, Connections connections) {
        this.job = job;
        this.transactions =
                new Transactions(connections, Session.named("tidemark status " + job), Transactions.Repetition.NONE);
    }

    /** Whether the warehouse has Tidemark's tables and a row for the job. */
    public static boolean isKnown(String job, Connections connections) {
        try (Transactions transactions =
                new Transactions(connections, Session.named("tidemark " + job), Transactions.Repetition.NONE)) {
            return transactions.run("look for the job " + job, connection -> {
                try (Statement statement = connection.createStatement();
                        ResultSet table = statement.executeQuery("select to_regclass('tidemark.jobs') is not null")) {
                    table.next();
                    if (!table.getBoolean(1)) {
                        return false;
                    }
                }
                try (PreparedStatement statement =
                        connection.prepareStatement("select 1 from tidemark.jobs where job = ?")) {
                    statement.setString(1, job);
                    try (ResultSet row = statement.executeQuery()) {
                        return row.next();
                    }
                }
            });
        }
    }

    @Override
    public JobStatus read(Instant since) {
        return transactions.run("read the status of the job " + job, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("set transaction isolation level repeatable read, read only");
            }
            return read(connection, since);
        });
    }

    @Override
    public void close() {
        transactions.close();
    }

    private JobStatus read(Connection connection, Instant since) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select j.target, j.zone, j.lookback, j.spec #>> '{partition,because}', j.retain,
                       j.epoch, j.attempt, j.flink_job_id, j.started_at, j.heartbeat_at, j.retired_at,
                       (select count(*) from tidemark.staged_parts p where p.job = j.job and p.carried is not null),
                       (select count(*) from tidemark.skipped_files f where f.job = j.job),
                       j.checkpoint_interval_ms
                from tidemark.jobs j where j.job = ?""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new WarehouseException("the warehouse does not know the job " + job + "; run `init` first");
                }
                return new JobStatus(
                        job,
                        row.getString(1),
                        row.getString(2),
                        row.getInt(3),
                        row.getString(4),
                        row.getInt(5),
                        new JobStatus.Run(
                                row.getLong(6),
                                row.getLong(7),
                                row.getString(8),
                                row.getObject(14) == null ? null : Duration.ofMillis(row.getLong(14)),
                                instant(row, 9),
                                instant(row, 10),
                                instant(row, 11)),
                        totals(connection),
                        last(connection),
                        recent(connection, since),
                        openLate(connection),
                        row.getLong(12),
                        row.getLong(13),
                        skippedFiles(connection),
                        lastRebuild(connection),
                        operation(connection),
                        frontierResets(connection));
            }
        }
    }

    private JobStatus.Totals totals(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select count(*), coalesce(sum(p.records_read), 0), coalesce(sum(p.applied), 0),
                       coalesce(sum(p.superseded), 0), coalesce(sum(p.late), 0), coalesce(sum(p.split), 0),
                       coalesce(sum(p.rejected), 0)
                from tidemark.publications p where p.job = ?""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new JobStatus.Totals(
                        row.getLong(1),
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4),
                        row.getLong(5),
                        row.getLong(6),
                        row.getLong(7));
            }
        }
    }

    private JobStatus.@Nullable Last last(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select p.publication, p.kind, p.published_at, s.frontier_least, s.frontier_greatest,
                       coalesce(p.complete_from, s.complete_from), s.closed_before, s.logs
                from tidemark.publications p
                left join lateral (
                    select * from tidemark.publications n
                    where n.job = p.job and n.logs is not null order by n.publication desc limit 1) s on true
                where p.job = ? order by p.publication desc limit 1""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? new JobStatus.Last(
                                row.getLong(1),
                                row.getString(2),
                                row.getObject(3, OffsetDateTime.class).toInstant(),
                                instant(row, 4),
                                instant(row, 5),
                                row.getString(6),
                                row.getString(7),
                                row.getString(8) == null ? List.of() : Json.logs(row.getString(8)))
                        : null;
            }
        }
    }

    private JobStatus.Recent recent(Connection connection, Instant since) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select count(*), coalesce(sum(p.rejected), 0), coalesce(sum(p.half_window_exceeded), 0)
                from tidemark.publications p
                where p.job = ?
                  and (p.published_at >= ?
                       or p.publication = (select max(l.publication) from tidemark.publications l where l.job = p.job))""")) {
            statement.setString(1, job);
            statement.setObject(2, since.atOffset(ZoneOffset.UTC));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new JobStatus.Recent(since, row.getLong(1), row.getLong(2), row.getLong(3));
            }
        }
    }

    /** Of open rows only: there is an index of them, and they are few when somebody looks after them. */
    private JobStatus.OpenLate openLate(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select l.reason, count(*), min(l.recorded_at)
                from tidemark.late_ledger l
                where l.job = ? and l.status = 'open'
                group by l.reason order by l.reason""")) {
            statement.setString(1, job);
            long open = 0;
            Instant oldest = null;
            List<JobStatus.OpenLate.Reason> reasons = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    open += row.getLong(2);
                    reasons.add(new JobStatus.OpenLate.Reason(row.getString(1), row.getLong(2)));
                    Instant recorded = row.getObject(3, OffsetDateTime.class).toInstant();
                    oldest = oldest == null || recorded.isBefore(oldest) ? recorded : oldest;
                }
            }
            return new JobStatus.OpenLate(open, oldest, List.copyOf(reasons));
        }
    }

    private List<String> skippedFiles(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "select f.path from tidemark.skipped_files f where f.job = ? order by f.path limit ?")) {
            statement.setString(1, job);
            statement.setInt(2, FILES_SHOWN);
            List<String> paths = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    paths.add(row.getString(1));
                }
            }
            return List.copyOf(paths);
        }
    }

    private JobStatus.@Nullable Rebuild lastRebuild(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select r.from_partition, r.to_partition, r.started_at, r.finished_at from tidemark.rebuilds r
                where r.job = ? and r.publication is not null order by r.finished_at desc limit 1""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? new JobStatus.Rebuild(
                                row.getString(1),
                                row.getString(2),
                                row.getObject(3, OffsetDateTime.class).toInstant(),
                                row.getObject(4, OffsetDateTime.class).toInstant())
                        : null;
            }
        }
    }

    private JobStatus.@Nullable Operation operation(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select o.kind, o.step, o.error, o.started_at, o.updated_at from tidemark.operations o
                where o.job = ? and o.finished_at is null""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? new JobStatus.Operation(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getObject(4, OffsetDateTime.class).toInstant(),
                                row.getObject(5, OffsetDateTime.class).toInstant())
                        : null;
            }
        }
    }

    private List<JobStatus.FrontierReset> frontierResets(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select r.log, r.frontier, r.requested_at from tidemark.frontier_resets r
                where r.job = ? order by r.requested_at desc, r.log limit ?""")) {
            statement.setString(1, job);
            statement.setInt(2, RESETS_SHOWN);
            List<JobStatus.FrontierReset> resets = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    resets.add(new JobStatus.FrontierReset(
                            row.getString(1),
                            row.getObject(2, OffsetDateTime.class).toInstant(),
                            row.getObject(3, OffsetDateTime.class).toInstant()));
                }
            }
            return List.copyOf(resets);
        }
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
