package dev.tidemark.recovery.jdbc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.recovery.RecoveryException;
import dev.tidemark.recovery.Widening;
import dev.tidemark.recovery.Widening.Arguments;
import dev.tidemark.recovery.Widening.Origin;
import dev.tidemark.recovery.Widening.Step;
import dev.tidemark.recovery.Widening.Turn;
import dev.tidemark.recovery.Widenings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The widenings of one job in {@code tidemark.operations}. A record is written only over what was read or written last, so
 * that of two processes the slower one finds out; what it writes a second time, because it did not hear that the first had
 * been committed, is taken for written.
 */
public final class JdbcWidenings implements Widenings {
    private static final String KIND = "widen";
    private static final String UNIQUE_VIOLATION = "23505";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final String job;
    private final Transactions transactions;

    public JdbcWidenings(String job, Connections connections) {
        this.job = job;
        this.transactions = new Transactions(connections, Session.named("tidemark widen " + job));
    }

    /** What the column {@code progress} holds. */
    private record Progress(
            Origin origin,
            Turn wider,
            @Nullable Long publication,
            Turn narrower,
            @Nullable String refusal) {
        static Progress of(Widening widening) {
            return new Progress(
                    widening.origin(),
                    widening.wider(),
                    widening.publication(),
                    widening.narrower(),
                    widening.refusal());
        }
    }

    @Override
    public @Nullable Widening open() {
        Optional<Widening> open = transactions.run("look for an open operation of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select o.operation, o.kind, o.step, o.arguments, o.progress, o.started_at from tidemark.operations o
                    where o.job = ? and o.finished_at is null""")) {
                statement.setString(1, job);
                try (ResultSet row = statement.executeQuery()) {
                    if (!row.next()) {
                        return Optional.empty();
                    }
                    if (!row.getString(2).equals(KIND)) {
                        throw new RecoveryException(
                                "an operation of the job %s is open: %s, begun at %s; let it come to its end first",
                                job, row.getString(2), row.getString(6));
                    }
                    return Optional.of(widening(row));
                }
            }
        });
        return open.orElse(null);
    }

    @Override
    public @Nullable Widening lastDone() {
        Optional<Widening> last = transactions.run("look for the last widening of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select o.operation, o.kind, o.step, o.arguments, o.progress from tidemark.operations o
                    where o.job = ? and o.kind = ? and o.finished_at is not null and o.error is null
                    order by o.finished_at desc limit 1""")) {
                statement.setString(1, job);
                statement.setString(2, KIND);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(widening(row)) : Optional.empty();
                }
            }
        });
        return last.orElse(null);
    }

    @Override
    public void begin(Widening widening) {
        try {
            transactions.execute("begin the operation " + widening.operation(), connection -> {
                try (PreparedStatement statement = connection.prepareStatement("""
                        insert into tidemark.operations
                            (operation, job, kind, step, arguments, progress, started_at, updated_at)
                        values (?, ?, ?, ?, cast(? as jsonb), cast(? as jsonb), clock_timestamp(), clock_timestamp())
                        on conflict (operation) do nothing""")) {
                    statement.setObject(1, widening.operation());
                    statement.setString(2, job);
                    statement.setString(3, KIND);
                    statement.setString(4, word(widening.step()));
                    statement.setString(5, write(widening.arguments()));
                    statement.setString(6, write(Progress.of(widening)));
                    statement.executeUpdate();
                }
            });
        } catch (DatabaseException failure) {
            if (UNIQUE_VIOLATION.equals(failure.sqlState())) {
                throw new RecoveryException(
                        "another operation of the job " + job
                                + " has begun at this moment; let it come to its end first",
                        failure);
            }
            throw failure;
        }
    }

    @Override
    public void record(Widening before, Widening after) {
        write(before, after, after.isDone() ? after.refusal() : null, after.isDone());
    }

    @Override
    public void failed(Widening widening, String error) {
        write(widening, widening, error, false);
    }

    @Override
    public void close(Widening widening, String note) {
        write(widening, widening, note, true);
    }

    @Override
    public void close() {
        transactions.close();
    }

    private void write(Widening before, Widening after, @Nullable String error, boolean closes) {
        transactions.execute("record the operation " + before.operation(), connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    update tidemark.operations
                    set step = ?, progress = cast(? as jsonb), error = ?, updated_at = clock_timestamp(),
                        finished_at = case when ? then clock_timestamp() end
                    where operation = ? and finished_at is null and step = ? and progress = cast(? as jsonb)""")) {
                statement.setString(1, word(after.step()));
                statement.setString(2, write(Progress.of(after)));
                statement.setString(3, error);
                statement.setBoolean(4, closes);
                statement.setObject(5, before.operation());
                statement.setString(6, word(before.step()));
                statement.setString(7, write(Progress.of(before)));
                if (statement.executeUpdate() == 0 && !stands(connection, after, closes)) {
                    throw new RecoveryException(
                            "another process goes on with this operation of the job %s; let it, or repeat the command when"
                                    + " it has ended",
                            job);
                }
            }
        });
    }

    private static boolean stands(Connection connection, Widening widening, boolean closed) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select 1 from tidemark.operations
                where operation = ? and step = ? and progress = cast(? as jsonb) and (finished_at is not null) = ?""")) {
            statement.setObject(1, widening.operation());
            statement.setString(2, word(widening.step()));
            statement.setString(3, write(Progress.of(widening)));
            statement.setBoolean(4, closed);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    private Widening widening(ResultSet row) throws SQLException {
        Progress progress = read(row.getString(5), Progress.class);
        return new Widening(
                row.getObject(1, UUID.class),
                job,
                read(row.getString(4), Arguments.class),
                step(row.getString(3)),
                progress.origin(),
                progress.wider(),
                progress.publication(),
                progress.narrower(),
                progress.refusal());
    }

    private static String word(Step step) {
        return step.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Step step(String word) {
        return Step.valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    private static String write(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a record of this program cannot be written as JSON", e);
        }
    }

    private static <T> T read(String json, Class<T> type) {
        try {
            return MAPPER.readValue(json, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a row of this program's bookkeeping cannot be read: " + e.getMessage(), e);
        }
    }
}
