package dev.tidemark.publish.jdbc;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.PartitionSpan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What rebuilds had filled before the stream of a job published for the first time. The stream comes by the whole history again,
 * and what it makes of a partition lacks what was late. So its first publication is made behind where every rebuild ended, and
 * leaves alone the partitions that were closed there already: all that the stream has read of them since is in the ledger.
 */
final class RebuiltPartitions {
    private final String job;
    private final Calendar calendar;
    private final TargetNames names;
    private final int lookback;
    private final List<Rebuilt> rebuilds;

    private RebuiltPartitions(String job, Calendar calendar, TargetNames names, int lookback, List<Rebuilt> rebuilds) {
        this.job = job;
        this.calendar = calendar;
        this.names = names;
        this.lookback = lookback;
        this.rebuilds = rebuilds;
    }

    /** A rebuild that is visible. */
    private record Rebuilt(long publication, PartitionSpan span, List<LogCut> logs) {
        private @Nullable LogCut onlyLog() {
            return logs.size() == 1 && logs.get(0).log().isEmpty() ? logs.get(0) : null;
        }
    }

    /** None. */
    static RebuiltPartitions none(String job, Calendar calendar, TargetNames names, int lookback) {
        return new RebuiltPartitions(job, calendar, names, lookback, List.of());
    }

    /** Reads them, the last first. */
    static RebuiltPartitions read(Connection connection, String job, Calendar calendar, TargetNames names, int lookback)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select publication, from_partition, to_partition, positions from tidemark.rebuilds
                where job = ? and publication is not null order by publication desc""")) {
            statement.setString(1, job);
            List<Rebuilt> rebuilds = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String from = rows.getString(2);
                    String to = rows.getString(3);
                    String positions = rows.getString(4);
                    rebuilds.add(new Rebuilt(
                            rows.getLong(1),
                            new PartitionSpan(
                                    from == null ? PartitionSpan.BEGINNING : calendar.parse(from),
                                    to == null ? PartitionSpan.END : calendar.parse(to)),
                            positions == null ? List.of() : Json.logs(positions)));
                }
            }
            return new RebuiltPartitions(job, calendar, names, lookback, rebuilds);
        }
    }

    /** Whether a log stands before where a rebuild had read it. */
    boolean isAheadOf(List<LogCut> logs) {
        return rebuilds.stream()
                .flatMap(rebuilt -> rebuilt.logs().stream())
                .anyMatch(log ->
                        logs.stream().noneMatch(now -> now.log().equals(log.log()) && now.comparePositionTo(log) >= 0));
    }

    /**
     * Takes out of some parts the cells of partitions that are to stay as they were rebuilt.
     *
     * @return those partitions, as text, with the publication of the rebuild that filled each
     */
    Map<String, Long> leaveAlone(Connection connection, List<String> parts) throws SQLException {
        Map<String, Long> left = new TreeMap<>();
        if (rebuilds.isEmpty()) {
            return left;
        }
        Map<String, LogCut> firstLate = firstLate(connection, parts);
        for (String partition : staged(connection, parts, firstLate)) {
            Rebuilt rebuilt = lastOf(calendar.parse(partition));
            if (rebuilt != null && wasClosed(rebuilt, partition, firstLate.get(partition))) {
                left.put(partition, rebuilt.publication());
            }
        }
        if (!left.isEmpty()) {
            try (PreparedStatement statement = connection.prepareStatement("delete from " + names.staging()
                    + " where _part = any(cast(? as uuid[])) and " + names.iso(names.partition())
                    + " = any(cast(? as text[]))")) {
                statement.setArray(1, Parameters.text(connection, parts));
                statement.setArray(2, Parameters.text(connection, left.keySet()));
                statement.executeUpdate();
            }
        }
        return left;
    }

    /** Marks the ledger rows of partitions that were left alone whose change the rebuild had read. */
    void mark(Connection connection, Map<String, Long> left, long recordedBy, Timestamp now) throws SQLException {
        Map<Long, List<String>> partitions = new LinkedHashMap<>();
        left.forEach((partition, publication) -> partitions
                .computeIfAbsent(publication, key -> new ArrayList<>())
                .add(partition));
        for (Rebuilt rebuilt : rebuilds) {
            List<String> own = partitions.get(rebuilt.publication());
            if (own != null && !rebuilt.logs().isEmpty()) {
                new Incorporation(job, rebuilt.publication(), now).rebuilt(connection, own, recordedBy, rebuilt.logs());
            }
        }
    }

    private @Nullable Rebuilt lastOf(long partition) {
        for (Rebuilt rebuilt : rebuilds) {
            if (rebuilt.span().contains(partition)) {
                return rebuilt;
            }
        }
        return null;
    }

    /**
     * Whether a partition was closed to every log where a rebuild had read it. Of one log a change to it says so that was late
     * before that. Of several it follows from the least frontier, if the rebuild knows how far each had come; else nothing
     * is known, and the stream has the say: what it lacks stays open in the ledger.
     */
    private boolean wasClosed(Rebuilt rebuilt, String partition, @Nullable LogCut firstLate) {
        LogCut only = rebuilt.onlyLog();
        if (only != null) {
            return firstLate != null && firstLate.comparePositionTo(only) < 0;
        }
        long least = rebuilt.logs().stream().mapToLong(LogCut::frontier).min().orElse(LogCut.UNKNOWN);
        return least != LogCut.UNKNOWN
                && calendar.parse(partition) < calendar.plus(calendar.partitionOf(least), -lookback);
    }

    /** Of each partition that late changes name, the first position of one. */
    private static Map<String, LogCut> firstLate(Connection connection, List<String> parts) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select distinct on (partition) partition, split, "offset" from tidemark.staged_late
                where part = any(cast(? as uuid[])) and partition is not null
                order by partition, split collate "C", "offset\"""")) {
            statement.setArray(1, Parameters.text(connection, parts));
            Map<String, LogCut> first = new TreeMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String split = rows.getString(2);
                    long offset = rows.getLong(3);
                    first.put(rows.getString(1), new LogCut("", split, offset, split, offset, LogCut.UNKNOWN));
                }
            }
            return first;
        }
    }

    private List<String> staged(Connection connection, List<String> parts, Map<String, LogCut> late)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select distinct " + names.iso(names.partition())
                + " from " + names.staging() + " where _part = any(cast(? as uuid[]))")) {
            statement.setArray(1, Parameters.text(connection, parts));
            List<String> partitions = new ArrayList<>(late.keySet());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (!late.containsKey(rows.getString(1))) {
                        partitions.add(rows.getString(1));
                    }
                }
            }
            return partitions;
        }
    }
}
