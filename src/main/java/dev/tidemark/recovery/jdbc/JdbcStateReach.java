package dev.tidemark.recovery.jdbc;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.publish.Standing;
import dev.tidemark.recovery.RecoveryException;
import dev.tidemark.recovery.StateReach;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How far back the state of one job reaches, by its publications and its ledger. */
public final class JdbcStateReach implements StateReach.Reader {
    private final String job;
    private final Calendar calendar;
    private final Transactions transactions;

    public JdbcStateReach(String job, Calendar calendar, Connections connections) {
        this.job = job;
        this.calendar = calendar;
        this.transactions = new Transactions(connections, Session.named("tidemark widen " + job));
    }

    @Override
    public StateReach reach() {
        return transactions.run("read how far back the state of the job " + job + " reaches", this::reach);
    }

    @Override
    public List<StateReach.NotHeld> notHeld(String from, String before) {
        return transactions.run(
                "read which late changes of the job " + job + " its state does not hold", connection -> {
                    try (PreparedStatement statement = connection.prepareStatement("""
                    select l.partition, l.reason, count(*) from tidemark.late_ledger l
                    where l.job = ? and l.partition >= ? and l.partition < ? and not l.withheld
                    group by l.partition, l.reason order by l.partition, l.reason""")) {
                        range(statement, from, before);
                        List<StateReach.NotHeld> rows = new ArrayList<>();
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                rows.add(new StateReach.NotHeld(row.getString(1), row.getString(2), row.getLong(3)));
                            }
                        }
                        return rows;
                    }
                });
    }

    @Override
    public long openRows(String from, String before) {
        return transactions.run("count the open ledger rows of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select count(*) from tidemark.late_ledger l
                    where l.job = ? and l.partition >= ? and l.partition < ? and l.status = 'open'""")) {
                range(statement, from, before);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    @Override
    public void close() {
        transactions.close();
    }

    private void range(PreparedStatement statement, String from, String before) throws SQLException {
        statement.setString(1, job);
        statement.setString(2, from);
        statement.setString(3, before);
    }

    private StateReach reach(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select p.publication, p.lookback, p.closed_before, p.ended_before, p.complete_from, p.retained_from
                from tidemark.publications p
                where p.job = ? and p.kind in ('stream', 'widen') order by p.publication desc limit 1""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new RecoveryException(
                            "the job %s has published nothing yet: there is nothing to reopen", job);
                }
                long publication = row.getLong(1);
                return new StateReach(
                        publication,
                        row.getInt(2),
                        bound(row.getString(3)),
                        bound(row.getString(4)),
                        bound(row.getString(5)),
                        bound(row.getString(6)),
                        wholeFrom(connection, publication));
            }
        }
    }

    private Map<String, Long> wholeFrom(Connection connection, long publication) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select log.key, cast(log.value ->> 'wholeFrom' as bigint)
                from tidemark.publications p, jsonb_each(p.logs) log
                where p.job = ? and p.publication = ? and log.value ->> 'wholeFrom' is not null""")) {
            statement.setString(1, job);
            statement.setLong(2, publication);
            Map<String, Long> wholeFrom = new HashMap<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    wholeFrom.put(row.getString(1), row.getLong(2));
                }
            }
            return wholeFrom;
        }
    }

    private long bound(@Nullable String partition) {
        return partition == null ? Standing.NOWHERE : calendar.parse(partition);
    }
}
