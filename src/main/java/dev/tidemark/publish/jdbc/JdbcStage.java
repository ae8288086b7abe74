package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.CopyText;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.Reopening;
import dev.tidemark.publish.Stage;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Tally;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Stages rows by COPY. Rows are collected as COPY text; when {@link #FLUSH_BYTES} have come together they are sent in a
 * transaction that stays open until {@link #seal} commits it, with a row of {@code tidemark.staged_parts} that says whose
 * they are.
 *
 * <p>While nothing has been sent, a failed seal is repeated by itself. Once something has been, losing the connection
 * loses it: the seal fails, and the job goes back to its last checkpoint. After a failure the stage is empty and can be
 * used again.
 */
public final class JdbcStage implements Stage {
    static final int FLUSH_BYTES = 4 * 1024 * 1024;
    private static final Duration LONGEST_CHECKPOINT_INTERVAL = Duration.ofHours(6);

    private final String job;
    private final String submission;
    private final int subtask;
    private final CopyRows rows;
    private final Transactions transactions;
    private final CopyText cells = new CopyText();
    private final CopyText late = new CopyText();
    private final CopyText rejected = new CopyText();

    private String part = newPart();
    private long cellCount;
    private long lateCount;
    private long rejectedCount;
    private boolean sent;
    private List<Tally> tallies = new ArrayList<>();
    private List<Cut> cuts = new ArrayList<>();
    private List<Reopening> reopenings = new ArrayList<>();
    private List<LogCut> registered = List.of();

    JdbcStage(
            JobPlan plan, Connections connections, Transactions.Repetition repetition, String submission, int subtask) {
        this.job = plan.job();
        this.submission = submission;
        this.subtask = subtask;
        this.rows = new CopyRows(plan, new TargetTable(plan).names());
        Session session =
                Session.named("tidemark stage " + plan.job() + " " + subtask).idleFor(LONGEST_CHECKPOINT_INTERVAL);
        this.transactions = new Transactions(connections, session, repetition);
    }

    /** Stages for a job into the warehouse that the connections lead to. */
    public static Stage.Factory factory(Connections connections, JobPlan plan) {
        return (submission, subtask) ->
                new JdbcStage(plan, connections, Transactions.Repetition.USUAL, submission, subtask);
    }

    @Override
    public void add(Part added) {
        if (added instanceof Part.Cell cell) {
            rows.put(cells, part, cellCount++, cell.truth());
        } else if (added instanceof Part.Late change) {
            rows.put(late, part, change.change());
            lateCount++;
        } else if (added instanceof Part.Rejected change) {
            rows.put(rejected, part, change.change());
            rejectedCount++;
        } else if (added instanceof Part.Judged judged) {
            tallies.add(judged.tally());
        } else if (added instanceof Part.Read read) {
            cuts.add(read.cut());
        } else if (added instanceof Part.Reopened reopened) {
            reopenings.add(reopened.reopening());
        }
        if (cells.size() + late.size() + rejected.size() >= FLUSH_BYTES) {
            send();
        }
    }

    @Override
    public StagedPart seal(long checkpoint) {
        StagedPart receipt = new StagedPart(
                submission,
                checkpoint,
                part,
                cellCount,
                lateCount,
                rejectedCount,
                List.copyOf(tallies),
                List.copyOf(cuts),
                List.copyOf(reopenings));
        try {
            List<LogCut> logs = Json.allLogs(receipt.cuts());
            if (cellCount + lateCount + rejectedCount > 0 || !reopenings.isEmpty() || !isRegistered(logs)) {
                commit(receipt, logs);
                registered = logs;
            }
            return receipt;
        } finally {
            reset();
        }
    }

    @Override
    public void close() {
        transactions.close();
    }

    /** Whether a part that says where these logs stand has been registered before. */
    private boolean isRegistered(List<LogCut> logs) {
        return logs.stream()
                .allMatch(log -> registered.stream()
                        .anyMatch(before -> before.log().equals(log.log()) && before.comparePositionTo(log) == 0));
    }

    private void commit(StagedPart receipt, List<LogCut> logs) {
        String what = "stage rows of the job " + job + " for checkpoint " + receipt.checkpoint();
        if (!sent) {
            try {
                transactions.execute(what, connection -> {
                    if (register(connection, receipt, logs)) {
                        copy(connection);
                    }
                });
            } catch (DatabaseException failure) {
                throw new WarehouseException(failure.getMessage(), failure);
            }
            return;
        }
        try {
            Connection connection = transactions.current();
            register(connection, receipt, logs);
            copy(connection);
            connection.commit();
        } catch (SQLException failure) {
            transactions.abandon();
            if (!isDurable(receipt, failure)) {
                throw failed(what, failure);
            }
        }
    }

    private void send() {
        try {
            sent = true;
            copy(transactions.current());
            cells.clear();
            late.clear();
            rejected.clear();
        } catch (SQLException failure) {
            transactions.abandon();
            reset();
            throw failed("stage rows of the job " + job, failure);
        }
    }

    private void copy(Connection connection) throws SQLException {
        if (cells.size() > 0) {
            cells.send(connection, rows.cellsStatement());
        }
        if (late.size() > 0) {
            late.send(connection, CopyRows.LATE_STATEMENT);
        }
        if (rejected.size() > 0) {
            rejected.send(connection, CopyRows.REJECTED_STATEMENT);
        }
    }

    /** Enters the part; false if an earlier try, whose end was not heard of, had committed. */
    private boolean register(Connection connection, StagedPart receipt, List<LogCut> logs) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.staged_parts
                    (part, job, submission, checkpoint, subtask, cells, late, rejected, cuts, staged_at)
                values (cast(? as uuid), ?, ?, ?, ?, ?, ?, ?, cast(? as jsonb), clock_timestamp())
                on conflict (part) do nothing""")) {
            statement.setString(1, receipt.part());
            statement.setString(2, job);
            statement.setString(3, submission);
            statement.setLong(4, receipt.checkpoint());
            statement.setInt(5, subtask);
            statement.setLong(6, receipt.cells());
            statement.setLong(7, receipt.late());
            statement.setLong(8, receipt.rejected());
            statement.setString(9, Json.logs(logs));
            return statement.executeUpdate() > 0;
        }
    }

    /** After a commit whose end was not heard of. */
    private boolean isDurable(StagedPart receipt, SQLException failure) {
        try {
            return transactions.run("look for the part " + receipt.part(), connection -> {
                try (PreparedStatement statement = connection.prepareStatement(
                        "select 1 from tidemark.staged_parts where part = cast(? as uuid)")) {
                    statement.setString(1, receipt.part());
                    try (ResultSet found = statement.executeQuery()) {
                        return found.next();
                    }
                }
            });
        } catch (DatabaseException second) {
            failure.addSuppressed(second);
            return false;
        }
    }

    private static WarehouseException failed(String what, SQLException failure) {
        DatabaseException said = Transactions.failed(what, failure);
        return new WarehouseException(said.getMessage(), said);
    }

    private void reset() {
        part = newPart();
        cellCount = 0;
        lateCount = 0;
        rejectedCount = 0;
        sent = false;
        tallies = new ArrayList<>();
        cuts = new ArrayList<>();
        reopenings = new ArrayList<>();
        cells.clear();
        late.clear();
        rejected.clear();
    }

    private static String newPart() {
        return UUID.randomUUID().toString();
    }
}
