package dev.tidemark.evidence.jdbc;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.change.Values;
import dev.tidemark.database.Connections;
import dev.tidemark.database.CopyText;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.evidence.Completeness;
import dev.tidemark.evidence.EvidenceException;
import dev.tidemark.evidence.Unmatched;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was found missing of one job, as {@code tidemark.missing_runs} and {@code tidemark.missing_rows} have it. */
public final class JdbcCompleteness implements Completeness.Store {
    private static final int FETCH_SIZE = 5_000;
    private static final int BATCH_BYTES = 1 << 20;

    private final String job;
    private final List<Field> key;
    private final Transactions transactions;

    public JdbcCompleteness(JobPlan plan, Connections connections) {
        this.job = plan.job();
        this.key = plan.target().key();
        this.transactions =
                new Transactions(connections, Session.named("tidemark missing " + job), Transactions.Repetition.NONE);
    }

    @Override
    public void keep(Completeness completeness, Completeness.Rows rows) {
        try {
            transactions.execute("keep what is missing of the job " + job, connection -> {
                long run = keepRun(connection, completeness);
                CopyText text = new CopyText();
                rows.forEach(row -> {
                    add(text, run, row);
                    if (text.size() > BATCH_BYTES) {
                        send(connection, text);
                    }
                });
                send(connection, text);
            });
        } catch (DatabaseException failure) {
            throw new EvidenceException(failure.getMessage(), failure);
        }
    }

    private long keepRun(Connection connection, Completeness found) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.missing_runs (job, publication, from_partition, to_partition, live, late, refused, rejected,
                    beyond_memory, missing, stale, doubled, unexpected, unresolved, unread, passed, started_at, finished_at)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning run""")) {
            int at = 1;
            statement.setString(at++, job);
            statement.setLong(at++, found.publication());
            statement.setString(at++, found.from());
            statement.setString(at++, found.to());
            statement.setLong(at++, found.live());
            statement.setLong(at++, found.late());
            statement.setLong(at++, found.refused());
            statement.setLong(at++, found.rejected());
            statement.setLong(at++, found.beyondMemory());
            for (Unmatched.Kind kind : Unmatched.Kind.values()) {
                statement.setLong(at++, found.found(kind));
            }
            statement.setString(at++, found.unread());
            statement.setBoolean(at++, found.isPassed());
            statement.setObject(at++, found.startedAt().atOffset(ZoneOffset.UTC));
            statement.setObject(at, found.finishedAt().atOffset(ZoneOffset.UTC));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private void add(CopyText text, long run, Unmatched row) {
        text.integer(run)
                .text(job)
                .word(row.kind().word())
                .text(row.partition())
                .text(json(row.key()));
        text.text(row.recordId()).text(row.split());
        if (row.offset() == null) {
            text.nothing();
        } else {
            text.integer(row.offset());
        }
        text.wordOrNull(text(row.eventTime())).wordOrNull(text(row.observedAt()));
        text.integer(row.rows()).text(row.said());
        text.endRow();
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }

    private String json(List<@Nullable Object> values) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < key.size(); i++) {
            Object value = values.get(i);
            json.put(key.get(i).column(), value == null ? null : Values.text(value));
        }
        return json.toString();
    }

    private static void send(Connection connection, CopyText text) {
        try {
            text.send(connection, "copy tidemark.missing_rows from stdin");
        } catch (SQLException failure) {
            throw Transactions.failed("keep the rows that are missing", failure);
        }
        text.clear();
    }

    @Override
    public @Nullable Completeness last() {
        List<Completeness> last = transactions.run("read what was last found missing of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "select * from tidemark.missing_runs where job = ? order by run desc limit 1")) {
                statement.setString(1, job);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? List.of(completeness(row)) : List.of();
                }
            }
        });
        return last.isEmpty() ? null : last.get(0);
    }

    private static Completeness completeness(ResultSet row) throws SQLException {
        Map<Unmatched.Kind, Long> found = new EnumMap<>(Unmatched.Kind.class);
        for (Unmatched.Kind kind : Unmatched.Kind.values()) {
            found.put(kind, row.getLong(kind.word()));
        }
        return new Completeness(
                row.getLong("publication"),
                row.getString("from_partition"),
                row.getString("to_partition"),
                row.getLong("live"),
                row.getLong("late"),
                row.getLong("refused"),
                row.getLong("rejected"),
                row.getLong("beyond_memory"),
                found,
                row.getString("unread"),
                row.getObject("started_at", OffsetDateTime.class).toInstant(),
                row.getObject("finished_at", OffsetDateTime.class).toInstant());
    }

    @Override
    public void accounts(Completeness.Accounts accounts) {
        try {
            transactions.execute("read what accounts for changes of the job " + job, connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("set transaction read only");
                }
                each(
                        connection,
                        "select split, \"offset\", partition from tidemark.late_ledger where job = ? and status = 'dismissed'",
                        row -> accounts.dismissed(row.getString(1), row.getLong(2), row.getString(3)));
                each(
                        connection,
                        "select split, \"offset\" from tidemark.rejected_changes where job = ?",
                        row -> accounts.refused(row.getString(1), row.getLong(2)));
            });
        } catch (DatabaseException failure) {
            throw new EvidenceException(failure.getMessage(), failure);
        }
    }

    /** Takes a row of a result. */
    private interface Taking {
        void take(ResultSet row) throws SQLException;
    }

    private void each(Connection connection, String sql, Taking taking) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, job);
            statement.setFetchSize(FETCH_SIZE);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    taking.take(row);
                }
            }
        }
    }

    @Override
    public void close() {
        transactions.close();
    }
}
