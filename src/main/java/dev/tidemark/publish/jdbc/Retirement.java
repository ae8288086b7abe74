package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Identifiers;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gives up a job's target. The epoch moves on, so that a submission that still runs is fenced like one that another has
 * followed, for good; the target and the bookkeeping stay.
 */
public final class Retirement {
    private final String job;
    private final Connections connections;

    public Retirement(String job, Connections connections) {
        this.job = job;
        this.connections = connections;
    }

    /** When the job last gave a sign of life; null: never. */
    public @Nullable Instant lastSign() {
        Optional<Instant> sign = run("look for signs of life of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "select greatest(started_at, heartbeat_at) from tidemark.jobs where job = ?")) {
                statement.setString(1, job);
                try (ResultSet row = statement.executeQuery()) {
                    OffsetDateTime last = row.next() ? row.getObject(1, OffsetDateTime.class) : null;
                    return Optional.ofNullable(last).map(OffsetDateTime::toInstant);
                }
            }
        });
        return sign.orElse(null);
    }

    /**
     * Retires the job, which may be repeated, and leaves what it has staged.
     *
     * @return the target that is free now
     */
    public String retire() {
        return run("retire the job " + job, this::retire);
    }

    /** Retires the job and removes what it has staged and not published, with the table for it. */
    public String retireAndClear() {
        return run("retire the job " + job, connection -> {
            String target = retire(connection);
            try (PreparedStatement forget = connection.prepareStatement("""
                    with forgotten as (
                        delete from tidemark.staged_parts where job = ? returning part
                    ), late as (
                        delete from tidemark.staged_late where part in (select part from forgotten)
                    )
                    delete from tidemark.staged_rejected where part in (select part from forgotten)""")) {
                forget.setString(1, job);
                forget.executeUpdate();
            }
            try (Statement drop = connection.createStatement()) {
                drop.execute("drop table if exists " + Identifiers.quoted(TargetNames.STAGING_SCHEMA, job));
            }
            return target;
        });
    }

    private String retire(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                update tidemark.jobs
                set retired_at = coalesce(retired_at, clock_timestamp()),
                    epoch = epoch + case when retired_at is null then 1 else 0 end, attempt = 0, submission = null
                where job = ? returning target""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new WarehouseException("the warehouse does not know the job " + job);
                }
                return row.getString(1);
            }
        }
    }

    private <T extends @Nullable Object> T run(String what, Transactions.Work<T> work) {
        try (Transactions transactions = new Transactions(connections, Session.named("tidemark retire " + job))) {
            return transactions.run(what, work);
        } catch (DatabaseException failure) {
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }
}
