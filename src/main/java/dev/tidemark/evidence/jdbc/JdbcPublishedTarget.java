package dev.tidemark.evidence.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Identifiers;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.evidence.EvidenceException;
import dev.tidemark.evidence.PublishedTarget;
import dev.tidemark.evidence.Standpoint;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.LogCut;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a target beside its job. A failure is not tried again: rows may have been handed over. */
public final class JdbcPublishedTarget implements PublishedTarget {
    private static final int FETCH_SIZE = 5_000;

    private final JobPlan plan;
    private final Transactions transactions;

    public JdbcPublishedTarget(JobPlan plan, Connections connections) {
        this.plan = plan;
        this.transactions = new Transactions(
                connections, Session.named("tidemark evidence " + plan.job()), Transactions.Repetition.NONE);
    }

    @Override
    public Standpoint read(@Nullable String from, @Nullable String to, Visitor visitor) {
        try {
            return transactions.run("read what the job " + plan.job() + " has published", connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("set transaction isolation level repeatable read, read only");
                }
                Standpoint standpoint = standpoint(connection);
                late(connection, from, to, visitor);
                rows(connection, from, to, visitor);
                return standpoint;
            });
        } catch (DatabaseException failure) {
            throw new EvidenceException(failure.getMessage(), failure);
        }
    }

    @Override
    public void close() {
        transactions.close();
    }

    private Standpoint standpoint(Connection connection) throws SQLException {
        List<LogCut> stream = logs(connection, """
                select logs from tidemark.publications
                where job = ? and logs is not null order by publication desc limit 1""");
        try (PreparedStatement statement = connection.prepareStatement("""
                select coalesce(p.publication, 0), p.published_at, coalesce(s.publication, 0), s.closed_before,
                       s.complete_from,
                       (select coalesce(sum(records_read), 0) from tidemark.publications where job = j.job)
                from tidemark.jobs j
                left join lateral (
                    select * from tidemark.publications
                    where job = j.job order by publication desc limit 1) p on true
                left join lateral (
                    select * from tidemark.publications
                    where job = j.job and logs is not null order by publication desc limit 1) s on true
                where j.job = ?""")) {
            statement.setString(1, plan.job());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new EvidenceException(
                            "the warehouse does not know the job " + plan.job() + "; run `init` first");
                }
                long streamed = row.getLong(3);
                List<LogCut> rebuilt = streamed > 0 ? null : rebuiltLogs(connection);
                return new Standpoint(
                        row.getLong(1),
                        instant(row, 2),
                        streamed,
                        streamed > 0 ? stream : rebuilt,
                        row.getString(4),
                        row.getString(5),
                        row.getLong(6),
                        rebuilt == null ? List.of() : earlierRebuilds(connection));
            }
        }
    }

    /** Where the newest rebuild ended; null: there is none, or its history has no positions. */
    private @Nullable List<LogCut> rebuiltLogs(Connection connection) throws SQLException {
        List<LogCut> logs = logs(connection, """
                select positions as logs from tidemark.rebuilds
                where job = ? and publication is not null order by publication desc limit 1""");
        return logs.isEmpty() ? null : logs;
    }

    private List<Standpoint.Rebuilt> earlierRebuilds(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select p.partition, p.rebuilt_by, l.log, l.at ->> 'split', cast(l.at ->> 'offset' as bigint)
                from tidemark.partitions p
                join tidemark.rebuilds r on r.job = p.job and r.publication = p.rebuilt_by
                join lateral jsonb_each(r.positions) as l (log, at) on true
                where p.job = ?
                  and p.rebuilt_by < (select max(publication) from tidemark.rebuilds where job = p.job)
                order by 1, 3""")) {
            statement.setString(1, plan.job());
            Map<String, Standpoint.Rebuilt> rebuilt = new LinkedHashMap<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    String partition = row.getString(1);
                    long publication = row.getLong(2);
                    rebuilt.computeIfAbsent(partition, it -> new Standpoint.Rebuilt(it, publication, new ArrayList<>()))
                            .logs()
                            .add(cut(row.getString(3), row.getString(4), row.getLong(5), LogCut.UNKNOWN));
                }
            }
            return List.copyOf(rebuilt.values());
        }
    }

    /** The logs in the column of that name of the one row that a query gives. */
    private List<LogCut> logs(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "select l.log, l.at ->> 'split', cast(l.at ->> 'offset' as bigint), cast(l.at ->> 'wholeFrom' as bigint)"
                        + " from (" + sql + ") p, jsonb_each(p.logs) as l (log, at) order by l.log")) {
            statement.setString(1, plan.job());
            List<LogCut> logs = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Long wholeFrom = number(row, 4);
                    logs.add(cut(
                            row.getString(1),
                            row.getString(2),
                            row.getLong(3),
                            wholeFrom == null ? LogCut.UNKNOWN : wholeFrom));
                }
            }
            return logs;
        }
    }

    private static LogCut cut(String log, String split, long offset, long wholeFrom) {
        return new LogCut(log, split, offset, split, offset, LogCut.UNKNOWN, wholeFrom, false, false);
    }

    private void late(Connection connection, @Nullable String from, @Nullable String to, Visitor visitor)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select split, "offset", half, partition, cast(key as text), record_id, reason
                from tidemark.late_ledger
                where job = ? and status = 'open'
                  and (partition is null
                       or ((cast(? as text) is null or partition >= ?) and (cast(? as text) is null or partition <= ?)))""")) {
            statement.setFetchSize(FETCH_SIZE);
            statement.setString(1, plan.job());
            statement.setString(2, from);
            statement.setString(3, from);
            statement.setString(4, to);
            statement.setString(5, to);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    visitor.late(new Late(
                            row.getString(1),
                            row.getLong(2),
                            row.getString(3),
                            row.getString(4),
                            row.getString(5),
                            row.getString(6),
                            row.getString(7)));
                }
            }
        }
    }

    private void rows(Connection connection, @Nullable String from, @Nullable String to, Visitor visitor)
            throws SQLException {
        String partition = Identifiers.quoted(plan.partition().column());
        boolean isHour = plan.partition().grain() == Grain.HOUR;
        String type = isHour ? "timestamp with time zone" : "date";
        List<String> select = new ArrayList<>();
        // What is no date of ours, such as infinity, has a text too.
        select.add("case when isfinite(" + partition + ") and extract(year from " + partition
                + ") between 1 and 9999 then "
                + (isHour
                        ? "to_char(" + partition + " at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
                        : "to_char(" + partition + ", 'YYYY-MM-DD')")
                + " else coalesce(cast(" + partition + " as text), '') end");
        List<Column> columns = new ArrayList<>();
        for (Field key : plan.target().key()) {
            columns.add(new Column(key.column(), key.type()));
        }
        int keys = columns.size();
        for (JobPlan.ValueColumn column : plan.target().columns()) {
            columns.add(new Column(column.name(), column.type()));
        }
        columns.forEach(column -> select.add(column.sql()));
        select.addAll(List.of("_members", "_fingerprint", "_publication"));
        String sql = "select " + String.join(", ", select) + " from "
                + Identifiers.quoted(plan.target().schema(), plan.target().table()) + " where true"
                + (from == null ? "" : " and " + partition + " >= cast(? as " + type + ")")
                + (to == null ? "" : " and " + partition + " <= cast(? as " + type + ")");
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setFetchSize(FETCH_SIZE);
            int at = 1;
            if (from != null) {
                statement.setString(at++, from);
            }
            if (to != null) {
                statement.setString(at, to);
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    visitor.row(row(row, columns, keys));
                }
            }
        }
    }

    private static Row row(ResultSet row, List<Column> columns, int keys) throws SQLException {
        StringBuilder unreadable = new StringBuilder();
        List<@Nullable Object> key = new ArrayList<>(keys);
        List<@Nullable Object> values = new ArrayList<>(columns.size() - keys);
        int at = 2;
        for (int i = 0; i < columns.size(); i++, at++) {
            Column column = columns.get(i);
            TargetValue value = TargetValue.read(row, at, column.type());
            (i < keys ? key : values).add(value.value());
            if (value.unreadable() != null) {
                unreadable
                        .append(unreadable.isEmpty() ? "" : ", ")
                        .append(column.name())
                        .append(" = ")
                        .append(value.unreadable());
            }
        }
        return new Row(
                row.getString(1),
                key,
                values,
                number(row, at),
                number(row, at + 1),
                number(row, at + 2),
                unreadable.isEmpty() ? null : unreadable.toString());
    }

    private static @Nullable Long number(ResultSet row, int column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private record Column(String name, FieldType type) {
        /** Text of a fixed length loses its padding as text. */
        private String sql() {
            String quoted = Identifiers.quoted(name);
            return type.kind() == FieldType.Kind.STRING ? "cast(" + quoted + " as text)" : quoted;
        }
    }
}
