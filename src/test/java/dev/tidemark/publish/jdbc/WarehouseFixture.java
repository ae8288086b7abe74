package dev.tidemark.publish.jdbc;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Rejection;
import dev.tidemark.change.RowLayout;
import dev.tidemark.database.Connections;
import dev.tidemark.database.Transactions.Repetition;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.lateness.LatenessEntry;
import dev.tidemark.ledger.Half;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.LateReason;
import dev.tidemark.ledger.RejectedChange;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Tally;
import dev.tidemark.publish.Warehouse.Outcome;
import dev.tidemark.publish.Warehouse.Seat;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job with the key (shop, product) and the columns lines, net, last_price, on a warehouse of its own name. */
final class WarehouseFixture implements AutoCloseable {
    static final Repetition QUICK = new Repetition(4, 2, Duration.ofMillis(1), Duration.ofMillis(5));
    static final long DAY = 86_400_000_000L;

    final PostgresServer postgres;
    final JobPlan plan;
    final String table;
    private final Connections connections;
    private final Connection analyst;

    WarehouseFixture(PostgresServer postgres, String job, boolean revisions) throws SQLException {
        this(postgres, postgres.connections(), plan(job, revisions));
    }

    WarehouseFixture(PostgresServer postgres, Connections connections, JobPlan plan) throws SQLException {
        this.postgres = postgres;
        this.connections = connections;
        this.plan = plan;
        this.table = new TargetNames(plan).table();
        this.analyst = postgres.connect();
        try (Statement statement = analyst.createStatement()) {
            statement.execute("set timezone = 'UTC'; set datestyle = 'ISO'");
        }
    }

    static JobPlan plan(String job, boolean revisions) {
        return plan(job, "sales", job, revisions);
    }

    static JobPlan plan(String job, String schema, String table, boolean revisions) {
        return plan(
                job,
                new JobPlan.TargetPlan(
                        schema,
                        table,
                        List.of(
                                new Field("shop", FieldType.of(Kind.STRING)),
                                new Field("product", FieldType.of(Kind.LONG))),
                        List.of(
                                new JobPlan.ValueColumn(
                                        "lines", Aggregate.COUNT, null, List.of(), FieldType.of(Kind.LONG)),
                                new JobPlan.ValueColumn(
                                        "net",
                                        Aggregate.SUM,
                                        new Field("net", FieldType.decimal(12, 2)),
                                        List.of(),
                                        FieldType.decimal(38, 2)),
                                new JobPlan.ValueColumn(
                                        "last_price",
                                        Aggregate.LATEST,
                                        new Field("price", FieldType.of(Kind.DOUBLE)),
                                        List.of(),
                                        FieldType.of(Kind.DOUBLE))),
                        revisions),
                Grain.DAY);
    }

    static JobPlan plan(String job, JobPlan.TargetPlan target, Grain grain) {
        Field event = new Field("at", FieldType.of(Kind.TIMESTAMP));
        return new JobPlan(
                job,
                new JobPlan.SourcePlan("{}", JobPlan.Format.JSON, "x", 0, JobPlan.Logs.SOURCE, 60_000),
                new JobPlan.ChangePlan(JobPlan.Mode.APPEND, List.of(), List.of(), null),
                new JobPlan.TimePlan(
                        event, JobPlan.Observed.FIELD, event, JobPlan.FrontierKind.OBSERVED, 0, 300_000_000L, 3),
                new JobPlan.PartitionPlan(
                        grain, ZoneId.of("America/New_York"), 2, null, 4, grain == Grain.HOUR ? "hour" : "day", null),
                target);
    }

    void init() {
        new Initialization(postgres.connections(), plan).run("{\"job\": \"" + plan.job() + "\"}", null);
    }

    JdbcWarehouse warehouse() {
        return new JdbcWarehouse(plan, connections, QUICK, null);
    }

    JdbcStage stage(String submission) {
        return new JdbcStage(plan, connections, QUICK, submission, 0);
    }

    Seat register(String submission) {
        try (JdbcWarehouse warehouse = warehouse()) {
            return warehouse.register(submission, "flink-" + submission);
        }
    }

    StagedPart stage(String submission, long checkpoint, Part... parts) {
        try (JdbcStage stage = stage(submission)) {
            for (Part part : parts) {
                stage.add(part);
            }
            return stage.seal(checkpoint);
        }
    }

    Outcome publish(Seat seat, StagedPart... parts) {
        try (JdbcWarehouse warehouse = warehouse()) {
            return warehouse.publish(seat, List.of(parts));
        }
    }

    /** Stages and publishes one checkpoint. */
    Outcome publish(Seat seat, long checkpoint, Part... parts) {
        return publish(seat, stage(seat.submission(), checkpoint, parts));
    }

    Part cell(String day, String shop, long product, long lines, String net, @Nullable Double price) {
        ByteBuilder scratch = new ByteBuilder();
        RowLayout layout = new RowLayout(
                plan.target().columns().stream().map(JobPlan.ValueColumn::type).toList());
        layout.begin(scratch);
        layout.putFixed(scratch, 0, lines);
        layout.putDecimal(scratch, 1, new BigInteger(net.replace(".", "")));
        if (price != null) {
            layout.putFixed(scratch, 2, Double.doubleToLongBits(price));
        }
        return new Part.Cell(new CellTruth(day(day), key(shop, product), lines, 31 * lines + product, scratch.build()));
    }

