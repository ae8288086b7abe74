package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Identifiers;
import dev.tidemark.database.Migrations;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.job.Definition;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobSpec;
import dev.tidemark.job.SpecDifference;
import dev.tidemark.publish.LastRun;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes a warehouse ready for a job: the bookkeeping schema, the target, and the job's row. Safe to repeat. */
public final class Initialization {
    private static final String UNIQUE_VIOLATION = "23505";

    /** A person waits: what holds a lock for longer than this is told. */
    private static final Duration LONGEST_LOCK = Duration.ofSeconds(5);

    private static final Transactions.Repetition TWICE =
            new Transactions.Repetition(2, 1, Duration.ofMillis(200), Duration.ofSeconds(1));

    private final Connections connections;
    private final JobPlan plan;
    private final TargetTable target;

    public Initialization(Connections connections, JobPlan plan) {
        this.connections = connections;
        this.plan = plan;
        this.target = new TargetTable(plan);
    }

    /**
     * Creates what is missing, checks what is there and registers what the job was told.
     *
     * @param spec the resolved job as JSON, without secrets
     * @param startPositions as JSON; kept from the first time on, null: not known yet
     * @throws WarehouseException if the target does not fit or belongs to another job, or the database failed
     */
    public void run(String spec, @Nullable String startPositions) {
        prepare(spec, connection -> register(connection, spec, startPositions));
    }

    /**
     * Does the same for what works beside the stream: what the job was told last, its lookback too, stays if the warehouse knows
     * it already.
     *
     * @throws WarehouseException as {@link #run}
     */
    public void runBeside(String spec) {
        prepare(spec, connection -> {
            if (!isKnown(connection)) {
                register(connection, spec, null);
            }
        });
    }

