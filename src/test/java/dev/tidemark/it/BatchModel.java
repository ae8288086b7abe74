package dev.tidemark.it;

import dev.tidemark.kit.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * A table that SQL loads by night, as it is done without Tidemark: in a schema of its own a {@code source} of the lines as they
 * stand, those that are withdrawn marked as {@code gone}, and a {@code target} of product days.
 */
final class BatchModel implements AutoCloseable {
    /** Product days of New York, recomputed from some relation. */
    private static final String TRUTH = """
            select (at at time zone 'America/New_York')::date as day, product, count(*) as n,
                sum(quantity)::bigint as quantity
            from RELATION group by 1, 2""";

    /** The lines that stand. */
    static final String LIVE = "(select * from source where not gone) live";

    /** Those of them whose day lies in the window. */
    static final String WINDOW = "(select * from source where not gone"
            + " and (at at time zone 'America/New_York')::date >= (select start from bound)) live";

    private final Connection connection;

    /**
     * @param name of the schema
     * @param key of the target, as SQL; empty: it has none
     */
    BatchModel(PostgresServer postgres, String name, String key) throws SQLException {
        connection = postgres.connect();
        execute("create schema " + name);
        execute("set search_path = " + name);
        execute("set timezone = 'UTC'");
        execute("set datestyle = 'ISO'");
        execute("create table source (id text primary key, v bigint, product text, quantity bigint, at timestamptz,"
                + " seen timestamptz, gone boolean, text text)");
        execute("create table target (day date, product text, n bigint, quantity bigint"
                + (key.isEmpty() ? "" : ", primary key " + key) + ")");
        // The greatest day that is loaded, less three: fixed before a run changes it.
        execute("create table bound (start date)");
    }

    /** What the source's own database makes of these changes. */
    void arrive(OrderLine... lines) throws SQLException {
        for (OrderLine line : lines) {
            execute("insert into source as s select id, v, product, quantity, at, seen, coalesce(gone, false), text"
                    + " from jsonb_to_record('" + line.json() + "') as line (id text, v bigint, product text, quantity"
                    + " bigint, at timestamptz, seen timestamptz, gone boolean, text text)"
                    + " on conflict (id) do update set v = excluded.v, gone = excluded.gone, seen = excluded.seen,"
                    + " product = coalesce(excluded.product, s.product), at = coalesce(excluded.at, s.at),"
                    + " quantity = coalesce(excluded.quantity, s.quantity) where s.v < excluded.v");
        }
    }

    /** Product days recomputed from a relation, as a query. */
    static String truth(String relation) {
        return TRUTH.replace("RELATION", relation);
    }

    /** The first run: everything that there is. */
    void load() throws SQLException {
        execute("insert into target " + truth(LIVE));
    }

    /** Fixes where the next run's window begins: the greatest day of the target, and the three days before it. */
    void bound() throws SQLException {
        execute("delete from bound");
        execute("insert into bound select max(day) - 3 from target");
    }

    /** Replaces the partitions of the window by their truth, in one transaction. */
    void replaceWindow() throws SQLException {
        bound();
        execute("begin");
        execute("delete from target where day >= (select start from bound)");
        execute("insert into target " + truth(WINDOW));
        execute("commit");
    }

    /** The rows of a query, columns with a space in between. */
    List<String> rows(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            int columns = row.getMetaData().getColumnCount();
            while (row.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    values.add(String.valueOf(row.getString(i)));
                }
                rows.add(String.join(" ", values));
            }
            return rows;
        }
    }

    long number(String sql) throws SQLException {
        return Long.parseLong(rows(sql).get(0));
    }

    /** The target's rows from a day on. */
    List<String> target(String from) throws SQLException {
        return rows("select day, product, n, quantity from target where day >= '" + from + "' order by 1, 2, 3, 4");
    }

    /** What a full recomputation of what the source holds has from a day on. */
    List<String> recomputed(String from) throws SQLException {
        return rows("select * from (" + truth(LIVE) + ") t where day >= '" + from + "' order by 1, 2");
    }

    /** Executes a statement; how many rows it touched. */
    int execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return Math.max(0, statement.getUpdateCount());
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
