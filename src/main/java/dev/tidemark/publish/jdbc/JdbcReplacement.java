package dev.tidemark.publish.jdbc;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.RebuildRule;
import dev.tidemark.publish.RefusedException;
import dev.tidemark.publish.Replacement;
import dev.tidemark.publish.Scan;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts what a rebuild has staged in the place of what stands. Everything happens in one transaction that holds the lock of
 * the job's row, and is decided by what that transaction reads, so that it can be repeated. It takes no epoch: the stream
 * goes on as it was.
 */
public final class JdbcReplacement implements Replacement {
    /** A lock that is not to be had for so long, so many times, is held by somebody who will not let go. */
    static final Transactions.Repetition PATIENCE =
            new Transactions.Repetition(4, 4, Duration.ofMillis(200), Duration.ofSeconds(5));

    private static final String LOCK_TIMEOUT = "55P03";
    private static final String CANCELLED = "57014";

    private final String job;
    private final Rebuild rebuild;
    private final JobPlan plan;
    private final Calendar calendar;
    private final TargetNames names;
    private final RebuildRule rule;
    private final PublicationStatements statements;
    private final RebuildStatements rebuilds;
    private final ReplaceStatement replace;
    private final Transactions transactions;

    JdbcReplacement(
            JobPlan plan,
            Rebuild rebuild,
            Connections connections,
            Duration lockTimeout,
            Transactions.Repetition repetition) {
        this.job = plan.job();
        this.rebuild = rebuild;
        this.plan = plan;
        this.calendar = new Calendar(plan.partition().grain(), plan.partition().zone());
        this.names = new TargetTable(plan).names();
        this.rule = new RebuildRule(calendar);
        this.statements =
                new PublicationStatements(job, calendar, plan.partition().lookback(), names);
        this.rebuilds = new RebuildStatements(job, calendar, names);
        this.replace = new ReplaceStatement(job, names);
        Session session = Session.named("tidemark rebuild " + job).waitingFor(lockTimeout);
        this.transactions = new Transactions(connections, session, repetition);
    }

    /**
     * The replacement of a rebuild in the warehouse that the connections lead to.
     *
     * @param lockTimeout how long a statement may wait for a lock
     */
    public static Replacement.Factory factory(
            Connections connections, JobPlan plan, Rebuild rebuild, Duration lockTimeout) {
        return () -> new JdbcReplacement(plan, rebuild, connections, lockTimeout, PATIENCE);
    }

