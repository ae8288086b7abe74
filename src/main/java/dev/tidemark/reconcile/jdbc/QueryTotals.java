package dev.tidemark.reconcile.jdbc;

import dev.tidemark.database.ConnectionSettings;
import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Environment;
import dev.tidemark.database.Session;
import dev.tidemark.reconcile.ControlException;
import dev.tidemark.reconcile.ControlTotals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a query of any database says that has a JDBC driver on the class path. It is run in a transaction that may only read and that
 * is rolled back, with the search path of its user.
 */
public final class QueryTotals implements ControlTotals {
    /** Begins the names of the variables that hold user and password of the database that is asked. */
    public static final String VARIABLES = "TIDEMARK_CONTROL_";

    private static final String WAREHOUSE = "TIDEMARK_WAREHOUSE_";
    private static final int FETCH_SIZE = 2_000;
    private static final Session SESSION = new Session(
            "tidemark control totals",
            Duration.ofSeconds(30).toMillis(),
            Duration.ofDays(1).toMillis(),
            Duration.ofDays(1).toMillis());

    private final String origin;
    private final Connection connection;
    private final Statement statement;
    private final ResultSet rows;
    private final List<String> header;
    private final List<Boolean> instants;

    private QueryTotals(String origin, Connection connection, Statement statement, ResultSet rows) throws SQLException {
        this.origin = origin;
        this.connection = connection;
        this.statement = statement;
        this.rows = rows;
        ResultSetMetaData types = rows.getMetaData();
        List<String> names = new ArrayList<>();
        List<Boolean> zoned = new ArrayList<>();
        for (int i = 1; i <= types.getColumnCount(); i++) {
            names.add(types.getColumnLabel(i));
            zoned.add(types.getColumnType(i) == Types.TIMESTAMP_WITH_TIMEZONE
                    || "timestamptz".equals(types.getColumnTypeName(i)));
        }
        this.header = List.copyOf(names);
        this.instants = List.copyOf(zoned);
    }

    /**
     * Runs a query in a database of its own.
     *
     * @param address a JDBC address; user and password may be in it, or in the variables
     * @throws ControlException if that cannot be done
     */
    public static QueryTotals of(String address, String query, Environment environment) {
        return isPostgres(address)
                ? of(settings(address, environment), query)
                : run("query of " + product(address), query, () -> connect(address, environment));
    }

    /** Runs a query in a PostgreSQL. */
    public static QueryTotals of(ConnectionSettings settings, String query) {
        return run("query of " + settings, query, () -> {
            Connection connection = Connections.to(settings).open(SESSION);
            try (Statement own = connection.createStatement()) {
                own.execute("reset search_path");
                connection.commit();
            }
            return connection;
        });
    }

    /** Opens a connection. */
    private interface Opening {
        Connection open() throws SQLException;
    }

    private static QueryTotals run(String origin, String query, Opening opening) {
        Connection connection = null;
        try {
            connection = opening.open();
            connection.setAutoCommit(false);
            connection.setReadOnly(true);
            Statement statement = connection.createStatement();
            statement.setFetchSize(FETCH_SIZE);
            return new QueryTotals(origin, connection, statement, statement.executeQuery(query));
        } catch (SQLException | DatabaseException failure) {
            close(connection);
            throw failed(origin, failure);
        }
    }

    private static boolean isPostgres(String address) {
        String plain = address.startsWith("jdbc:") ? address.substring("jdbc:".length()) : address;
        return plain.startsWith("postgresql:") || plain.startsWith("postgres:");
    }

    private static ConnectionSettings settings(String address, Environment environment) {
        try {
            return ConnectionSettings.of(address, name -> environment.variable(name.replace(WAREHOUSE, VARIABLES)));
        } catch (IllegalArgumentException wrong) {
            throw new ControlException("--url: " + wrong.getMessage(), wrong);
        }
    }

    /** What may be told of an address: all else can hold a secret. */
    private static String product(String address) {
        String[] parts = address.split(":", 3);
        return parts.length < 3 ? "a database" : "a database (" + parts[0] + ":" + parts[1] + ")";
    }

    private static Connection connect(String address, Environment environment) throws SQLException {
        if (!address.startsWith("jdbc:")) {
            throw new ControlException(
                    "--url: a JDBC address is expected, such as jdbc:postgresql://host:5432/database");
        }
        Properties login = new Properties();
        String user = environment.variable(VARIABLES + "USER");
        String password = password(environment);
        if (user != null) {
            login.setProperty("user", user);
        }
        if (password != null) {
            login.setProperty("password", password);
        }
        try {
            return DriverManager.getConnection(address, login);
        } catch (SQLException failure) {
            if ("08001".equals(failure.getSQLState())
                    && String.valueOf(failure.getMessage()).startsWith("No suitable driver")) {
                throw new ControlException(
                        "--url: no driver for " + product(address)
                                + " is on the class path; name its jar in TIDEMARK_CLASSPATH",
                        failure);
            }
            throw failure;
        }
    }

    private static @Nullable String password(Environment environment) {
        String password = environment.variable(VARIABLES + "PASSWORD");
        String file = environment.variable(VARIABLES + "PASSWORD_FILE");
        if (password != null || file == null) {
            return password;
        }
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException failure) {
            throw new ControlException(
                    "the password file " + file + " named by " + VARIABLES + "PASSWORD_FILE cannot be read: "
                            + failure.getMessage(),
                    failure);
        }
    }

    @Override
    public String origin() {
        return origin;
    }

    @Override
    public String lineWord() {
        return "row";
    }

    @Override
    public List<String> header() {
        return header;
    }

    @Override
    public void read(Consumer<Line> lines) {
        try {
            for (long number = 1; rows.next(); number++) {
                List<@Nullable String> values = new ArrayList<>();
                for (int i = 1; i <= header.size(); i++) {
                    values.add(text(i));
                }
                lines.accept(new Line(number, values));
            }
        } catch (SQLException failure) {
            throw failed(origin, failure);
        }
    }

    private @Nullable String text(int column) throws SQLException {
        if (instants.get(column - 1)) {
            OffsetDateTime time = rows.getObject(column, OffsetDateTime.class);
            return time == null ? null : time.toInstant().toString();
        }
        Object value = rows.getObject(column);
        if (value instanceof Date date) {
            return date.toLocalDate().toString();
        }
        if (value instanceof Timestamp time) {
            return time.toLocalDateTime().toString();
        }
        if (value instanceof Time time) {
            return time.toLocalTime().toString();
        }
        if (value instanceof byte[] bytes) {
            return "\\x" + HexFormat.of().formatHex(bytes);
        }
        return value == null ? null : value.toString();
    }

    @Override
    public void close() {
        try (rows;
                statement) {
            // Only closed.
        } catch (SQLException e) {
            // It was only read.
        }
        close(connection);
    }

    private static void close(@Nullable Connection connection) {
        if (connection == null) {
            return;
        }
        try (connection) {
            connection.rollback();
        } catch (SQLException e) {
            // It was only read.
        }
    }

    private static ControlException failed(String origin, Exception failure) {
        String said = String.valueOf(failure.getMessage()).strip().replaceAll("\\s*\\R\\s*", "; ");
        return new ControlException(
                String.format(Locale.ROOT, "the control totals (%s) cannot be read: %s", origin, said)
                        + ". Correct the query or the address, or let the user read it",
                failure);
    }
}
