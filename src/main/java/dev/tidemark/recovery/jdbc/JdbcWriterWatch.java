package dev.tidemark.recovery.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.recovery.WriterWatch;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads who writes a job's target, and what was published by whom. */
public final class JdbcWriterWatch implements WriterWatch {
    private final String job;
    private final Transactions transactions;

    public JdbcWriterWatch(String job, Connections connections) {
        this.job = job;
        this.transactions = new Transactions(connections, Session.named("tidemark widen " + job));
    }

    @Override
    public Writer newest() {
        return transactions.run("read who writes for the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "select j.submission, j.flink_job_id from tidemark.jobs j where j.job = ?")) {
                statement.setString(1, job);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? new Writer(row.getString(1), row.getString(2)) : new Writer(null, null);
                }
            }
        });
    }

    @Override
    public @Nullable Long widening(String submission) {
        Optional<Long> found = transactions.run("look for the publication that widens the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select max(p.publication) from tidemark.publications p
                    where p.job = ? and p.submission = ? and p.kind = 'widen'""")) {
                statement.setString(1, job);
                statement.setString(2, submission);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    long publication = row.getLong(1);
                    return row.wasNull() ? Optional.empty() : Optional.of(publication);
                }
            }
        });
        return found.orElse(null);
    }

    @Override
    public boolean isAlive(String submission) {
        return transactions.run("look for a sign of life of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select 1 from tidemark.jobs j
                    where j.job = ? and j.submission = ? and j.heartbeat_at >= j.started_at""")) {
                statement.setString(1, job);
                statement.setString(2, submission);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next();
                }
            }
        });
    }

    @Override
    public void close() {
        transactions.close();
    }
}
