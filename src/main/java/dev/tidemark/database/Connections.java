package dev.tidemark.database;

import java.io.Serializable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.apache.flink.connector.jdbc.JdbcConnectionOptions;
import org.apache.flink.connector.jdbc.datasource.connections.SimpleJdbcConnectionProvider;

/** Opens connections that behave alike, whatever database, role or driver have for defaults. */
@FunctionalInterface
public interface Connections extends Serializable {

    /** Opens a connection; autocommit is off. */
    Connection open(Session session) throws SQLException;

    /** Connections to where the settings point. */
    static Connections to(ConnectionSettings settings) {
        return session -> {
            Connection connection = connect(settings, session);
            try {
                prepare(connection, session);
                return connection;
            } catch (SQLException | RuntimeException failure) {
                try {
                    connection.close();
                } catch (SQLException closing) {
                    failure.addSuppressed(closing);
                }
                throw failure;
            }
        };
    }

    private static Connection connect(ConnectionSettings settings, Session session) throws SQLException {
        JdbcConnectionOptions.JdbcConnectionOptionsBuilder options =
                new JdbcConnectionOptions.JdbcConnectionOptionsBuilder()
                        .withUrl(settings.url())
                        .withDriverName("org.postgresql.Driver")
                        .withProperty("ApplicationName", session.name())
                        .withProperty("connectTimeout", "10")
                        .withProperty("loginTimeout", "20")
                        .withProperty("tcpKeepAlive", "true")
                        .withProperty("socketTimeout", Long.toString(session.statementTimeoutMillis() / 1000 + 60))
                        .withProperty("prepareThreshold", "0")
                        .withProperty("logUnclosedConnections", "false");
        String user = settings.user();
        String password = settings.password();
        if (user != null) {
            options.withUsername(user);
        }
        if (password != null) {
            options.withPassword(password);
        }
        try {
            return new SimpleJdbcConnectionProvider(options.build()).getOrEstablishConnection();
        } catch (ClassNotFoundException e) {
            throw new SQLException("the PostgreSQL driver is not on the class path", e);
        }
    }

    private static void prepare(Connection connection, Session session) throws SQLException {
        connection.setAutoCommit(true);
        try (PreparedStatement statement = connection.prepareStatement("""
                select pg_catalog.set_config(name, value, false)
                from (values ('TimeZone', 'UTC'), ('DateStyle', 'ISO, YMD'), ('IntervalStyle', 'iso_8601'),
                             ('search_path', 'pg_catalog'), ('synchronous_commit', 'on'), ('jit', 'off'),
                             ('default_transaction_isolation', 'read committed'),
                             ('client_min_messages', 'warning'),
                             ('tcp_keepalives_idle', '60'), ('tcp_keepalives_interval', '10'),
                             ('lock_timeout', ?), ('statement_timeout', ?),
                             ('idle_in_transaction_session_timeout', ?)) as setting (name, value)""")) {
            statement.setString(1, Long.toString(session.lockTimeoutMillis()));
            statement.setString(2, Long.toString(session.statementTimeoutMillis()));
            statement.setString(3, Long.toString(session.idleTimeoutMillis()));
            statement.execute();
        }
        connection.setAutoCommit(false);
    }
}
