package dev.tidemark.database;

import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs work in transactions on one connection, which it opens when needed and replaces when it is lost. Not thread-safe.
 *
 * <p>Work that fails in a passing way ({@link SqlStates.Kind}) is rolled back and run again from its beginning, with
 * growing pauses, finitely often. If the connection is lost while committing nobody knows whether the commit happened: the
 * work runs again, hence must find out by itself whether it has been done.
 */
public final class Transactions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

    private static final Pattern LINE_BREAK = Pattern.compile("\\s*\\R\\s*");

    private final Connections connections;
    private final Session session;
    private final Repetition repetition;
    private @Nullable Connection connection;

    public Transactions(Connections connections, Session session) {
        this(connections, session, Repetition.USUAL);
    }

    public Transactions(Connections connections, Session session, Repetition repetition) {
        this.connections = connections;
        this.session = session;
        this.repetition = repetition;
    }

    /** What is done in one transaction; neither commits nor rolls back. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T run(Connection connection) throws SQLException;
    }

    /** What is done in one transaction and gives nothing. */
    @FunctionalInterface
    public interface Action {
        void run(Connection connection) throws SQLException;
    }

    /**
     * How often and after which pauses work is run again.
     *
     * @param tries in all
     * @param triesWhenFull in all, if the database's disk is full
     * @param firstPause doubled from try to try
     */
    public record Repetition(int tries, int triesWhenFull, Duration firstPause, Duration longestPause) {
        /** About a minute in all: longer than a restart of the server, shorter than a checkpoint's patience. */
        public static final Repetition USUAL = new Repetition(10, 4, Duration.ofMillis(100), Duration.ofSeconds(15));

        /** The first failure counts. */
        public static final Repetition NONE = new Repetition(1, 1, Duration.ZERO, Duration.ZERO);
    }

    /**
     * Runs work in a transaction and commits it.
     *
     * @param what is being done, in words that fit behind "could not"
     * @throws DatabaseException if it failed for good; unchecked exceptions of the work pass through, rolled back
     */
    public <T extends @Nullable Object> T run(String what, Work<T> work) {
        Duration pause = repetition.firstPause();
        for (int tried = 1; ; tried++) {
            try {
                return once(work);
            } catch (SQLException failure) {
                int limit = limit(SqlStates.kind(failure));
                if (tried >= limit) {
                    throw failed(what, failure, tried);
                }
                LOG.warn(
                        "Could not {} (SQLSTATE {}: {}); trying again in {} ms, {} of {}",
                        what,
                        failure.getSQLState(),
                        failure.getMessage(),
                        pause.toMillis(),
                        tried + 1,
                        limit);
                sleep(what, failure, pause);
                Duration doubled = pause.multipliedBy(2);
                pause = doubled.compareTo(repetition.longestPause()) < 0 ? doubled : repetition.longestPause();
            }
        }
    }

    /**
     * Runs work in a transaction and commits it, and does not try again: for what can be left.
     *
     * @param what is being done, in words that fit behind "could not"
     * @throws DatabaseException if it failed; unchecked exceptions of the work pass through, rolled back
     */
    public <T extends @Nullable Object> T runOnce(String what, Work<T> work) {
        try {
            return once(work);
        } catch (SQLException failure) {
            throw failed(what, failure, 1);
        }
    }

    /**
     * Runs an action in a transaction and commits it.
     *
     * @param what is being done, in words that fit behind "could not"
     * @throws DatabaseException as {@link #run} does
     */
    public void execute(String what, Action action) {
        run(what, connection -> {
            action.run(connection);
            return true;
        });
    }

    /**
     * The connection itself, with a transaction open, for one who has to hold it across calls. The next {@link #run} goes
     * on in that transaction; {@link #abandon} ends it.
     */
    public Connection current() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = connections.open(session);
            connection = open;
        }
        return open;
    }

    /** Rolls back by closing the connection; the next work opens another. */
    public void abandon() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException closing) {
                LOG.debug("Closing a connection failed", closing);
            }
        }
    }

    @Override
    public void close() {
        abandon();
    }

    /** A failure in words: what was tried, what the database said, and a way out if there is one to name. */
    public static DatabaseException failed(String what, SQLException failure) {
        return failed(what, failure, 1);
    }

    private <T extends @Nullable Object> T once(Work<T> work) throws SQLException {
        try {
            Connection open = current();
            T result = work.run(open);
            open.commit();
            return result;
        } catch (SQLException | RuntimeException | Error failure) {
            rollback(failure);
            throw failure;
        }
    }

    private void rollback(Throwable failure) {
        Connection open = connection;
        if (open == null) {
            return;
        }
        try {
            open.rollback();
            if (open.isClosed()) {
                connection = null;
            }
        } catch (SQLException | RuntimeException second) {
            failure.addSuppressed(second);
            abandon();
        }
    }

    private int limit(SqlStates.Kind kind) {
        return switch (kind) {
            case PASSING -> repetition.tries();
            case FULL -> repetition.triesWhenFull();
            case LASTING -> 1;
        };
    }

    private static void sleep(String what, SQLException failure, Duration pause) {
        try {
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            failure.addSuppressed(interrupted);
            throw failed(what, failure, 1);
        }
    }

    private static DatabaseException failed(String what, SQLException failure, int tries) {
        String wayOut = SqlStates.wayOut(failure);
        return new DatabaseException(
                "could not " + what + ": " + said(failure) + " (SQLSTATE " + failure.getSQLState()
                        + (tries > 1 ? ", after " + tries + " tries" : "") + ")"
                        + (wayOut == null ? "" : "; " + wayOut),
                failure);
    }

    /** What the driver says, on one line, and the host that it could not find, of which it does not speak. */
    private static String said(SQLException failure) {
        String message =
                LINE_BREAK.matcher(String.valueOf(failure.getMessage())).replaceAll("; ");
        return failure.getCause() instanceof UnknownHostException unknown
                ? message + " Unknown host " + unknown.getMessage()
                : message;
    }
}
