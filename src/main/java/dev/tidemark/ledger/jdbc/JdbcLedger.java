package dev.tidemark.ledger.jdbc;

import static dev.tidemark.ledger.jdbc.Columns.instant;
import static dev.tidemark.ledger.jdbc.Columns.nullableInstant;
import static dev.tidemark.ledger.jdbc.Columns.nullableLong;

import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.ledger.Disposition;
import dev.tidemark.ledger.Ledger;
import dev.tidemark.ledger.LedgerRow;
import dev.tidemark.ledger.LedgerSelection;
import dev.tidemark.ledger.Position;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The ledger of one job in {@code tidemark.late_ledger}. A failure is not tried again: rows may have been handed over. */
public final class JdbcLedger implements Ledger {
    private static final int FETCH_SIZE = 1000;
    /** In the order of the index of open rows. */
    private static final String ORDER = "order by l.partition desc, l.split, l.\"offset\", l.half";

    private final String job;
    private final Transactions transactions;

    public JdbcLedger(String job, Connections connections) {
        this.job = job;
        this.transactions =
                new Transactions(connections, Session.named("tidemark ledger " + job), Transactions.Repetition.NONE);
    }

    @Override
    public void read(LedgerSelection selection, long limit, Consumer<LedgerRow> rows) {
        Conditions conditions = conditions(selection);
        transactions.execute(
                "read the ledger of the job " + job,
                connection -> conditions.read(
                        connection,
                        """
                    select l.split, l."offset", l.half, l.record_id, l.op, l.partition, l.key, l.event_time, l.observed_at,
                           l.lateness_ms, l.age, l.frontier, l.open_from, l.reason, l.withheld, l.payload, l.publication,
                           l.recorded_at, l.status, l.resolved_by, l.resolved_at, l.note
                    from tidemark.late_ledger l
                    where %s
                    %s
                    limit ?""".formatted(conditions.sql(), ORDER),
                        limit,
                        FETCH_SIZE,
                        row -> rows.accept(row(row))));
    }

    @Override
    public long count(LedgerSelection selection) {
        Conditions conditions = conditions(selection);
        return transactions.run(
                "count the ledger of the job " + job,
                connection -> conditions.count(connection, "tidemark.late_ledger l", COUNT_LIMIT));
    }

    @Override
    public List<Sum> summary(LedgerSelection selection) {
        Conditions conditions = conditions(selection);
        return transactions.run("sum up the ledger of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select l.partition, l.reason, count(*), max(l.lateness_ms), min(l.recorded_at), max(l.recorded_at)
                    from tidemark.late_ledger l
                    where %s
                    group by l.partition, l.reason
                    order by l.partition desc, l.reason""".formatted(conditions.sql()))) {
                conditions.set(statement, 1);
                List<Sum> sums = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        sums.add(new Sum(
                                row.getString(1),
                                row.getString(2),
                                row.getLong(3),
                                nullableLong(row, 4),
                                instant(row, 5),
                                instant(row, 6)));
                    }
                }
                return sums;
            }
        });
    }

    @Override
    public long dismiss(LedgerSelection selection, String note, Instant at) {
        Conditions conditions = conditions(selection.with(Disposition.OPEN));
        return transactions.run("dismiss ledger rows of the job " + job, connection -> {
            lockJob(connection);
            try (PreparedStatement statement = connection.prepareStatement("""
                    with dismissed as (
                        update tidemark.late_ledger l set status = 'dismissed', resolved_at = ?, note = ?
                        where %s
                        returning l.partition
                    ), sums as (
                        select partition, count(*) as rows from dismissed group by partition
                    ), counted as (
                        update tidemark.partitions p set open_late = p.open_late - sums.rows
                        from sums where p.job = ? and p.partition = sums.partition
                    )
                    select coalesce(sum(rows), 0) from sums""".formatted(conditions.sql()))) {
                statement.setObject(1, at.atOffset(ZoneOffset.UTC));
                statement.setString(2, note);
                statement.setString(conditions.set(statement, 3), job);
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

    /** A publication counts open rows under the same lock. */
    private void lockJob(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select 1 from tidemark.jobs where job = ? for update")) {
            statement.setString(1, job);
            statement.execute();
        }
    }

    private Conditions conditions(LedgerSelection selection) {
        Conditions conditions = new Conditions().add("l.job = ?", job);
        // In words of the statement, not as a parameter: so the index of open rows is used.
        Disposition status = selection.status();
        if (status != null) {
            conditions.addPlain("l.status = '" + status.word() + "'");
        }
        Duration latenessOver = selection.latenessOver();
        Position position = selection.position();
        return conditions
                .add(
                        "l.reason = ?",
                        selection.reason() == null ? null : selection.reason().word())
                .add("l.partition >= ?", selection.fromPartition())
                .add("l.partition <= ?", selection.toPartition())
                .add(keyCondition(selection.key()), selection.key())
                .add("l.record_id = ?", selection.recordId())
                .add("l.lateness_ms > ?", latenessOver == null ? null : latenessOver.toMillis())
                .add("l.split = ?", position == null ? null : position.split())
                .add("l.\"offset\" = ?", position == null ? null : position.offset());
    }

    private static String keyCondition(@Nullable String key) {
        return key != null && key.stripLeading().startsWith("{")
                ? "l.key @> cast(? as jsonb)"
                : "exists (select 1 from jsonb_each_text(l.key) part where part.value = ?)";
    }

    private static LedgerRow row(ResultSet row) throws SQLException {
        return new LedgerRow(
                row.getString(1),
                row.getLong(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                nullableInstant(row, 8),
                nullableInstant(row, 9),
                nullableLong(row, 10),
                nullableLong(row, 11),
                nullableInstant(row, 12),
                row.getString(13),
                row.getString(14),
                row.getBoolean(15),
                row.getString(16),
                row.getLong(17),
                instant(row, 18),
                row.getString(19),
                nullableLong(row, 20),
                nullableInstant(row, 21),
                row.getString(22));
    }
}
