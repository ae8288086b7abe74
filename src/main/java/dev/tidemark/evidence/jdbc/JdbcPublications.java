package dev.tidemark.evidence.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.evidence.EvidenceException;
import dev.tidemark.evidence.Publications;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Reads a job's publications and its whole ledger, beside the job: what is published meanwhile lies behind all that was read
 * before, and says nothing of it.
 */
public final class JdbcPublications implements Publications {
    private static final int FETCH_SIZE = 5_000;

    private final String job;
    private final Transactions transactions;

    public JdbcPublications(String job, Connections connections) {
        this.job = job;
        this.transactions =
                new Transactions(connections, Session.named("tidemark evidence " + job), Transactions.Repetition.NONE);
    }

    @Override
    public void read(Visitor visitor) {
        try {
            transactions.execute("read the publications of the job " + job, connection -> {
                stood(connection, visitor);
                late(connection, visitor);
            });
        } catch (DatabaseException failure) {
            throw new EvidenceException(failure.getMessage(), failure);
        }
    }

    @Override
    public void close() {
        transactions.close();
    }

    private void stood(Connection connection, Visitor visitor) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select p.publication, p.kind = 'rebuild', l.log, l.at ->> 'split', cast(l.at ->> 'offset' as bigint)
                from tidemark.publications p
                left join tidemark.rebuilds r on r.job = p.job and r.publication = p.publication
                join lateral jsonb_each(coalesce(p.logs, r.positions)) as l (log, at) on true
                where p.job = ?""")) {
            statement.setFetchSize(FETCH_SIZE);
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    visitor.stood(new Stood(
                            row.getLong(1), row.getBoolean(2), row.getString(3), row.getString(4), row.getLong(5)));
                }
            }
        }
    }

    private void late(Connection connection, Visitor visitor) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select l.split, l."offset", l.partition, w.publication
                from tidemark.late_ledger l
                left join tidemark.publications w
                    on l.status = 'incorporated' and w.job = l.job and w.publication = l.resolved_by and w.kind = 'widen'
                where l.job = ?""")) {
            statement.setFetchSize(FETCH_SIZE);
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    long widened = row.getLong(4);
                    Long from = row.wasNull() ? null : Long.valueOf(widened);
                    visitor.late(new Late(row.getString(1), row.getLong(2), row.getString(3), from));
                }
            }
        }
    }
}
