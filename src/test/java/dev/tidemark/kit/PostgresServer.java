package dev.tidemark.kit;

import dev.tidemark.database.ConnectionSettings;
import dev.tidemark.database.Connections;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real PostgreSQL, one a JVM, durable as in production, with a fresh database a test class. The database's zone is an
 * odd one, so that whoever relies on the session's zone is found out.
 */
public final class PostgresServer implements BeforeAllCallback, AfterAllCallback {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private @Nullable String database;

    /** Started when first asked for; ends with the JVM. */
    private static final class Shared {
        private static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                EmbeddedPostgres server = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "on")
                        .setServerConfig("synchronous_commit", "on")
                        .setServerConfig("full_page_writes", "on")
                        .setServerConfig("max_connections", "100")
                        .setServerConfig("shared_buffers", "256MB")
                        .setServerConfig("max_wal_size", "2GB")
                        .setServerConfig("deadlock_timeout", "200ms")
                        .start();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    try {
                        server.close();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }));
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) throws SQLException {
        String name = "test_" + DATABASES.incrementAndGet();
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
            statement.execute("alter database " + name + " set timezone = 'Asia/Kathmandu'");
            statement.execute("alter database " + name + " set datestyle = 'German, DMY'");
        }
        database = name;
    }

    @Override
    public void afterAll(ExtensionContext context) throws SQLException {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("drop database " + database + " with (force)");
        }
    }

    /** The class's database. */
    public ConnectionSettings settings() {
        return ConnectionSettings.of(
                "jdbc:postgresql://localhost:" + Shared.SERVER.getPort() + "/" + database + "?user=postgres",
                name -> null);
    }

    /** The class's database as people name it on the command line. */
    public String address() {
        return address("postgres");
    }

    /** The same with another user, or user and password. */
    public String address(String user) {
        return "postgresql://" + user + "@localhost:" + Shared.SERVER.getPort() + "/" + database;
    }

    /** The same as somebody else. */
    public ConnectionSettings settings(String user, String password) {
        return ConnectionSettings.of(
                "postgresql://" + user + ":" + password + "@localhost:" + Shared.SERVER.getPort() + "/" + database,
                name -> null);
    }

    /** As the program connects. */
    public Connections connections() {
        return Connections.to(settings());
    }

    /** A connection of the driver's own making, autocommit on: an analyst's. */
    public Connection connect() throws SQLException {
        return connect(String.valueOf(database));
    }

    private static Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://localhost:" + Shared.SERVER.getPort() + "/" + database + "?user=postgres");
    }
}
