package dev.tidemark.publish.jdbc;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.Decision;
import dev.tidemark.publish.FencedException;
import dev.tidemark.publish.Observation;
import dev.tidemark.publish.PublicationRule;
import dev.tidemark.publish.RunOrders;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.Warehouse;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Publishes checkpoints. Everything that one makes visible happens in one transaction that holds the lock of the job's
 * row, and all of it is decided by what that transaction reads: so it can be repeated after any failure.
 */
public final class JdbcWarehouse implements Warehouse {
    private final String job;
    private final @Nullable RunOrders orders;
    private final PublicationRule rule;
    private final PublicationStatements statements;
    private final Transactions transactions;
    private final ObservationQuery observation;

    JdbcWarehouse(
            JobPlan plan, Connections connections, Transactions.Repetition repetition, @Nullable RunOrders orders) {
        this.job = plan.job();
        this.orders = orders;
        this.rule = ruleOf(plan);
        this.statements = new PublicationStatements(
                job, calendarOf(plan), plan.partition().lookback(), new TargetTable(plan).names());
        this.observation = new ObservationQuery(job, calendarOf(plan));
        this.transactions = new Transactions(connections, Session.named("tidemark commit " + plan.job()), repetition);
    }

    private static Calendar calendarOf(JobPlan plan) {
        return new Calendar(plan.partition().grain(), plan.partition().zone());
    }

    private static PublicationRule ruleOf(JobPlan plan) {
        return new PublicationRule(
                calendarOf(plan), plan.partition().lookback(), plan.partition().retain());
    }

    /** The warehouse that the connections lead to, for a job. */
    public static Warehouse.Factory factory(Connections connections, JobPlan plan) {
        return () -> new JdbcWarehouse(plan, connections, Transactions.Repetition.USUAL, null);
    }

    /** The same; the first registration of the submission records what it was told. */
    public static Warehouse.Factory factory(Connections connections, JobPlan plan, RunOrders orders) {
        return () -> new JdbcWarehouse(plan, connections, Transactions.Repetition.USUAL, orders);
    }

    /** Reads where a job's logs and its bounds stood at its last publication. */
    public static Warehouse.PublishedPositions publishedPositions(Connections connections, JobPlan plan) {
        return () -> {
            String job = plan.job();
            Calendar calendar = calendarOf(plan);
            try (Transactions transactions =
                    new Transactions(connections, Session.named("tidemark positions " + job))) {
                return ruleOf(plan)
                        .closed(transactions.run(
                                "read the published positions of the job " + job,
                                connection -> PublicationStatements.standing(connection, job, calendar)));
            } catch (DatabaseException failure) {
                throw new WarehouseException(failure.getMessage(), failure);
            }
        };
    }

