package dev.tidemark.reconcile.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.CopyText;
import dev.tidemark.database.Identifiers;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.job.Field;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.reconcile.Compared;
import dev.tidemark.reconcile.Comparison;
import dev.tidemark.reconcile.ControlException;
import dev.tidemark.reconcile.ControlLayout;
import dev.tidemark.reconcile.ControlRow;
import dev.tidemark.reconcile.ControlTotals;
import dev.tidemark.reconcile.Measure;
import dev.tidemark.reconcile.Variance;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Puts the control beside the target, in a temporary table of one transaction that sees one moment, and lets the database
 * join the two. So a control with a row for each of many million keys needs no memory here.
 */
public final class JdbcComparison implements Comparison {
    private static final String CONTROL = "pg_temp.tidemark_control";
    private static final int BATCH_BYTES = 1 << 20;
    private static final int FETCH_SIZE = 1_000;
    private static final int PROBLEMS_TOLD = 20;
    private static final Duration PATIENCE = Duration.ofDays(1);

    private final JobPlan plan;
    private final ControlLayout layout;
    private final List<Measure> measures;
    private final List<Field> keys;
    private final Transactions transactions;
    private @Nullable String from;
    private @Nullable String to;

    public JdbcComparison(JobPlan plan, ControlLayout layout, Connections connections) {
        this.plan = plan;
        this.layout = layout;
        this.measures = layout.measures();
        this.keys = layout.keys();
        Session session = new Session(
                "tidemark reconcile " + plan.job(),
                Duration.ofSeconds(30).toMillis(),
                PATIENCE.toMillis(),
                PATIENCE.toMillis());
        this.transactions = new Transactions(connections, session, Transactions.Repetition.NONE);
    }

    /** What is done on the open transaction. */
    private interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    /** The transaction stays open from the first call to {@link #close}, which rolls it back: all that is asked is of one moment. */
    private <T> T asking(String what, Work<T> work) {
        try {
            return work.run(transactions.current());
        } catch (SQLException failure) {
            throw Transactions.failed(what, failure);
        }
    }

