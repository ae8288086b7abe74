package dev.tidemark.source.jdbc;

import dev.tidemark.change.RawRecord;
import dev.tidemark.database.ConnectionSettings;
import dev.tidemark.database.Connections;
import dev.tidemark.database.Environment;
import dev.tidemark.job.HistoryPlan;
import dev.tidemark.job.JdbcPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.source.EventRange;
import dev.tidemark.source.SourceException;
import dev.tidemark.source.flink.RawRecordSerializer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.jdbc.core.datastream.source.JdbcSource;

/**
 * Rows of a database at one moment: a transaction that stays open exports its snapshot, and everything is read in that,
 * however many connections read. Close it when the reading is over.
 */
public final class RowsHistory implements AutoCloseable {
    private static final int FETCH = 2_000;
    private static final String WAREHOUSE = "TIDEMARK_WAREHOUSE_";
    private static final String HISTORY = "TIDEMARK_HISTORY_";

    private final Connection holder;
    private final Source<RawRecord, ?, ?> source;

    private RowsHistory(Connection holder, Source<RawRecord, ?, ?> source) {
        this.holder = holder;
        this.source = source;
    }

    /**
     * Asks the database.
     *
     * @param plan of the job, whose history is rows
     * @param range of event times; rows outside of it are left out if each row is a record of its own
     * @throws SourceException if it cannot be reached, or the rows do not hold what the job reads
     */
    public static RowsHistory of(JobPlan plan, JdbcPlan rows, EventRange range) {
        return of(plan, rows, range, Environment.PROCESS);
    }

    static RowsHistory of(JobPlan plan, JdbcPlan rows, EventRange range, Environment environment) {
        ConnectionSettings settings = settings(rows, environment);
        Connections connections = Connections.to(settings);
        try {
            Connection holder = SnapshotConnections.open(connections);
            try {
                return new RowsHistory(holder, source(plan, rows, range, settings.url(), connections, holder));
            } catch (SQLException | RuntimeException failure) {
                holder.close();
                throw failure;
            }
        } catch (SQLException failure) {
            throw new SourceException("the history (" + rows.name() + " in " + settings + ") cannot be read: "
                    + failure.getMessage() + ". Correct history.jdbc in the job file, or let the user read it");
        }
    }

    /** The records. */
    public Source<RawRecord, ?, ?> source() {
        return source;
    }

    @Override
    public void close() {
        try {
            holder.close();
        } catch (SQLException e) {
            // It only read.
        }
    }

    private static Source<RawRecord, ?, ?> source(
            JobPlan plan, JdbcPlan rows, EventRange range, String url, Connections connections, Connection holder)
            throws SQLException {
        String snapshot = exported(holder);
        RowColumns columns = RowColumns.of(rows, holder);
        String selection = columns.selection(plan.overHistory());
        RowRanges ranges = RowRanges.of(rows, columns, holder);
        String statement = "select ?::int, " + selection + " from " + RowColumns.from(rows) + " where "
                + ranges.condition() + pushedDown(plan, range);
        JdbcSource<RawRecord> source = JdbcSource.<RawRecord>builder()
                .setDBUrl(url)
                .setDriverName("org.postgresql.Driver")
                .setSql(statement)
                .setResultExtractor(new RowExtractor(rows.name(), positions(plan, rows, holder)))
                .setTypeInformation(RawRecordSerializer.TYPE)
                .setJdbcParameterValuesProvider(ranges)
                .setAutoCommit(false)
                .setResultSetFetchSize(FETCH)
                .setSplitReaderFetchBatchSize(FETCH)
                .build();
        return new SnapshotSource(source, new SnapshotConnections(connections, snapshot));
    }

    private static String exported(Connection holder) throws SQLException {
        try (Statement statement = holder.createStatement();
                ResultSet found = statement.executeQuery("select pg_catalog.pg_export_snapshot()")) {
            found.next();
            return found.getString(1);
        }
    }

    /** The condition on the event time, if no other row of a record that counts can have another one. */
    private static String pushedDown(JobPlan plan, EventRange range) {
        boolean isEachItsOwn =
                plan.changes().mode() == Mode.APPEND || plan.history().kind() == HistoryPlan.Kind.TABLE;
        String event = plan.time().event().name();
        boolean isColumn = plan.fields().stream()
                .noneMatch(derived -> derived.field().name().equals(event));
        if (!isEachItsOwn || !isColumn) {
            return "";
        }
        String column = Identifiers.column(event);
        Instant from = range.from();
        Instant to = range.to();
        return (from == null ? "" : " and " + column + " >= timestamptz '" + from + "'")
                + (to == null ? "" : " and " + column + " < timestamptz '" + to + "'");
    }

    private static RowExtractor.Positions positions(JobPlan plan, JdbcPlan rows, Connection holder)
            throws SQLException {
        JdbcPlan.Position position = rows.position();
        if (position == null) {
            return RowExtractor.Positions.NONE;
        }
        if (plan.source().kafka() != null) {
            return new RowExtractor.Positions(true, plan.source().kafka().topic(), JobPlan.Logs.SOURCE, List.of());
        }
        List<String> splits = new ArrayList<>();
        try (Statement statement = holder.createStatement();
                ResultSet found = statement.executeQuery("select distinct (" + Identifiers.column(position.split())
                        + "::text) collate \"C\" from " + RowColumns.from(rows) + " where "
                        + Identifiers.column(position.split()) + " is not null order by 1")) {
            while (found.next()) {
                splits.add(found.getString(1));
            }
        }
        return new RowExtractor.Positions(true, null, plan.source().logs(), splits);
    }

    /** The address, with what else the driver is told; who connects may be in variables of the history's own. */
    private static ConnectionSettings settings(JdbcPlan rows, Environment environment) {
        StringBuilder address = new StringBuilder(rows.url());
        char before = rows.url().indexOf('?') < 0 ? '?' : '&';
        for (Map.Entry<String, String> property : rows.properties().entrySet()) {
            address.append(before)
                    .append(property.getKey())
                    .append('=')
                    .append(URLEncoder.encode(property.getValue(), StandardCharsets.UTF_8)
                            .replace("+", "%20"));
            before = '&';
        }
        try {
            return ConnectionSettings.of(
                    address.toString(), name -> environment.variable(name.replace(WAREHOUSE, HISTORY)));
        } catch (IllegalArgumentException wrong) {
            throw new SourceException("history.jdbc.url: " + wrong.getMessage());
        }
    }
}