    @Override
    public Seat register(String submission, String flinkJobId) {
        try {
            return transactions.run(
                    "register a submission of the job " + job,
                    connection -> register(connection, submission, flinkJobId));
        } catch (DatabaseException failure) {
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }

    @Override
    public Outcome publish(Seat seat, List<StagedPart> parts) {
        requireOneSubmission(parts);
        try {
            return transactions.run(
                    "publish " + shown(parts) + " of the job " + job, connection -> publish(connection, seat, parts));
        } catch (DatabaseException failure) {
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }

    @Override
    public void conclude(Seat seat) {
        try {
            transactions.execute("remove what is left of the staged rows of the job " + job, connection -> {
                Writer writer = lockJob(connection);
                if (writer.epoch() != seat.epoch() || writer.attempt() != seat.attempt()) {
                    throw fenced(seat.submission(), writer);
                }
                StagedRegistry registry = StagedRegistry.read(connection, job);
                statements.deleteStaged(connection, registry.notCarried(seat.submission()));
            });
        } catch (DatabaseException failure) {
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }

    @Override
    public Observation observe() {
        try {
            return transactions.runOnce("read how the job " + job + " stands", observation::read);
        } catch (DatabaseException failure) {
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }

    @Override
    public void close() {
        transactions.close();
    }

    private Seat register(Connection connection, String submission, String flinkJobId) throws SQLException {
        Writer writer = lockJob(connection);
        if (writer.retired()) {
            throw new WarehouseException("the job " + job + " was retired; run `init` to take its target up again");
        }
        if (submission.equals(writer.submission())) {
            try (PreparedStatement statement = connection.prepareStatement(
                    "update tidemark.jobs set attempt = attempt + 1, flink_job_id = ? where job = ?")) {
                statement.setString(1, flinkJobId);
                statement.setString(2, job);
                statement.executeUpdate();
            }
            return new Seat(submission, writer.epoch(), writer.attempt() + 1);
        }
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.submissions (job, submission, epoch, flink_job_id, registered_at)
                values (?, ?, ?, ?, clock_timestamp()) on conflict do nothing""")) {
            statement.setString(1, job);
            statement.setString(2, submission);
            statement.setLong(3, writer.epoch() + 1);
            statement.setString(4, flinkJobId);
            if (statement.executeUpdate() == 0) {
                throw fenced(submission, writer);
            }
        }
        try (PreparedStatement statement = connection.prepareStatement("""
                update tidemark.jobs
                set epoch = epoch + 1, attempt = 1, submission = ?, flink_job_id = ?, started_at = clock_timestamp()
                where job = ?""")) {
            statement.setString(1, submission);
            statement.setString(2, flinkJobId);
            statement.setString(3, job);
            statement.executeUpdate();
        }
        if (orders != null) {
            record(connection, submission, orders);
        }
        return new Seat(submission, writer.epoch() + 1, 1);
    }

    private void record(Connection connection, String submission, RunOrders told) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("update tidemark.jobs set checkpoint_interval_ms = ? where job = ?")) {
            statement.setLong(1, told.checkpointInterval().toMillis());
            statement.setString(2, job);
            statement.executeUpdate();
        }
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.frontier_resets (job, submission, log, frontier, requested_at)
                values (?, ?, ?, timestamptz 'epoch' + ? * interval '1 microsecond', clock_timestamp())""")) {
            for (Map.Entry<String, Long> reset : told.frontierResets().entrySet()) {
                statement.setString(1, job);
                statement.setString(2, submission);
                statement.setString(3, reset.getKey());
                statement.setLong(4, reset.getValue());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    private Outcome publish(Connection connection, Seat seat, List<StagedPart> parts) throws SQLException {
        Writer writer = lockJob(connection);
        if (writer.epoch() != seat.epoch() || writer.attempt() != seat.attempt()) {
            throw fenced(seat.submission(), writer);
        }
        if (parts.isEmpty()) {
            statements.heartbeat(connection);
            return Outcome.NOTHING_NEW;
        }
        StagedPart any = newest(parts);
        PublicationStatements.Last last = statements.last(connection).closed(rule);
        StagedRegistry registry = StagedRegistry.read(connection, job);
        List<StagedPart> waiting = waiting(last.standing(), registry, parts);
        if (waiting.isEmpty()) {
            statements.heartbeat(connection);
            return Outcome.ALREADY_PUBLISHED;
        }
        Decision decision = rule.decide(last.standing(), registry.carried(), waiting);
        if (decision instanceof Decision.Refuse refusal) {
            throw new WarehouseException(
                    shown(parts) + " of the job " + job + " is not published: " + refusal.message());
        }
        RebuiltPartitions rebuilt = statements.rebuilt(connection, last);
        if (decision instanceof Decision.CarryForward
                || (decision instanceof Decision.Publish early && rebuilt.isAheadOf(early.logs()))) {
            statements.carry(connection, waiting);
            statements.heartbeat(connection);
            return Outcome.CARRIED_FORWARD;
        }
        if (decision instanceof Decision.Publish publish) {
            boolean visible = publish(connection, seat, waiting, last, rebuilt, registry, publish);
            return visible ? Outcome.PUBLISHED : Outcome.NOTHING_NEW;
        }
        Set<String> spent = registry.spent(any.submission(), any.checkpoint(), 0, List.of());
        statements.deleteStaged(connection, spent);
        statements.heartbeat(connection);
        return Outcome.NOTHING_NEW;
    }

    /** Makes it visible; false if nothing differs from what is. */
    private boolean publish(
            Connection connection,
            Seat seat,
            List<StagedPart> parts,
            PublicationStatements.Last last,
            RebuiltPartitions rebuilt,
            StagedRegistry registry,
            Decision.Publish decision)
            throws SQLException {
        StagedPart any = newest(parts);
        List<StagedPart> all = new ArrayList<>();
        List<Integer> ranks = new ArrayList<>();
        int rank = 0;
        for (var checkpoint : decision.carried()) {
            all.addAll(checkpoint.parts());
            for (int i = 0; i < checkpoint.parts().size(); i++) {
                ranks.add(rank);
            }
            rank++;
        }
        for (StagedPart part : inOrder(parts)) {
            all.add(part);
            ranks.add(rank++);
        }
        boolean visible = statements.apply(connection, any, all, ranks, last, rebuilt, decision);
        Set<String> spent = registry.spent(any.submission(), any.checkpoint(), seat.epoch(), decision.logs());
        all.forEach(part -> spent.add(part.part()));
        statements.deleteStaged(connection, spent);
        statements.heartbeat(connection);
        return visible;
    }

    /**
     * The parts that are not published yet. A publication deletes what it makes visible: a checkpoint whose staged rows are
     * gone has been published, if the warehouse is at or past its positions.
     */
    private List<StagedPart> waiting(Standing standing, StagedRegistry registry, List<StagedPart> parts) {
        Map<Long, List<StagedPart>> checkpoints = new TreeMap<>();
        parts.forEach(part -> checkpoints
                .computeIfAbsent(part.checkpoint(), checkpoint -> new ArrayList<>())
                .add(part));
        List<StagedPart> waiting = new ArrayList<>();
        for (List<StagedPart> checkpoint : checkpoints.values()) {
            List<StagedPart> gone = checkpoint.stream()
                    .filter(part -> part.holdsAnything() && !registry.holds(part))
                    .toList();
            if (gone.isEmpty()) {
                waiting.addAll(checkpoint);
            } else if (!isPassed(standing, checkpoint)) {
                throw new WarehouseException("the staged rows of " + shown(checkpoint) + " of the job " + job
                        + " (part "
                        + gone.get(0).part() + ") are gone, and the warehouse has not published as far; start from a"
                        + " savepoint or checkpoint taken at or before the last publication, or without state: what is"
                        + " published is not counted again");
            }
        }
        return waiting;
    }

    private static boolean isPassed(Standing standing, List<StagedPart> parts) {
        return parts.stream()
                .flatMap(part -> Json.allLogs(part.cuts()).stream())
                .allMatch(log -> standing.logs().stream()
                        .anyMatch(there -> there.log().equals(log.log()) && log.comparePositionTo(there) <= 0));
    }

    private static void requireOneSubmission(List<StagedPart> parts) {
        for (StagedPart part : parts) {
            if (!part.submission().equals(parts.get(0).submission())) {
                throw new IllegalArgumentException("parts of different submissions cannot be published as one");
            }
        }
    }

    /** Parts in the order of their checkpoints: a later truth of a cell stands over an earlier one. */
    private static List<StagedPart> inOrder(List<StagedPart> parts) {
        return parts.stream()
                .sorted(Comparator.comparingLong(StagedPart::checkpoint))
                .toList();
    }

    private static StagedPart newest(List<StagedPart> parts) {
        return Collections.max(parts, Comparator.comparingLong(StagedPart::checkpoint));
    }

    private static String shown(List<StagedPart> parts) {
        return parts.isEmpty()
                ? "an empty checkpoint"
                : "checkpoint " + newest(parts).checkpoint();
    }

    /** Who may publish, read under the lock of the job's row. */
    private record Writer(
            long epoch,
            long attempt,
            @Nullable String submission,
            @Nullable String flinkJobId,
            @Nullable Timestamp startedAt,
            boolean retired) {}

    private Writer lockJob(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select epoch, attempt, submission, flink_job_id, started_at, retired_at is not null
                from tidemark.jobs where job = ? for update""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new WarehouseException("the warehouse does not know the job " + job + "; run `init` first");
                }
                return new Writer(
                        row.getLong(1),
                        row.getLong(2),
                        row.getString(3),
                        row.getString(4),
                        row.getTimestamp(5),
                        row.getBoolean(6));
            }
        }
    }

    private FencedException fenced(String submission, Writer writer) {
        if (writer.submission() == null) {
            return new FencedException("the job " + job + " was retired: the submission " + submission
                    + " must not publish again; `init` takes the target up again, for a new submission");
        }
        if (submission.equals(writer.submission())) {
            return new FencedException(
                    "attempt " + writer.attempt() + " of the submission " + submission + " of the job " + job
                            + " (Flink job " + writer.flinkJobId() + ") has taken over; this older attempt must stop");
        }
        return new FencedException("the submission " + writer.submission() + " of the job " + job + " (epoch "
                + writer.epoch() + ", Flink job " + writer.flinkJobId() + ", since "
                + (writer.startedAt() == null
                        ? "an unknown time"
                        : writer.startedAt().toInstant())
                + ") has taken over from the submission " + submission
                + ", which must not publish again; cancel one of the two");
    }
}