    @Override
    public void load(ControlTotals control) {
        asking("take in the control totals", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("set transaction isolation level repeatable read");
                statement.execute("create temporary table tidemark_control (line bigint, p " + partitionType()
                        + each(
                                keys.size(),
                                i -> ", k" + i + " " + keys.get(i).type().sql() + collation(keys.get(i)))
                        + each(measures.size(), i -> ", v" + i + " numeric") + ") on commit drop");
            }
            List<String> problems = new ArrayList<>();
            Intake intake = new Intake(connection, control.lineWord(), problems);
            control.read(intake);
            intake.flush();
            repeated(connection, control.lineWord(), problems);
            if (intake.rows == 0 && problems.isEmpty()) {
                problems.add("there is no " + control.lineWord() + " behind the header");
            }
            if (!problems.isEmpty()) {
                throw ControlException.of(control.origin(), told(problems));
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("analyze " + CONTROL);
            }
            return true;
        });
    }

    private static List<String> told(List<String> problems) {
        if (problems.size() <= PROBLEMS_TOLD) {
            return problems;
        }
        List<String> told = new ArrayList<>(problems.subList(0, PROBLEMS_TOLD));
        told.add("and " + (problems.size() - PROBLEMS_TOLD) + " more");
        return told;
    }

    /** Brings the lines into the temporary table. */
    private final class Intake implements Consumer<ControlTotals.Line> {
        private final Connection connection;
        private final String lineWord;
        private final List<String> problems;
        private final CopyText text = new CopyText();
        private long rows;

        private Intake(Connection connection, String lineWord, List<String> problems) {
            this.connection = connection;
            this.lineWord = lineWord;
            this.problems = problems;
        }

        @Override
        public void accept(ControlTotals.Line line) {
            rows++;
            ControlRow row = layout.read(line, lineWord, problems::add);
            if (row == null) {
                return;
            }
            text.integer(row.line()).word(row.partition());
            row.key().forEach(text::text);
            row.values().forEach(value -> text.word(value.toPlainString()));
            text.endRow();
            if (text.size() > BATCH_BYTES) {
                flush();
            }
        }

        private void flush() {
            asking("take in the control totals", open -> {
                text.send(connection, "copy " + CONTROL + " from stdin");
                return true;
            });
            text.clear();
        }
    }

    private void repeated(Connection connection, String lineWord, List<String> problems) throws SQLException {
        String cell = "p" + each(keys.size(), i -> ", k" + i);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select line, first from (select line, min(line) over (partition by " + cell
                                + ") as first from " + CONTROL + ") r where line <> first order by line limit 1000")) {
            while (row.next()) {
                problems.add(lineWord + " " + row.getLong(1) + ": names the same "
                        + (keys.isEmpty() ? "partition" : "partition and key") + " as " + lineWord + " "
                        + row.getLong(2) + "; add them up" + (isWholeKey() ? "" : ", or give more key columns"));
            }
        }
    }

    @Override
    public @Nullable Long publication() {
        long last = asking("read the last publication", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "select coalesce(max(p.publication), 0) from tidemark.publications p where p.job = ?")) {
                statement.setString(1, plan.job());
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
        return last == 0 ? null : last;
    }

    @Override
    public List<Compared> partitions(@Nullable String fromPartition, @Nullable String toPartition) {
        from = fromPartition;
        to = toPartition;
        return asking("compare the control totals with the target", connection -> {
            Finality finality = finality(connection);
            List<Compared> partitions = new ArrayList<>();
            try (PreparedStatement statement =
                    connection.prepareStatement(joined() + " select p, count(*) filter (where "
                            + "line is not null), " + (isWholeKey() ? "coalesce(sum(n), 0)" : "count(n)")
                            + ", count(*) filter (where n is null), "
                            + (isWholeKey()
                                    ? "coalesce(sum(n - (line is not null)::int), 0)"
                                    : "count(*) filter (where line is null)")
                            + each(
                                    measures.size(),
                                    i ->
                                            ", sum(c%1$d), sum(t%1$d), sum(abs(c%1$d - t%1$d)), count(*) filter (where line is not null"
                                                            .formatted(i)
                                                    + " and n is not null and c%1$d <> t%1$d)".formatted(i))
                            + ", (select coalesce(max(b.open_late), 0) from tidemark.partitions b where b.job = ? and b.partition = "
                            + iso("j.p") + ") from j group by p order by p")) {
                setRange(statement);
                statement.setString(5, plan.job());
                statement.setFetchSize(FETCH_SIZE);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        partitions.add(compared(row, finality));
                    }
                }
            }
            return List.copyOf(partitions);
        });
    }

    private Compared compared(ResultSet row, Finality finality) throws SQLException {
        List<Variance> variances = new ArrayList<>();
        for (int i = 0; i < measures.size(); i++) {
            int at = 6 + 4 * i;
            variances.add(new Variance(
                    measures.get(i),
                    row.getBigDecimal(at),
                    row.getBigDecimal(at + 1),
                    row.getBigDecimal(at + 2),
                    row.getLong(at + 3)));
        }
        String partition = partition(row);
        return new Compared(
                partition,
                finality.isFinal(partition),
                row.getLong(6 + 4 * measures.size()),
                row.getLong(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                List.copyOf(variances));
    }

    @Override
    public void rows(long limit, Consumer<Row> rows) {
        if (keys.isEmpty()) {
            return;
        }
        asking("look for the rows that do not agree", connection -> {
            String differences = IntStream.range(0, measures.size())
                    .mapToObj("abs(c%1$d - t%1$d)"::formatted)
                    .collect(Collectors.joining(", "));
            try (PreparedStatement statement = connection.prepareStatement(joined() + " select p, line, coalesce(n, 0)"
                    + each(keys.size(), i -> ", k" + i + "::text") + each(measures.size(), i -> ", c" + i + ", t" + i)
                    + " from j where line is null or n is null"
                    + (isWholeKey() ? " or n > 1" : "")
                    + each(measures.size(), i -> " or c%1$d <> t%1$d".formatted(i))
                    + " order by greatest(" + differences + ") desc, p" + each(keys.size(), i -> ", k" + i)
                    + " limit ?")) {
                setRange(statement);
                statement.setLong(5, limit);
                statement.setFetchSize(FETCH_SIZE);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        rows.accept(row(row));
                    }
                }
            }
            return true;
        });
    }

    private Row row(ResultSet row) throws SQLException {
        row.getLong(2);
        boolean isInControl = !row.wasNull();
        long copies = row.getLong(3);
        List<String> key = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            key.add(row.getString(4 + i));
        }
        List<BigDecimal> control = new ArrayList<>();
        List<BigDecimal> target = new ArrayList<>();
        for (int i = 0; i < measures.size(); i++) {
            control.add(row.getBigDecimal(4 + keys.size() + 2 * i));
            target.add(row.getBigDecimal(5 + keys.size() + 2 * i));
        }
        Side side = !isInControl
                ? Side.ONLY_TARGET
                : copies == 0 ? Side.ONLY_CONTROL : isWholeKey() && copies > 1 ? Side.DOUBLED : Side.DIFFERENT;
        return new Row(partition(row), key, side, isInControl ? control : null, copies == 0 ? null : target, copies);
    }

    /** The two sides as {@code j}: partition, key, line of the control, rows of the target, values of both. */
    private String joined() {
        String type = partitionType();
        String partition = Identifiers.quoted(plan.partition().column());
        String range = " between coalesce(cast(? as " + type + "), (select min(p) from " + CONTROL
                + ")) and coalesce(cast(? as " + type + "), (select max(p) from " + CONTROL + "))";
        return "with c as (select * from " + CONTROL + " where p" + range + "), t as (select " + partition + " as p"
                + each(keys.size(), i -> ", " + column(keys.get(i)) + " as k" + i) + ", count(*) as n"
                + each(
                        measures.size(),
                        i -> ", coalesce(sum("
                                + Identifiers.quoted(measures.get(i).column()) + ")::numeric, 0) as v" + i)
                + " from "
                + Identifiers.quoted(plan.target().schema(), plan.target().table()) + " where " + partition
                + range + " group by 1" + each(keys.size(), i -> ", " + (i + 2))
                + "), j as (select coalesce(c.p, t.p) as p"
                + each(keys.size(), i -> ", coalesce(c.k%1$d, t.k%1$d) as k%1$d".formatted(i)) + ", c.line, t.n"
                + each(
                        measures.size(),
                        i -> ", coalesce(c.v%1$d, 0) as c%1$d, coalesce(t.v%1$d, 0) as t%1$d".formatted(i))
                + " from c full join t on c.p = t.p" + each(keys.size(), i -> " and c.k%1$d = t.k%1$d".formatted(i))
                + ")";
    }

    private void setRange(PreparedStatement statement) throws SQLException {
        statement.setString(1, from);
        statement.setString(2, to);
        statement.setString(3, from);
        statement.setString(4, to);
    }

    /** Which partitions the stream no longer changes; where nothing streams, all. */
    private record Finality(@Nullable String closedBefore, boolean isStreamed) {
        boolean isFinal(String partition) {
            return !isStreamed || (closedBefore != null && partition.compareTo(closedBefore) < 0);
        }
    }

    private Finality finality(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select p.closed_before from tidemark.publications p
                where p.job = ? and p.logs is not null order by p.publication desc limit 1""")) {
            statement.setString(1, plan.job());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? new Finality(row.getString(1), true) : new Finality(null, false);
            }
        }
    }

    private String partition(ResultSet row) throws SQLException {
        return plan.partition().grain() == Grain.HOUR
                ? row.getObject(1, OffsetDateTime.class).toInstant().toString()
                : row.getObject(1, LocalDate.class).toString();
    }

    private boolean isWholeKey() {
        return keys.size() == plan.target().key().size();
    }

    private String partitionType() {
        return plan.partition().grain() == Grain.HOUR ? "timestamp with time zone" : "date";
    }

    private String iso(String column) {
        return plan.partition().grain() == Grain.HOUR
                ? "to_char(" + column + " at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
                : "to_char(" + column + ", 'YYYY-MM-DD')";
    }

    /** A key column of the target: one of text may have a length and an order of its own. */
    private static String column(Field key) {
        String column = Identifiers.quoted(key.column());
        return collation(key).isEmpty() ? column : "cast(" + column + " as text)" + collation(key);
    }

    private static String collation(Field key) {
        return key.type().sql().equals("text") ? " collate \"C\"" : "";
    }

    private static String each(int count, IntFunction<String> text) {
        return IntStream.range(0, count).mapToObj(text).collect(Collectors.joining());
    }

    @Override
    public void close() {
        transactions.close();
    }
}
