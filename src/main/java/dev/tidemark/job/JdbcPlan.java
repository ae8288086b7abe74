package dev.tidemark.job;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a database: a table or a query, one of the two.
 *
 * @param url the address of a PostgreSQL, as its driver wants it; it may hold user and password
 * @param table as it is written in SQL
 * @param query a statement that selects the rows
 * @param splitBy the column by whose ranges the rows are read in parallel; null: all rows in one go
 * @param splits how many ranges
 * @param position where the columns with a row's position in the live source are; null: rows have none
 * @param millis the fields of which the schema counts milliseconds: what a column holds beyond them is cut off
 * @param properties what the driver is told besides, secrets included
 */
public record JdbcPlan(
        String url,
        @Nullable String table,
        @Nullable String query,
        @Nullable String splitBy,
        int splits,
        @Nullable Position position,
        List<String> millis,
        Map<String, String> properties)
        implements Serializable {

    /**
     * The columns with a row's position in the live source.
     *
     * @param split a file's path under the source folder, or topic-partition; of a topic the number of the partition will do
     * @param offset the record's ordinal in it, or the offset
     * @param timestamp the timestamp that Kafka held of the record; null: not kept
     */
    public record Position(
            String split, String offset, @Nullable String timestamp) implements Serializable {}

    /** What people call it: the table, or that it is a query. */
    public String name() {
        return table == null ? "query" : "table " + table;
    }
}
