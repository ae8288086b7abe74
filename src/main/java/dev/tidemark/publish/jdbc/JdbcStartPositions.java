package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.publish.WarehouseException;
import dev.tidemark.source.StartPositions;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps a job's start positions in its row. Seldom called; connects each time. */
public final class JdbcStartPositions implements StartPositions {
    private static final long serialVersionUID = 1L;

    private final String job;
    private final Connections connections;

    public JdbcStartPositions(String job, Connections connections) {
        this.job = job;
        this.connections = connections;
    }

    @Override
    public @Nullable Fixed fixed() {
        List<Fixed> standing = run("read the start positions of the job " + job, connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("select start_positions from tidemark.jobs where job = ?")) {
                statement.setString(1, job);
                return rows(statement);
            }
        });
        return standing.isEmpty() ? null : standing.get(0);
    }

    @Override
    public Fixed fix(Fixed proposed) {
        List<Fixed> standing = run("fix the start positions of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    update tidemark.jobs set start_positions = coalesce(start_positions, cast(? as jsonb))
                    where job = ? returning start_positions""")) {
                statement.setString(1, Json.startPositions(proposed));
                statement.setString(2, job);
                return rows(statement);
            }
        });
        if (standing.isEmpty()) {
            throw new WarehouseException("the warehouse does not know the job " + job + "; run `init` first");
        }
        return standing.get(0);
    }

    /** The row's positions; none if it has none, or is not there. */
    private static List<Fixed> rows(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            String text = row.next() ? row.getString(1) : null;
            return text == null ? List.of() : List.of(Json.startPositions(text));
        }
    }

    private List<Fixed> run(String what, Transactions.Work<List<Fixed>> work) {
        try (Transactions transactions = new Transactions(connections, Session.named("tidemark start " + job))) {
            return transactions.run(what, work);
        } catch (DatabaseException failure) {
            throw new WarehouseException(failure.getMessage(), failure);
        }
    }
}
