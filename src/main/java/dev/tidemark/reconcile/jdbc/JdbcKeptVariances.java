package dev.tidemark.reconcile.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.reconcile.Alarm;
import dev.tidemark.reconcile.Compared;
import dev.tidemark.reconcile.KeptVariances;
import dev.tidemark.reconcile.Measure;
import dev.tidemark.reconcile.Reconciliation;
import dev.tidemark.reconcile.ShiftChart;
import dev.tidemark.reconcile.Tolerance;
import dev.tidemark.reconcile.Variance;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The variances of one job, as {@code tidemark.reconciliation_runs} and {@code tidemark.reconciliations} have them. */
public final class JdbcKeptVariances implements KeptVariances {
    private static final int FETCH_SIZE = 1_000;
    private static final int BATCH = 1_000;

    /** The newest variance of each partition. */
    private static final String NEWEST = """
            from (
                select r.*, n.reconciled_at, count(*) over same as times,
                       row_number() over (partition by r.control, r.measure, r.partition order by r.reconciliation desc) as age
                from tidemark.reconciliations r
                join tidemark.reconciliation_runs n on n.reconciliation = r.reconciliation
                where r.job = ? and r.control = coalesce(?, r.control)
                window same as (partition by r.control, r.measure, r.partition)
            ) r
            where r.age = 1""";

    private final String job;
    private final Transactions transactions;

    public JdbcKeptVariances(String job, Connections connections) {
        this.job = job;
        this.transactions =
                new Transactions(connections, Session.named("tidemark reconcile " + job), Transactions.Repetition.NONE);
    }

