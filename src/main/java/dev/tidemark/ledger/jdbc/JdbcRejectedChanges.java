package dev.tidemark.ledger.jdbc;

import static dev.tidemark.ledger.jdbc.Columns.instant;

import dev.tidemark.change.Bytes;
import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.ledger.Position;
import dev.tidemark.ledger.RejectedChanges;
import dev.tidemark.ledger.RejectedRow;
import dev.tidemark.ledger.RejectedSelection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The rejected changes of one job in {@code tidemark.rejected_changes}. A failure is not tried again. */
public final class JdbcRejectedChanges implements RejectedChanges {
    /** Few at a time: a payload can be 64 KiB. */
    private static final int FETCH_SIZE = 100;

    private final String job;

    private final Transactions transactions;

    public JdbcRejectedChanges(String job, Connections connections) {
        this.job = job;
        this.transactions =
                new Transactions(connections, Session.named("tidemark rejected " + job), Transactions.Repetition.NONE);
    }

    @Override
    public void read(RejectedSelection selection, long limit, Consumer<RejectedRow> rows) {
        Conditions conditions = conditions(selection);
        transactions.execute(
                "read the rejected changes of the job " + job,
                connection -> conditions.read(
                        connection, """
                    select r.split, r."offset", r.reason, r.error, r.payload, r.payload_length, r.publication, r.recorded_at
                    from tidemark.rejected_changes r
                    where %s
                    order by r.split desc, r."offset" desc
                    limit ?""".formatted(conditions.sql()), limit, FETCH_SIZE, row -> rows.accept(row(row))));
    }

    @Override
    public long count(RejectedSelection selection) {
        Conditions conditions = conditions(selection);
        return transactions.run(
                "count the rejected changes of the job " + job,
                connection -> conditions.count(connection, "tidemark.rejected_changes r", COUNT_LIMIT));
    }

    @Override
    public List<Sum> summary(RejectedSelection selection) {
        Conditions conditions = conditions(selection);
        return transactions.run("sum up the rejected changes of the job " + job, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select r.reason, count(*), count(distinct r.split), min(r.recorded_at), max(r.recorded_at)
                    from tidemark.rejected_changes r
                    where %s
                    group by r.reason
                    order by count(*) desc, r.reason""".formatted(conditions.sql()))) {
                conditions.set(statement, 1);
                List<Sum> sums = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        sums.add(new Sum(
                                row.getString(1), row.getLong(2), row.getLong(3), instant(row, 4), instant(row, 5)));
                    }
                }
                return sums;
            }
        });
    }

    @Override
    public void close() {
        transactions.close();
    }

    private Conditions conditions(RejectedSelection selection) {
        Position position = selection.position();
        return new Conditions()
                .add("r.job = ?", job)
                .add(
                        "r.reason = ?",
                        selection.reason() == null ? null : selection.reason().word())
                .add("r.split = ?", selection.split())
                .add("r.split = ?", position == null ? null : position.split())
                .add("r.\"offset\" = ?", position == null ? null : position.offset());
    }

    private static RejectedRow row(ResultSet row) throws SQLException {
        byte[] payload = row.getBytes(5);
        return new RejectedRow(
                row.getString(1),
                row.getLong(2),
                row.getString(3),
                row.getString(4),
                payload == null ? null : Bytes.of(payload),
                row.getLong(6),
                row.getLong(7),
                instant(row, 8));
    }
}
