package dev.tidemark.ledger.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Conditions of a statement with their values, joined by {@code and}. */
final class Conditions {
    private final List<String> conditions = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();

    /** Adds a condition with one parameter, unless there is no value for it. */
    Conditions add(String condition, @Nullable Object value) {
        if (value != null) {
            conditions.add(condition);
            values.add(value);
        }
        return this;
    }

    /** Adds a condition without parameters. */
    Conditions addPlain(String condition) {
        conditions.add(condition);
        return this;
    }

    String sql() {
        return String.join(" and ", conditions);
    }

    /** Hands over the rows of a statement whose only other parameter is its limit, the last one. */
    void read(Connection connection, String statement, long limit, int fetchSize, RowConsumer rows)
            throws SQLException {
        try (PreparedStatement prepared = connection.prepareStatement(statement)) {
            prepared.setLong(set(prepared, 1), limit);
            prepared.setFetchSize(fetchSize);
            try (ResultSet row = prepared.executeQuery()) {
                while (row.next()) {
                    rows.take(row);
                }
            }
        }
    }

    /** Counts rows of a table, up to a limit and one more. */
    long count(Connection connection, String table, long limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "select count(*) from (select 1 from " + table + " where " + sql() + " limit ?) counted")) {
            statement.setLong(set(statement, 1), limit + 1);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Sets the values as the parameters that begin at an index; gives the index behind them. */
    int set(PreparedStatement statement, int first) throws SQLException {
        int at = first;
        for (Object value : values) {
            statement.setObject(at++, value);
        }
        return at;
    }

    /** Takes the row that a cursor stands on. */
    @FunctionalInterface
    interface RowConsumer {
        void take(ResultSet row) throws SQLException;
    }
}