    private void prepare(String spec, Transactions.Action registration) {
        try {
            new Migrations(connections, Initialization.class.getClassLoader()).apply();
            try (Transactions transactions = transactions()) {
                transactions.execute(
                        "prepare the target " + shownTarget() + " of the job " + plan.job(), connection -> {
                            lock(connection);
                            requireUnowned(connection);
                            requireSameMeaning(connection, spec);
                            requireStillThere(connection);
                            target.ensure(connection);
                            requireNoStrangers(connection);
                            registration.run(connection);
                        });
            }
        } catch (DatabaseException failure) {
            if (UNIQUE_VIOLATION.equals(failure.sqlState())) {
                throw new WarehouseException(
                        "another job took the target " + shownTarget() + " at the same moment; name another target",
                        failure);
            }
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }

    /** What the warehouse remembers of the job; null: it does not know it. */
    public @Nullable LastRun lastRun() {
        Optional<LastRun> known = run("look for the job " + plan.job(), connection -> {
            if (!hasBookkeeping(connection)) {
                return Optional.empty();
            }
            try (PreparedStatement statement = connection.prepareStatement("""
                    select spec_fingerprint, spec, lookback, epoch, started_at, retired_at,
                           exists (select from tidemark.publications p where p.job = j.job)
                    from tidemark.jobs j where job = ?""")) {
                statement.setString(1, plan.job());
                try (ResultSet row = statement.executeQuery()) {
                    return row.next()
                            ? Optional.of(new LastRun(
                                    new Definition(plan.job(), row.getString(1), row.getString(2)),
                                    row.getInt(3),
                                    row.getLong(4),
                                    instant(row, 5),
                                    instant(row, 6),
                                    row.getBoolean(7)))
                            : Optional.empty();
                }
            }
        });
        return known.orElse(null);
    }

    /** Whether the target is there. */
    public boolean hasTarget() {
        return run("look for the table " + shownTarget(), target::exists);
    }

    /**
     * Checks what is there as {@link #run} does, but for the definition, and changes nothing.
     *
     * @throws WarehouseException if the target does not fit or belongs to another job
     */
    public void requireFit() {
        run("look at the table " + shownTarget(), connection -> {
            boolean known = hasBookkeeping(connection);
            if (known) {
                requireUnowned(connection);
                requireStillThere(connection);
            }
            target.requireFit(connection);
            if (target.exists(connection)) {
                requireNoStrangers(connection, known);
            }
            return known;
        });
    }

    private <T extends @Nullable Object> T run(String what, Transactions.Work<T> work) {
        try (Transactions transactions = new Transactions(
                connections, Session.named("tidemark validate " + plan.job()), Transactions.Repetition.NONE)) {
            return transactions.run(what, work);
        } catch (DatabaseException failure) {
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }

    private Transactions transactions() {
        return new Transactions(
                connections, Session.named("tidemark init " + plan.job()).waitingFor(LONGEST_LOCK), TWICE);
    }

    private static boolean hasBookkeeping(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement("select to_regclass('tidemark.jobs') is not null");
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /**
     * Registers what the job was told in a warehouse that has been made ready for it, after the same checks; creates nothing.
     *
     * @throws WarehouseException as {@link #run}, and if the target is not there
     */
    public void resume(String spec) {
        try (Transactions transactions = transactions()) {
            transactions.execute("take up the target " + shownTarget() + " of the job " + plan.job(), connection -> {
                lock(connection);
                requireUnowned(connection);
                requireSameMeaning(connection, spec);
                requireStillThere(connection);
                if (!target.exists(connection)) {
                    throw new WarehouseException(
                            "the table " + shownTarget() + " is not there: run `init`, which creates it");
                }
                target.requireFit(connection);
                requireNoStrangers(connection);
                register(connection, spec, null);
            });
        } catch (DatabaseException failure) {
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }

    /** The greatest number of characters of each text column of the target that has one, by the column's name. */
    public Map<String, Integer> textLimits() {
        try (Transactions transactions = new Transactions(connections, Session.named("tidemark init " + plan.job()))) {
            return transactions.run("read the columns of " + shownTarget(), target::textLimits);
        } catch (DatabaseException failure) {
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }

    /** One at a time, since creating a table that somebody else creates fails. */
    private static void lock(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select pg_advisory_xact_lock(hashtext('tidemark init'))")) {
            statement.execute();
        }
    }

    private void requireUnowned(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "select job from tidemark.jobs where target = ? and job <> ? and retired_at is null")) {
            statement.setString(1, shownTarget());
            statement.setString(2, plan.job());
            try (ResultSet owner = statement.executeQuery()) {
                if (owner.next()) {
                    throw new WarehouseException("the target " + shownTarget() + " belongs to the job "
                            + owner.getString(1) + "; one job owns a target: name another, or `retire` that job");
                }
            }
        }
        requireNotTakenMeanwhile(connection);
        try (PreparedStatement statement = connection.prepareStatement("""
                select target from tidemark.jobs where job = ? and target <> ? and epoch > 0""")) {
            statement.setString(1, plan.job());
            statement.setString(2, shownTarget());
            try (ResultSet other = statement.executeQuery()) {
                if (other.next()) {
                    throw new WarehouseException("the job " + plan.job() + " has published to " + other.getString(1)
                            + "; give the job that writes to " + shownTarget() + " another name");
                }
            }
        }
    }

    /** What another job has written since this one gave the target up is not this one's to go on with. */
    private void requireNotTakenMeanwhile(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select o.job from tidemark.jobs j join tidemark.jobs o on o.target = j.target and o.job <> j.job
                where j.job = ? and j.retired_at is not null
                  and exists (
                      select from tidemark.publications p where p.job = o.job and p.published_at > j.retired_at)""")) {
            statement.setString(1, plan.job());
            try (ResultSet other = statement.executeQuery()) {
                if (other.next()) {
                    throw new WarehouseException("the job " + plan.job() + " was retired, and the job "
                            + other.getString(1) + " has written to " + shownTarget()
                            + " since; give the job and its target other names so that it starts anew");
                }
            }
        }
    }

    /** What is published under one meaning of the job's words cannot be gone on with under another. */
    private void requireSameMeaning(Connection connection, String spec) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select spec, spec_fingerprint from tidemark.jobs where job = ?")) {
            statement.setString(1, plan.job());
            try (ResultSet before = statement.executeQuery()) {
                if (before.next()
                        && !before.getString(2).equals(JobSpec.fingerprint(plan))
                        && hasPublished(connection)) {
                    throw new WarehouseException("the job " + plan.job() + " has published with another definition ("
                            + SpecDifference.ofTheState(before.getString(1), spec).stream()
                                    .map(SpecDifference::text)
                                    .collect(Collectors.joining("; "))
                            + "), and what is published cannot be gone on with; take the change back, or give the job"
                            + " and its target other names so that it starts anew");
                }
            }
        }
    }

    /** An empty table in the place of one that has been published to would be taken for a complete one. */
    private void requireStillThere(Connection connection) throws SQLException {
        if (!target.exists(connection)) {
            if (hasPublished(connection)) {
                throw new WarehouseException("the table " + shownTarget() + " is gone, but the job " + plan.job()
                        + " has published to it and would only write what changes from now on; bring the table"
                        + " back from a backup, or give the job another name so that it starts anew");
            }
        }
    }

    /** Rows that the job has not written would pass for its results. */
    private void requireNoStrangers(Connection connection) throws SQLException {
        requireNoStrangers(connection, true);
    }

    private void requireNoStrangers(Connection connection, boolean hasBookkeeping) throws SQLException {
        if (!(hasBookkeeping && hasPublished(connection)) && target.hasRows(connection)) {
            throw new WarehouseException("the table " + shownTarget() + " holds rows that the job " + plan.job()
                    + " has not written, and they would pass for its results; empty the table, or name another target");
        }
    }

    private boolean hasPublished(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select 1 from tidemark.publications where job = ? limit 1")) {
            statement.setString(1, plan.job());
            try (ResultSet published = statement.executeQuery()) {
                return published.next();
            }
        }
    }

    private boolean isKnown(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select from tidemark.jobs where job = ?")) {
            statement.setString(1, plan.job());
            try (ResultSet known = statement.executeQuery()) {
                return known.next();
            }
        }
    }

    private void register(Connection connection, String spec, @Nullable String startPositions) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.jobs as j
                    (job, target, spec, spec_fingerprint, lookback, retain, zone, start_positions)
                values (?, ?, cast(? as jsonb), ?, ?, ?, ?, cast(? as jsonb))
                on conflict (job) do update set
                    target = excluded.target, spec = excluded.spec, spec_fingerprint = excluded.spec_fingerprint,
                    lookback = excluded.lookback, retain = excluded.retain, zone = excluded.zone,
                    start_positions = coalesce(j.start_positions, excluded.start_positions), retired_at = null""")) {
            statement.setString(1, plan.job());
            statement.setString(2, shownTarget());
            statement.setString(3, spec);
            statement.setString(4, JobSpec.fingerprint(plan));
            statement.setInt(5, plan.partition().lookback());
            statement.setInt(6, plan.partition().retain());
            statement.setString(7, plan.partition().zone().getId());
            statement.setString(8, startPositions);
            statement.executeUpdate();
        }
    }

    private String shownTarget() {
        return Identifiers.shown(plan.target().schema(), plan.target().table());
    }
}