    @Override
    public NavigableMap<String, Double> series(String control, Measure measure) {
        return transactions.run("read the kept variances of the job " + job, connection -> {
            NavigableMap<String, Double> series = new TreeMap<>();
            try (PreparedStatement statement = connection.prepareStatement("""
                    select distinct on (r.partition) r.partition, r.variance
                    from tidemark.reconciliations r
                    where r.job = ? and r.control = ? and r.measure = ? and r.counted
                    order by r.partition, r.reconciliation desc""")) {
                statement.setString(1, job);
                statement.setString(2, control);
                statement.setString(3, measure.column());
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        Double variance = nullableDouble(row, 2);
                        if (variance != null) {
                            series.put(row.getString(1), variance);
                        }
                    }
                }
            }
            return series;
        });
    }

    @Override
    public void keep(Reconciliation reconciliation, Instant at) {
        transactions.execute("keep the reconciliation of the job " + job, connection -> {
            long number = keepRun(connection, reconciliation, at);
            keepVariances(connection, reconciliation, number);
        });
    }

    private long keepRun(Connection connection, Reconciliation reconciliation, Instant at) throws SQLException {
        Tolerance tolerance = reconciliation.request().tolerance();
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.reconciliation_runs (job, control, origin, publication, tolerance, tolerated_unmatched,
                                                          annual, currency, partitions, unmatched, worst, alarms, reconciled_at)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning reconciliation""")) {
            statement.setString(1, job);
            statement.setString(2, reconciliation.request().control());
            statement.setString(3, reconciliation.request().origin());
            statement.setObject(4, reconciliation.publication());
            statement.setBigDecimal(5, tolerance.percent());
            statement.setLong(6, tolerance.unmatched());
            statement.setBigDecimal(7, tolerance.annual());
            statement.setString(8, tolerance.currency());
            statement.setLong(9, reconciliation.counted().size());
            statement.setLong(10, reconciliation.unmatched());
            statement.setObject(11, reconciliation.worst());
            statement.setArray(
                    12,
                    connection.createArrayOf(
                            "text",
                            reconciliation.alarms().stream()
                                    .map(Alarm::kind)
                                    .map(Alarm.Kind::word)
                                    .distinct()
                                    .toArray()));
            statement.setObject(13, at.atOffset(ZoneOffset.UTC));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private void keepVariances(Connection connection, Reconciliation reconciliation, long number) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.reconciliations (reconciliation, job, control, measure, partition, counted, control_value,
                                                      target_value, variance, gross, differing, only_control, only_target,
                                                      unmatched, open_late, cusum_loss, cusum_gain, passed)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")) {
            int batched = 0;
            for (Compared compared : reconciliation.partitions()) {
                for (Variance variance : compared.variances()) {
                    ShiftChart chart = reconciliation.charts().get(variance.measure());
                    boolean isCounted = reconciliation.isCounted(compared);
                    ShiftChart.Sums sums = chart == null || !isCounted ? null : chart.at(compared.partition());
                    statement.setLong(1, number);
                    statement.setString(2, job);
                    statement.setString(3, reconciliation.request().control());
                    statement.setString(4, variance.measure().column());
                    statement.setString(5, compared.partition());
                    statement.setBoolean(6, isCounted);
                    statement.setBigDecimal(7, variance.control());
                    statement.setBigDecimal(8, variance.target());
                    statement.setObject(9, variance.percent());
                    statement.setObject(10, variance.grossPercent());
                    statement.setLong(11, variance.differing());
                    statement.setLong(12, compared.onlyControl());
                    statement.setLong(13, compared.onlyTarget());
                    statement.setLong(14, compared.unmatched());
                    statement.setLong(15, compared.openLate());
                    statement.setObject(16, sums == null ? null : sums.loss());
                    statement.setObject(17, sums == null ? null : sums.gain());
                    statement.setBoolean(18, reconciliation.faults(compared).isEmpty());
                    statement.addBatch();
                    if (++batched % BATCH == 0) {
                        statement.executeBatch();
                    }
                }
            }
            statement.executeBatch();
        }
    }

    @Override
    public List<Run> last() {
        return transactions.run("read the last reconciliations of the job " + job, connection -> {
            List<Run> runs = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement("""
                    select * from (
                        select distinct on (r.control) r.* from tidemark.reconciliation_runs r
                        where r.job = ? order by r.control, r.reconciliation desc) r
                    order by r.reconciliation desc""")) {
                statement.setString(1, job);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        runs.add(run(row));
                    }
                }
            }
            return List.copyOf(runs);
        });
    }

    private static Run run(ResultSet row) throws SQLException {
        long publication = row.getLong("publication");
        boolean isPublished = !row.wasNull();
        return new Run(
                row.getString("control"),
                row.getString("origin"),
                isPublished ? publication : null,
                new Tolerance(
                        row.getBigDecimal("tolerance"),
                        row.getLong("tolerated_unmatched"),
                        row.getBigDecimal("annual"),
                        row.getString("currency")),
                row.getLong("partitions"),
                row.getLong("unmatched"),
                Arrays.asList((String[]) row.getArray("alarms").getArray()),
                nullableDouble(row, "worst"),
                row.getObject("reconciled_at", OffsetDateTime.class).toInstant());
    }

    @Override
    public void read(@Nullable String control, long limit, Consumer<Point> points) {
        transactions.execute("read the kept variances of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("select * from (select r.* " + NEWEST
                    + " order by r.partition desc, r.control, r.measure limit ?) r"
                    + " order by r.control, r.measure, r.partition")) {
                statement.setString(1, job);
                statement.setString(2, control);
                statement.setLong(3, limit);
                statement.setFetchSize(FETCH_SIZE);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        points.accept(point(row));
                    }
                }
            }
        });
    }

    private static Point point(ResultSet row) throws SQLException {
        return new Point(
                row.getString("control"),
                row.getString("measure"),
                row.getString("partition"),
                row.getBoolean("counted"),
                row.getBigDecimal("control_value"),
                row.getBigDecimal("target_value"),
                nullableDouble(row, "variance"),
                nullableDouble(row, "gross"),
                row.getLong("unmatched"),
                nullableDouble(row, "cusum_loss"),
                nullableDouble(row, "cusum_gain"),
                row.getLong("times"),
                row.getObject("reconciled_at", OffsetDateTime.class).toInstant());
    }

    @Override
    public long count(@Nullable String control) {
        return transactions.run("count the kept variances of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("select count(*) " + NEWEST)) {
                statement.setString(1, job);
                statement.setString(2, control);
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

    private static @Nullable Double nullableDouble(ResultSet row, int column) throws SQLException {
        double value = row.getDouble(column);
        return row.wasNull() ? null : value;
    }

    private static @Nullable Double nullableDouble(ResultSet row, String column) throws SQLException {
        double value = row.getDouble(column);
        return row.wasNull() ? null : value;
    }
}
