package dev.tidemark.kit;

import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.PGConnection;

/** Connections of which one is cut at the n-th thing that is asked of them: before it, or after a commit was done. */
public final class CutConnections implements Connections {
    private static final long serialVersionUID = 1L;
    private static final Set<String> COUNTED =
            Set.of("prepareStatement", "createStatement", "unwrap", "commit", "createArrayOf");

    /** When the connection is cut. */
    public enum Moment {
        BEFORE,
        AFTER
    }

    private final transient PostgresServer postgres;
    private final int at;
    private final Moment moment;
    private final AtomicInteger asked = new AtomicInteger();

    public CutConnections(PostgresServer postgres, int at, Moment moment) {
        this.postgres = postgres;
        this.at = at;
        this.moment = moment;
    }

    /** Whether it came to the cut. */
    public boolean wasCut() {
        return asked.get() >= at;
    }

    @Override
    public Connection open(Session session) throws SQLException {
        Connection real = postgres.connections().open(session);
        int backend = real.unwrap(PGConnection.class).getBackendPID();
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    boolean now = COUNTED.contains(method.getName()) && asked.incrementAndGet() == at;
                    if (now && moment == Moment.BEFORE) {
                        terminate(backend);
                    }
                    Object result;
                    try {
                        result = method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (now && moment == Moment.AFTER) {
                        terminate(backend);
                        if (method.getName().equals("commit")) {
                            throw new SQLException("the connection was lost while committing", "08006");
                        }
                    }
                    return result;
                });
    }

    private void terminate(int backend) throws SQLException {
        try (Connection connection = postgres.connect();
                PreparedStatement statement = connection.prepareStatement("select pg_terminate_backend(?, 5000)")) {
            statement.setInt(1, backend);
            statement.execute();
        }
    }
}
