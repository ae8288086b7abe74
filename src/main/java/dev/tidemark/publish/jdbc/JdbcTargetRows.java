package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.TargetRows;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads a target. A failure is not tried again: rows may have been handed over. */
public final class JdbcTargetRows implements TargetRows {
    private static final int FETCH_SIZE = 1000;
    private static final List<String> OWN =
            List.of("_revision", "_members", "_fingerprint", "_pane", "_publication", "_published_at");

    private final JobPlan plan;
    private final TargetNames names;
    private final String where;
    private final Transactions transactions;

    public JdbcTargetRows(JobPlan plan, Connections connections) {
        this.plan = plan;
        this.names = new TargetTable(plan).names();
        String type = names.partitionType();
        this.where = " where " + names.partition() + " between coalesce(cast(? as " + type + "), '-infinity')"
                + " and coalesce(cast(? as " + type + "), 'infinity')";
        this.transactions = new Transactions(
                connections, Session.named("tidemark target " + plan.job()), Transactions.Repetition.NONE);
    }

    @Override
    public List<String> columns() {
        List<String> columns = new ArrayList<>();
        columns.add(plan.partition().column());
        plan.target().key().forEach(field -> columns.add(field.column()));
        plan.target().columns().forEach(column -> columns.add(column.name()));
        columns.addAll(OWN);
        return columns;
    }

    @Override
    public void read(
            @Nullable String fromPartition,
            @Nullable String toPartition,
            long limit,
            Consumer<List<@Nullable Object>> rows) {
        String select = "select " + TargetNames.list(names.cellAndValues()) + ", "
                + String.join(", ", OWN) + " from " + names.table() + where + " order by "
                + TargetNames.list(names.cell()) + " limit ?";
        transactions.execute("read " + names.table(), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(select)) {
                statement.setString(1, fromPartition);
                statement.setString(2, toPartition);
                statement.setLong(3, limit);
                statement.setFetchSize(FETCH_SIZE);
                try (ResultSet row = statement.executeQuery()) {
                    ResultSetMetaData types = row.getMetaData();
                    while (row.next()) {
                        List<@Nullable Object> values = new ArrayList<>();
                        for (int i = 1; i <= types.getColumnCount(); i++) {
                            values.add(value(row, i, types.getColumnTypeName(i), types.getColumnType(i)));
                        }
                        rows.accept(values);
                    }
                }
            }
        });
    }

    @Override
    public long count(@Nullable String fromPartition, @Nullable String toPartition) {
        return transactions.run("count " + names.table(), connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("select count(*) from " + names.table() + where)) {
                statement.setString(1, fromPartition);
                statement.setString(2, toPartition);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    @Override
    public void close() {
        transactions.close();
    }

    private static @Nullable Object value(ResultSet row, int column, String name, int type) throws SQLException {
        return switch (name) {
            case "timestamptz" -> {
                OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
                yield time == null ? null : time.toInstant();
            }
            case "timestamp" -> row.getObject(column, LocalDateTime.class);
            case "date" -> row.getObject(column, LocalDate.class);
            case "time" -> row.getObject(column, LocalTime.class);
            case "bytea" -> {
                byte[] bytes = row.getBytes(column);
                yield bytes == null ? null : "\\x" + HexFormat.of().formatHex(bytes);
            }
            default -> plain(row, column, type);
        };
    }

    private static @Nullable Object plain(ResultSet row, int column, int type) throws SQLException {
        return switch (type) {
            case Types.BOOLEAN,
                    Types.BIT,
                    Types.SMALLINT,
                    Types.INTEGER,
                    Types.BIGINT,
                    Types.REAL,
                    Types.DOUBLE,
                    Types.NUMERIC -> row.getObject(column);
            default -> row.getString(column);
        };
    }
}