    @Override
    public void replace(List<StagedPart> parts, List<Scan> scans) {
        try {
            transactions.execute(
                    (rebuild.trial() ? "compare the partitions of" : "replace the partitions of") + " the job " + job,
                    connection -> replace(connection, parts, scans));
        } catch (DatabaseException failure) {
            if (LOCK_TIMEOUT.equals(failure.sqlState()) || CANCELLED.equals(failure.sqlState())) {
                throw new RefusedException(failure.getMessage() + "; nothing is changed", failure);
            }
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }

    @Override
    public void close() {
        transactions.close();
    }

    private void replace(Connection connection, List<StagedPart> parts, List<Scan> scans) throws SQLException {
        int lookback = lockJob(connection);
        RebuildStatements.State state = rebuilds.state(connection, rebuild.id());
        if (state.finished()) {
            return;
        }
        if (state.error() != null) {
            throw new RefusedException(
                    "the rebuild " + rebuild.id() + " of the job " + job + " was given up: " + state.error());
        }
        Timestamp locked = state.now();
        PublicationStatements.Last last = statements.last(connection);
        RebuildStatements.Bounds bounds = rebuilds.bounds(connection);
        requireStillTrue(connection, last, bounds);
        List<LogCut> logs = read(scans);
        requireHistory(connection, logs, scans);
        statements.requireCells(connection, parts);
        List<String> ids = parts.stream().map(StagedPart::part).toList();
        String repeated = replace.repeated(connection, ids);
        if (repeated != null) {
            throw new RefusedException("the cell (" + repeated + ") of the job " + job
                    + " was computed twice; this is a fault of the program, and nothing is changed");
        }
        List<LogCut> asOf = rebuild.logs() == null ? logs : rebuild.logs();
        if (rebuild.trial()) {
            List<ReplaceStatement.Changed> changed = replace.differences(
                    connection,
                    ids,
                    iso(rebuild.span().first()),
                    iso(rebuild.span().last()));
            long late = rebuilds.countOpen(connection, rebuild, asOf, state.startedAt());
            rebuilds.finish(connection, rebuild, 0, result(changed, changed.size(), late, scans), null, null, locked);
        } else {
            apply(connection, ids, scans, asOf, state, last, bounds, lookback, locked);
        }
        statements.deleteStaged(connection, StagedRegistry.read(connection, job).notCarried(rebuild.id()));
    }

    private void apply(
            Connection connection,
            List<String> ids,
            List<Scan> scans,
            List<LogCut> asOf,
            RebuildStatements.State state,
            PublicationStatements.Last last,
            RebuildStatements.Bounds bounds,
            int lookback,
            Timestamp locked)
            throws SQLException {
        long number = last.number() + 1;
        List<ReplaceStatement.Changed> changed = replace.run(
                connection, ids, iso(rebuild.span().first()), iso(rebuild.span().last()), number, last.now());
        long late = rebuilds.incorporate(connection, rebuild, asOf, state.startedAt(), number, last.now());
        List<String> partitions = rebuilds.recount(connection, rebuild.span(), number);
        statements.passed(connection, bounds.endedBefore(), bounds.closedBefore());
        String reached = partitions.isEmpty() ? null : partitions.get(partitions.size() - 1);
        if (rebuild.reach() != Standing.NOWHERE
                && (reached == null || calendar.iso(rebuild.reach()).compareTo(reached) > 0)) {
            reached = calendar.iso(rebuild.reach());
        }
        RebuildStatements.Numbers result = result(changed, partitions.size(), late, scans);
        rebuilds.publication(connection, rebuild, number, last, bounds, lookback, asOf, changed, state.startedAt());
        rebuilds.finish(connection, rebuild, number, result, reached, rebuild.comparable() ? asOf : null, locked);
    }

    private static RebuildStatements.Numbers result(
            List<ReplaceStatement.Changed> changed, long partitions, long late, List<Scan> scans) {
        long fresh = changed.stream().mapToLong(ReplaceStatement.Changed::fresh).sum();
        return new RebuildStatements.Numbers(
                scans.stream().mapToLong(scan -> scan.cut().read()).sum(),
                scans.stream().mapToLong(scan -> scan.cut().rejected()).sum(),
                scans.stream().mapToLong(Scan::bytes).sum(),
                fresh
                        + changed.stream()
                                .mapToLong(ReplaceStatement.Changed::changed)
                                .sum(),
                fresh,
                changed.stream().mapToLong(ReplaceStatement.Changed::removed).sum(),
                partitions,
                late);
    }

    /** Whatever has happened since it began must not be undone by it. */
    private void requireStillTrue(
            Connection connection, PublicationStatements.Last last, RebuildStatements.Bounds bounds)
            throws SQLException {
        Standing stream = last.standing();
        if (rebuild.streamed() == 0 && stream.publication() > 0) {
            throw new RefusedException("the stream of the job " + job
                    + " has begun to publish while the rebuild read the history; nothing is changed: repeat it");
        }
        boolean anyOpen = stream.publication() > 0
                && (stream.closedBefore() == Standing.NOWHERE || rebuild.span().last() >= stream.closedBefore());
        if (anyOpen && stream.publication() != rebuild.streamed()) {
            throw new RefusedException("the stream of the job " + job
                    + " has published while the rebuild read the history"
                    + " (publication " + stream.publication() + "), and the partitions from "
                    + (stream.closedBefore() == Standing.NOWHERE ? "the first" : calendar.iso(stream.closedBefore()))
                    + " on are its own; nothing is changed: stop the stream, or rebuild earlier partitions only");
        }
        String refusal =
                rule.refusal(rebuild.span(), stream, bounds.completeFrom(calendar), RebuildRule.Stream.AT_REST);
        if (refusal != null) {
            throw new RefusedException("nothing is changed: " + refusal);
        }
        String other = rebuilds.overtakenBy(connection, rebuild);
        if (other != null) {
            throw new RefusedException(other + " has replaced partitions of the job " + job
                    + " while this rebuild read the history as it had been before; nothing is changed: repeat it");
        }
    }

    /** A history that has lost what was published would take it out of the target. */
    private void requireHistory(Connection connection, List<LogCut> logs, List<Scan> scans) throws SQLException {
        long wholeFrom = scans.stream()
                .flatMap(scan -> scan.cut().logs().stream())
                .mapToLong(LogCut::wholeFrom)
                .max()
                .orElse(LogCut.UNKNOWN);
        String refusal =
                rule.refusal(rebuild.history(), rebuild.span(), RebuildRule.computed(plan, rebuild.span()), wholeFrom);
        if (refusal != null) {
            throw new RefusedException("nothing is changed: " + refusal);
        }
        if (rebuild.logs() == null || plan.overHistory().source().files() == null) {
            return;
        }
        Map<String, LogCut> reached = new TreeMap<>();
        logs.forEach(log -> reached.put(log.log(), log));
        for (LogCut log : rebuild.logs()) {
            LogCut there = reached.get(log.log());
            if (there == null || there.comparePositionTo(log) != 0) {
                throw new RefusedException("the history (" + rebuild.history() + ") has changed: the changes before "
                        + log.split() + " @ " + log.nextOffset() + " are published, but "
                        + (there == null
                                ? "it has none of them"
                                : "it ends at " + there.split() + " @ " + there.nextOffset())
                        + ". Nothing is changed; put the files back");
            }
        }
        long scanned = scans.stream().mapToLong(scan -> scan.cut().read()).sum();
        long published = rebuilds.recordsPublished(connection, rebuild);
        if (scanned < published) {
            throw new RefusedException("the history (" + rebuild.history() + ") has lost records: the stream has read "
                    + published + ", and " + scanned
                    + " are left before the same positions. Nothing is changed; put the files back");
        }
    }

    /** How far each log was read; several operators may have read parts of it. */
    private static List<LogCut> read(List<Scan> scans) {
        Map<String, LogCut> furthest = new TreeMap<>();
        scans.stream()
                .map(scan -> scan.cut().logs())
                .flatMap(Collection::stream)
                .forEach(log -> furthest.merge(
                        log.log(), log, (one, other) -> one.comparePositionTo(other) >= 0 ? one : other));
        return new ArrayList<>(furthest.values());
    }

    private int lockJob(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "select lookback, retired_at is not null from tidemark.jobs where job = ? for update")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next() || row.getBoolean(2)) {
                    throw new RefusedException(
                            "the job " + job + " was retired while the rebuild read the history; nothing is changed");
                }
                return row.getInt(1);
            }
        }
    }

    private @Nullable String iso(long partition) {
        return partition == PartitionSpan.BEGINNING || partition == PartitionSpan.END ? null : calendar.iso(partition);
    }
}
