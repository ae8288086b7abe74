package dev.tidemark.publish.jdbc;

import dev.tidemark.publish.LogCut;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Marks open ledger rows as incorporated by a publication, and counts them out of their partitions. */
final class Incorporation {
    /** Whether the position of the ledger row {@code l} lies before where its log stands in {@code stood}. */
    static final String IS_BEFORE = """
            exists (
                select 1 from unnest(cast(? as text[]), cast(? as text[]), cast(? as bigint[])) as s (log, split, next)
                where (s.log = '' or l.split = s.log or starts_with(l.split, s.log || '/'))
                  and (l.split collate "C" < s.split collate "C" or (l.split = s.split and l."offset" < s.next)))""";

    private final String job;
    private final long publication;
    private final Timestamp now;

    Incorporation(String job, long publication, Timestamp now) {
        this.job = job;
        this.publication = publication;
        this.now = now;
    }

    /**
     * What a widening brought in: changes of reopened partitions whose effect the state held, withheld. Those that stood
     * before the restored state are in it; later ones are if the larger lookback admits them.
     *
     * @param from the first partition that is published whole; null: all are
     * @return how many rows
     */
    long widened(Connection connection, @Nullable String from, int lookback, List<LogCut> stood) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                with marked as (
                    update tidemark.late_ledger l
                    set status = 'incorporated', resolved_by = ?, resolved_at = ?
                    where l.job = ? and l.status = 'open' and l.withheld
                      and (cast(? as text) is null or l.partition >= ?) and (l.age <= ? or %s)
                    returning l.partition
                )
                select partition, count(*) from marked group by partition""".formatted(IS_BEFORE))) {
            statement.setLong(1, publication);
            statement.setTimestamp(2, now);
            statement.setString(3, job);
            statement.setString(4, from);
            statement.setString(5, from);
            statement.setInt(6, lookback);
            setPositions(connection, statement, 7, stood);
            return countOut(connection, statement);
        }
    }

    /**
     * What a rebuild had brought in before the stream recorded it.
     *
     * @param recordedBy the publication that recorded it
     * @param stood where the logs stood for the rebuild
     */
    void rebuilt(Connection connection, List<String> partitions, long recordedBy, List<LogCut> stood)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                with marked as (
                    update tidemark.late_ledger l
                    set status = 'incorporated', resolved_by = ?, resolved_at = ?
                    where l.job = ? and l.status = 'open' and l.publication = ? and l.partition = any(cast(? as text[]))
                      and %s
                    returning l.partition
                )
                select partition, count(*) from marked group by partition""".formatted(IS_BEFORE))) {
            statement.setLong(1, publication);
            statement.setTimestamp(2, now);
            statement.setString(3, job);
            statement.setLong(4, recordedBy);
            statement.setArray(5, Parameters.text(connection, partitions));
            setPositions(connection, statement, 6, stood);
            countOut(connection, statement);
        }
    }

    static void setPositions(Connection connection, PreparedStatement statement, int at, List<LogCut> stood)
            throws SQLException {
        statement.setArray(
                at, Parameters.text(connection, stood.stream().map(LogCut::log).toList()));
        statement.setArray(
                at + 1,
                Parameters.text(connection, stood.stream().map(LogCut::split).toList()));
        statement.setArray(
                at + 2,
                Parameters.longs(
                        connection, stood.stream().map(LogCut::nextOffset).toList()));
    }

    /** @param marked gives partitions and how many of their rows it marked */
    private long countOut(Connection connection, PreparedStatement marked) throws SQLException {
        Map<String, Long> partitions = new TreeMap<>();
        try (ResultSet rows = marked.executeQuery()) {
            while (rows.next()) {
                partitions.put(rows.getString(1), rows.getLong(2));
            }
        }
        if (!partitions.isEmpty()) {
            try (PreparedStatement statement = connection.prepareStatement("""
                    update tidemark.partitions p set open_late = p.open_late - d.rows
                    from unnest(cast(? as text[]), cast(? as bigint[])) as d (partition, rows)
                    where p.job = ? and p.partition = d.partition""")) {
                statement.setArray(1, Parameters.text(connection, partitions.keySet()));
                statement.setArray(2, Parameters.longs(connection, List.copyOf(partitions.values())));
                statement.setString(3, job);
                statement.executeUpdate();
            }
        }
        return partitions.values().stream().mapToLong(Long::longValue).sum();
    }
}
