package dev.tidemark.it;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Canonical;
import dev.tidemark.kit.Snapshot.Counts;
import dev.tidemark.kit.Snapshot.RejectedRow;
import dev.tidemark.kit.Snapshot.TargetRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What stands in the warehouse after each publication of a job whose target keeps revisions, in the oracle's words. */
public final class Published {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Connection connection;
    private final JobPlan plan;
    private final String table;

    public Published(Connection connection, JobPlan plan) {
        this.connection = connection;
        this.plan = plan;
        this.table = quoted(plan.target().schema()) + "." + quoted(plan.target().table());
    }

    JobPlan plan() {
        return plan;
    }

    /** One publication: its number, the split in which each log stands and the next offset there, and its own counts. */
    public record Publication(
            long number,
            Map<String, Long> positions,
            Counts counts,
            @Nullable String completeFrom,
            @Nullable String closedBefore) {}

    public List<Publication> publications() throws SQLException {
        List<Publication> result = new ArrayList<>();
        query(
                "select publication, positions, records_read, applied, superseded, late, split, rejected,"
                        + " max_lateness_ms, half_window_exceeded, complete_from, closed_before"
                        + " from tidemark.publications where job = ? order by publication",
                row -> {
                    Map<String, Long> positions = new TreeMap<>();
                    parse(row.getString(2))
                            .properties()
                            .forEach(split -> positions.put(
                                    split.getKey(), split.getValue().longValue()));
                    result.add(new Publication(
                            row.getLong(1),
                            positions,
                            new Counts(
                                    row.getLong(3),
                                    row.getLong(4),
                                    row.getLong(5),
                                    row.getLong(6),
                                    row.getLong(7),
                                    row.getLong(8),
                                    row.getObject(9, Long.class),
                                    row.getLong(10)),
                            row.getString(11),
                            row.getString(12)));
                });
        return result;
    }

    /** A row and the publication that wrote it. */
    record Written(TargetRow row, long publication) {}

    /** The target as it was after a publication, from its revisions. */
    List<TargetRow> targetAt(long publication) throws SQLException {
        return sorted(new ArrayList<>(
                writtenAt(publication).stream().map(Written::row).toList()));
    }