    Part removed(String day, String shop, long product) {
        return new Part.Cell(new CellTruth(day(day), key(shop, product), 0, 0, null));
    }

    Bytes key(String shop, long product) {
        ByteBuilder scratch = new ByteBuilder();
        RowLayout layout = RowLayout.ofFields(plan.target().key());
        layout.begin(scratch);
        byte[] text = Bytes.utf8(shop).array();
        layout.putBytes(scratch, 0, text, 0, text.length);
        layout.putFixed(scratch, 1, product);
        return scratch.build();
    }

    Part late(String split, long offset, String day, String payload) {
        return new Part.Late(new LateChange(
                split,
                offset,
                Half.WHOLE,
                "r" + offset,
                false,
                day(day),
                key("late", offset),
                day(day) * DAY + 50_000_000_000L,
                day(day) * DAY + 9 * DAY,
                9,
                day(day) * DAY + 9 * DAY,
                day(day) + 7,
                LateReason.STATE_EXPIRED,
                payload));
    }

    static Part rejected(String split, long offset) {
        return new Part.Rejected(new RejectedChange(
                split, offset, Rejection.UNDECODABLE, "bad \0 \"byte\"", Bytes.of(new byte[] {0, -1, 10, 92}), 4));
    }

    /** Counts of changes of which none was superseded or split. */
    static Part judged(long applied, long late) {
        return new Part.Judged(new Tally(
                applied,
                0,
                late,
                0,
                applied + late == 0 ? -1 : 1234,
                0,
                List.of(new LatenessEntry(19_000, false, 0, 1247, applied + late, late, 1234))));
    }

    /** A cut of one log that counts from one offset to another, its frontier at noon (UTC) of a day. */
    static Part cut(long from, long to, String day) {
        return cut("", "t-0", from, to, day, 0);
    }

    static Part cut(String log, String split, long from, long to, String day, long rejected) {
        return new Part.Read(new Cut(
                to - from, rejected, List.of(new LogCut(log, split, to, split, from, day(day) * DAY + DAY / 2))));
    }

    static long day(String day) {
        return LocalDate.parse("2024-03-" + day).toEpochDay();
    }

    /** The target's rows, values and bookkeeping apart from clock times. */
    List<String> target() {
        return rows("select day, shop, product, lines, net, last_price, _revision, _members, _pane, _publication from "
                + table + " order by 1, 2, 3");
    }

    /** Everything that a publication leaves, apart from clock times and random ids. */
    List<String> everything() {
        List<String> all = new ArrayList<>(target());
        String job = " where job = '" + plan.job() + "' ";
        if (plan.target().revisions()) {
            all.addAll(rows("select day, shop, product, lines, net, _revision, _pane, _publication, _removed from "
                    + new TargetNames(plan).revisions() + " order by 1, 2, 3, 6"));
        }
        all.addAll(
                rows("select 'publication', publication, checkpoint, frontier_least, frontier_greatest, closed_before,"
                        + " ended_before, complete_from, records_read, applied, late, rejected, cells_replaced, cells_removed,"
                        + " partitions, positions, logs from tidemark.publications" + job + "order by 2"));
        all.addAll(rows("select 'partition', partition, cells, members, ended_by, closed_by, open_late"
                + " from tidemark.partitions" + job + "order by 2"));
        all.addAll(rows("select 'late', split, \"offset\", half, record_id, partition, key, payload, publication"
                + " from tidemark.late_ledger" + job + "order by 2, 3, 4"));
        all.addAll(rows("select 'rejected', split, \"offset\", reason, payload, publication"
                + " from tidemark.rejected_changes" + job + "order by 2, 3"));
        all.addAll(rows("select 'lateness', observed_day, arrival, age, bucket, changes, late, maximum"
                + " from tidemark.lateness" + job + "order by 2, 3, 4, 5"));
        all.addAll(
                rows("select 'removed', partition, key, revision from tidemark.removed_cells" + job + "order by 2, 3"));
        return all;
    }

    /** How many rows are still staged for the job. */
    long staged() {
        return number("select (select count(*) from " + new TargetNames(plan).staging() + ")"
                + " + (select count(*) from tidemark.staged_parts where job = '" + plan.job() + "')"
                + " + (select count(*) from tidemark.staged_late)"
                + " + (select count(*) from tidemark.staged_rejected)");
    }

    long number(String sql) {
        return Long.parseLong(rows(sql).get(0));
    }

    void execute(String sql) {
        try (Statement statement = analyst.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    List<String> rows(String sql) {
        try (Statement statement = analyst.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> result = new ArrayList<>();
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    values.add(rows.getString(i));
                }
                result.add(String.join("|", values.stream().map(String::valueOf).toList()));
            }
            return result;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws SQLException {
        analyst.close();
    }
}
