package dev.tidemark.lateness.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.job.JobPlan;
import dev.tidemark.lateness.Distribution;
import dev.tidemark.lateness.Evidence;
import dev.tidemark.lateness.Evidence.Day;
import dev.tidemark.lateness.Evidence.Late;
import dev.tidemark.lateness.Evidence.LateLog;
import dev.tidemark.lateness.Evidence.Partitions;
import dev.tidemark.lateness.LatenessEntry;
import dev.tidemark.lateness.Period;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the evidence of one job, all of it at one moment. Rows are added up as they come, so many as there may be. */
public final class JdbcEvidence implements Evidence.Reader {
    private static final int FETCH_SIZE = 5_000;
    private static final int LOGS_SHOWN = 20;

    /** The day on which a late change was observed, or recorded if it does not say, in the job's zone. */
    private static final String LATE_DAY = "cast(coalesce(l.observed_at, l.recorded_at) at time zone ? as date)";

    private final String job;
    private final String zone;
    private final String logOfSplit;
    private final Transactions transactions;

    public JdbcEvidence(JobPlan plan, Connections connections) {
        this.job = plan.job();
        this.zone = plan.partition().zone().getId();
        this.logOfSplit = logOfSplit(plan);
        this.transactions =
                new Transactions(connections, Session.named("tidemark lateness " + job), Transactions.Repetition.NONE);
    }

    /** A split of a topic is its log; one of files is a file, whose log is its first folder or the whole source. */
    private static String logOfSplit(JobPlan plan) {
        if (plan.source().kafka() != null) {
            return "l.split";
        }
        return plan.source().isOneLog() ? "''" : "split_part(l.split, '/', 1)";
    }

    @Override
    public Evidence read(Period period) {
        return transactions.run("read the lateness of the job " + job, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("set transaction isolation level repeatable read, read only");
            }
            Distribution exceptional = new Distribution();
            return new Evidence(
                    days(connection, period, exceptional),
                    exceptional,
                    sensor(connection, period),
                    ledger(connection, period),
                    logs(connection, period),
                    partitions(connection),
                    withoutEventTime(connection, period));
        });
    }

    @Override
    public void close() {
        transactions.close();
    }

    private NavigableMap<LocalDate, Day> days(Connection connection, Period period, Distribution exceptional)
            throws SQLException {
        NavigableMap<LocalDate, Day> days = new TreeMap<>();
        try (PreparedStatement statement = connection.prepareStatement("""
                select l.observed_day, l.arrival = 'correction', l.age, l.bucket, l.changes, l.late, l.maximum
                from tidemark.lateness l
                where l.job = ? and l.observed_day between coalesce(?, date '-infinity') and coalesce(?, date 'infinity')""")) {
            statement.setFetchSize(FETCH_SIZE);
            statement.setString(1, job);
            set(statement, 2, period);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    LocalDate day = row.getObject(1, LocalDate.class);
                    LatenessEntry entry = new LatenessEntry(
                            day.toEpochDay(),
                            row.getBoolean(2),
                            row.getLong(3),
                            row.getLong(4),
                            row.getLong(5),
                            row.getLong(6),
                            row.getLong(7));
                    if (period.except().contains(day)) {
                        exceptional.add(entry);
                    } else {
                        days.computeIfAbsent(day, unknown -> new Day()).add(entry);
                    }
                }
            }
        }
        return days;
    }

    /** Of publications under the lookback that is set now: half of another says nothing about this one. */
    private NavigableMap<LocalDate, Long> sensor(Connection connection, Period period) throws SQLException {
        NavigableMap<LocalDate, Long> days = new TreeMap<>();
        try (PreparedStatement statement = connection.prepareStatement("""
                select cast(p.published_at at time zone ? as date) as day, sum(p.half_window_exceeded)
                from tidemark.publications p
                join tidemark.jobs j on j.job = p.job and j.lookback = p.lookback
                where p.job = ? and p.half_window_exceeded > 0
                  and cast(p.published_at at time zone ? as date)
                      between coalesce(?, date '-infinity') and coalesce(?, date 'infinity')
                group by day""")) {
            statement.setString(1, zone);
            statement.setString(2, job);
            statement.setString(3, zone);
            set(statement, 4, period);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    days.put(row.getObject(1, LocalDate.class), row.getLong(2));
                }
            }
        }
        return days;
    }

    private List<Late> ledger(Connection connection, Period period) throws SQLException {
        List<Late> late = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement("""
                select l.reason, l.age, count(*) from tidemark.late_ledger l
                where l.job = ? and %s between coalesce(?, date '-infinity') and coalesce(?, date 'infinity')
                  and %s <> all (?)
                group by l.reason, l.age order by l.reason, l.age""".formatted(LATE_DAY, LATE_DAY))) {
            statement.setString(1, job);
            statement.setString(2, zone);
            set(statement, 3, period);
            statement.setString(5, zone);
            statement.setArray(6, except(connection, period));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    late.add(new Late(row.getString(1), nullableLong(row, 2), row.getLong(3)));
                }
            }
        }
        return List.copyOf(late);
    }

    private List<LateLog> logs(Connection connection, Period period) throws SQLException {
        List<LateLog> logs = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement("""
                select log, sum(rows), count(*), max(lateness_ms), max(age)
                from (
                    select %s as log, %s as day, count(*) as rows, max(l.lateness_ms) as lateness_ms, max(l.age) as age
                    from tidemark.late_ledger l where l.job = ?
                    group by 1, 2
                ) d
                where d.day between coalesce(?, date '-infinity') and coalesce(?, date 'infinity') and d.day <> all (?)
                group by log order by 3 desc, 2 desc, log collate "C" limit ?""".formatted(logOfSplit, LATE_DAY))) {
            statement.setString(1, zone);
            statement.setString(2, job);
            set(statement, 3, period);
            statement.setArray(5, except(connection, period));
            statement.setInt(6, LOGS_SHOWN);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    logs.add(new LateLog(
                            row.getString(1),
                            row.getLong(2),
                            row.getLong(3),
                            nullableLong(row, 4),
                            nullableLong(row, 5)));
                }
            }
        }
        return List.copyOf(logs);
    }

    private Partitions partitions(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select count(*), coalesce(sum(p.cells), 0), coalesce(sum(p.members), 0)
                from tidemark.partitions p where p.job = ? and p.cells > 0""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Partitions(row.getLong(1), row.getLong(2), row.getLong(3));
            }
        }
    }

    private long withoutEventTime(Connection connection, Period period) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select count(*) from tidemark.rejected_changes r
                where r.job = ? and r.reason = 'no-event-time'
                  and cast(r.recorded_at at time zone ? as date)
                      between coalesce(?, date '-infinity') and coalesce(?, date 'infinity')""")) {
            statement.setString(1, job);
            statement.setString(2, zone);
            set(statement, 3, period);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static void set(PreparedStatement statement, int at, Period period) throws SQLException {
        setDate(statement, at, period.since());
        setDate(statement, at + 1, period.until());
    }

    private static Array except(Connection connection, Period period) throws SQLException {
        return connection.createArrayOf(
                "date", period.except().stream().map(LocalDate::toString).toArray());
    }

    private static void setDate(PreparedStatement statement, int at, @Nullable LocalDate date) throws SQLException {
        if (date == null) {
            statement.setNull(at, Types.DATE);
        } else {
            statement.setObject(at, date);
        }
    }

    private static @Nullable Long nullableLong(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }
}
