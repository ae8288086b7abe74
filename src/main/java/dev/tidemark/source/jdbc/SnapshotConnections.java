package dev.tidemark.source.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.apache.flink.connector.jdbc.datasource.connections.JdbcConnectionProvider;
import org.jspecify.annotations.Nullable;

/**
 * Connections whose only transaction reads one snapshot, which another transaction has exported and holds. Times are in UTC;
 * the search path is the user's own.
 */
final class SnapshotConnections implements JdbcConnectionProvider {
    private static final long serialVersionUID = 1L;

    private static final Session SESSION = new Session(
            "tidemark history",
            Duration.ofSeconds(30).toMillis(),
            Duration.ofDays(7).toMillis(),
            Duration.ofDays(7).toMillis());

    private final Connections connections;
    private final String snapshot;
    private transient @Nullable Connection connection;

    SnapshotConnections(Connections connections, String snapshot) {
        this.connections = connections;
        this.snapshot = snapshot;
    }

    /** The same for another reader, who opens and closes his own. */
    SnapshotConnections another() {
        return new SnapshotConnections(connections, snapshot);
    }

    /** A connection with a transaction that sees one snapshot from its first statement on. */
    static Connection open(Connections connections) throws SQLException {
        Connection opened = connections.open(SESSION);
        try (Statement statement = opened.createStatement()) {
            statement.execute("reset search_path");
            opened.commit();
            opened.setReadOnly(true);
            opened.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            return opened;
        } catch (SQLException failure) {
            opened.close();
            throw failure;
        }
    }

    @Override
    public @Nullable Connection getConnection() {
        return connection;
    }

    @Override
    public boolean isConnectionValid() throws SQLException {
        return connection != null && connection.isValid(10);
    }

    @Override
    public Connection getOrEstablishConnection() throws SQLException {
        Connection open = connection;
        if (open == null || open.isClosed()) {
            open = open(connections);
            try (Statement statement = open.createStatement()) {
                statement.execute("set transaction snapshot '" + snapshot + "'");
            } catch (SQLException failure) {
                open.close();
                throw new SQLException(
                        "the snapshot of the history is gone (" + failure.getMessage()
                                + "): the command that began to read it must stay until it is read",
                        failure.getSQLState(),
                        failure);
            }
            connection = open;
        }
        return open;
    }

    @Override
    public void closeConnection() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                // It only read.
            }
        }
    }

    @Override
    public Connection reestablishConnection() throws SQLException {
        closeConnection();
        return getOrEstablishConnection();
    }
}
