package dev.tidemark.publish.jdbc;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Lists as array parameters, so that a statement handles many rows in one round trip. */
final class Parameters {
    private Parameters() {}

    static Array text(Connection connection, Collection<? extends @Nullable String> values) throws SQLException {
        return connection.createArrayOf("text", values.toArray());
    }

    static Array integers(Connection connection, Collection<Integer> values) throws SQLException {
        return connection.createArrayOf("int4", values.toArray());
    }

    static Array longs(Connection connection, Collection<Long> values) throws SQLException {
        return connection.createArrayOf("int8", values.toArray());
    }
}
