package dev.tidemark.ledger.jdbc;

import java.sql.PreparedStatement;
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

    /** Sets the values as the parameters that begin at an index; gives the index behind them. */
    int set(PreparedStatement statement, int first) throws SQLException {
        int at = first;
        for (Object value : values) {
            statement.setObject(at++, value);
        }
        return at;
    }
}