    /** The same with what wrote each row. */
    List<Written> writtenAt(long publication) throws SQLException {
        String cell = cell().stream().map(Published::quoted).collect(Collectors.joining(", "));
        List<Written> rows = new ArrayList<>();
        String latest = "select distinct on (" + cell + ") * from "
                + quoted(plan.target().schema()) + "."
                + quoted(plan.target().table() + "_revisions") + " where _publication <= " + publication + " order by "
                + cell + ", _revision desc";
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select * from (" + latest + ") r where not _removed")) {
            while (row.next()) {
                rows.add(new Written(targetRow(row), row.getLong("_publication")));
            }
        }
        return rows;
    }

    /** The target as it stands. */
    List<TargetRow> target() throws SQLException {
        List<TargetRow> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select * from " + table)) {
            while (row.next()) {
                rows.add(targetRow(row));
            }
        }
        return sorted(rows);
    }

    /** The ledger's rows after a publication as text that compares: everything but payload and what people resolve. */
    List<String> ledgerAt(long publication) throws SQLException {
        List<String> rows = new ArrayList<>();
        query(
                "select split, \"offset\", half, record_id, op, partition, key, event_time, observed_at, lateness_ms, age,"
                        + " frontier, open_from, reason, withheld, publication, status from tidemark.late_ledger where job = ?",
                row -> {
                    if (row.getLong(16) <= publication) {
                        rows.add(String.join(
                                " ",
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                String.valueOf(row.getString(4)),
                                row.getString(5),
                                String.valueOf(row.getString(6)),
                                String.valueOf(instant(row, 8)),
                                String.valueOf(instant(row, 9)),
                                String.valueOf(row.getString(10)),
                                String.valueOf(row.getString(11)),
                                String.valueOf(instant(row, 12)),
                                String.valueOf(row.getString(13)),
                                row.getString(14),
                                row.getString(15),
                                row.getString(17)));
                    }
                });
        rows.sort(null);
        return rows;
    }

    List<RejectedRow> rejectedAt(long publication) throws SQLException {
        List<RejectedRow> rows = new ArrayList<>();
        query(
                "select split, \"offset\", reason, payload_length, publication from tidemark.rejected_changes"
                        + " where job = ? order by split collate \"C\", \"offset\"",
                row -> {
                    if (row.getLong(5) <= publication) {
                        rows.add(new RejectedRow(row.getString(1), row.getLong(2), row.getString(3), row.getLong(4)));
                    }
                });
        return rows;
    }

    /** The lateness distribution: day, arrival, age and bucket to changes, late ones and maximum. */
    Map<String, String> lateness() throws SQLException {
        Map<String, String> result = new TreeMap<>();
        query(
                "select observed_day, arrival, age, bucket, changes, late, maximum from tidemark.lateness where job = ?",
                row -> result.put(
                        row.getObject(1, LocalDate.class) + " " + row.getString(2) + " " + row.getLong(3) + " "
                                + row.getLong(4),
                        row.getLong(5) + " " + row.getLong(6) + " " + row.getLong(7)));
        return result;
    }

    /** Partition to cells and members, of partitions that have any. */
    Map<String, String> partitions() throws SQLException {
        Map<String, String> result = new TreeMap<>();
        query(
                "select partition, cells, members from tidemark.partitions where job = ? and cells > 0",
                row -> result.put(row.getString(1), row.getLong(2) + " " + row.getLong(3)));
        return result;
    }

    /** What is left of what was staged: nothing, if all is well. */
    public List<String> staged() throws SQLException {
        List<String> left = new ArrayList<>();
        query(
                "select submission, checkpoint, subtask, cells, late, rejected, carried is not null, cuts"
                        + " from tidemark.staged_parts where job = ? order by staged_at",
                row -> left.add("part of " + row.getString(1) + " checkpoint " + row.getLong(2) + " subtask "
                        + row.getInt(3) + " cells " + row.getLong(4) + " late " + row.getLong(5) + " rejected "
                        + row.getLong(6) + " carried " + row.getBoolean(7) + " cuts " + row.getString(8)));
        for (String table :
                List.of("tidemark_staging." + quoted(plan.job()), "tidemark.staged_late", "tidemark.staged_rejected")) {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("select count(*) from " + table)) {
                row.next();
                if (row.getLong(1) > 0) {
                    left.add(row.getLong(1) + " rows in " + table);
                }
            }
        }
        return left;
    }

    private TargetRow targetRow(ResultSet row) throws SQLException {
        List<Object> key = new ArrayList<>();
        for (Field field : plan.target().key()) {
            key.add(Objects.requireNonNull(value(row, field.column(), field.type())));
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (JobPlan.ValueColumn column : plan.target().columns()) {
            values.add(value(row, column.name(), column.type()));
        }
        String column = plan.partition().column();
        String partition = plan.partition().grain() == Grain.HOUR
                ? row.getObject(column, OffsetDateTime.class).toInstant().toString()
                : row.getObject(column, LocalDate.class).toString();
        return new TargetRow(partition, key, values, row.getLong("_members"), row.getLong("_fingerprint"));
    }

    private static @Nullable Object value(ResultSet row, String name, FieldType type) throws SQLException {
        Object value = switch (type.kind()) {
            case BOOLEAN -> row.getObject(name, Boolean.class);
            case INT, LONG -> row.getObject(name) == null ? null : Long.valueOf(row.getLong(name));
            case FLOAT -> row.getObject(name, Float.class);
            case DOUBLE -> row.getObject(name, Double.class);
            case DECIMAL -> row.getBigDecimal(name);
            case STRING -> row.getString(name);
            case BYTES -> row.getBytes(name);
            case DATE -> row.getObject(name, LocalDate.class);
            case TIMESTAMP -> instant(row, row.findColumn(name));
            case UUID -> row.getObject(name, UUID.class);
            case TIME, LOCAL_TIMESTAMP -> throw new IllegalArgumentException("not generated: " + type);
        };
        return Canonical.value(value);
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private List<TargetRow> sorted(List<TargetRow> rows) {
        rows.sort(Canonical.ORDER);
        return rows;
    }

    private List<String> cell() {
        List<String> columns = new ArrayList<>();
        columns.add(plan.partition().column());
        plan.target().key().forEach(field -> columns.add(field.column()));
        return columns;
    }

    private void query(String sql, RowAction action) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, plan.job());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    action.accept(row);
                }
            }
        }
    }

    private static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static String quoted(String name) {
        return '"' + name + '"';
    }

    @FunctionalInterface
    private interface RowAction {
        void accept(ResultSet row) throws SQLException;
    }
}
