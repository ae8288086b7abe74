package dev.tidemark.database;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.jspecify.annotations.Nullable;

/** Brings the bookkeeping schema {@link #SCHEMA} to the version that this program knows. */
public final class Migrations {
    /** Where the bookkeeping tables are. */
    public static final String SCHEMA = "tidemark";

    private static final String LOCATION = "classpath:db/migration";
    private static final long LOCK = 0x7469_6465_6d61_726bL;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Connections connections;
    private final ClassLoader classLoader;

    /** @param classLoader finds the migrations and Flyway's parts: the one that loaded this program */
    public Migrations(Connections connections, ClassLoader classLoader) {
        this.connections = connections;
        this.classLoader = classLoader;
    }

    /**
     * Applies what is missing. Several processes may start at once: one works, the others wait and find it done.
     *
     * @throws DatabaseException if it cannot be done, or if the schema is newer than this program
     */
    public void apply() {
        Session session =
                Session.named("tidemark migrations").waitingFor(PATIENCE).idleFor(PATIENCE.multipliedBy(2));
        try (Transactions guard = new Transactions(connections, session)) {
            guard.execute("migrate the schema " + SCHEMA, connection -> {
                lock(connection);
                migrate(session);
            });
        }
    }

    private static void lock(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select pg_advisory_xact_lock(?)")) {
            statement.setLong(1, LOCK);
            statement.execute();
        }
    }

    private void migrate(Session session) throws SQLException {
        Flyway flyway = Flyway.configure(classLoader)
                .dataSource(new Opening(connections, session))
                .locations(LOCATION)
                .defaultSchema(SCHEMA)
                .schemas(SCHEMA)
                .createSchemas(true)
                .table("schema_history")
                .failOnMissingLocations(true)
                .validateMigrationNaming(true)
                .cleanDisabled(true)
                .load();
        try {
            refuseNewer(flyway);
            flyway.migrate();
        } catch (FlywayException failure) {
            throw sqlFailure(failure);
        }
    }

    private static void refuseNewer(Flyway flyway) {
        List<String> newer = new ArrayList<>();
        for (MigrationInfo applied : flyway.info().applied()) {
            if (applied.getState().isResolved() || applied.getVersion() == null) {
                continue;
            }
            newer.add(applied.getVersion() + " (" + applied.getDescription() + ")");
        }
        if (!newer.isEmpty()) {
            throw new DatabaseException("the schema " + SCHEMA + " is newer than this program: it has the version "
                    + String.join(", ", newer) + ", which this program does not know; use the newer program");
        }
    }

    /** The database's own failure behind Flyway's, so that it is judged by its SQLSTATE. */
    private static SQLException sqlFailure(FlywayException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return sql;
            }
        }
        throw new DatabaseException("could not migrate the schema " + SCHEMA + ": " + failure.getMessage(), failure);
    }

    /** What Flyway asks for connections; it expects them to commit by themselves. */
    private record Opening(Connections connections, Session session) implements DataSource {
        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = connections.open(session);
            connection.setAutoCommit(true);
            return connection;
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public @Nullable PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(@Nullable PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException("no parent logger");
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("wraps nothing");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
