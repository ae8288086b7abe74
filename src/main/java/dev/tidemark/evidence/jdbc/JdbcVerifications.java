package dev.tidemark.evidence.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.evidence.EvidenceException;
import dev.tidemark.evidence.PartitionCount;
import dev.tidemark.evidence.Verification;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps the verifications of one job in {@code tidemark.verifications}. */
public final class JdbcVerifications implements Verification.Store {
    private final String job;
    private final Transactions transactions;

    public JdbcVerifications(String job, Connections connections) {
        this.job = job;
        this.transactions =
                new Transactions(connections, Session.named("tidemark verify " + job), Transactions.Repetition.NONE);
    }

    @Override
    public void keep(Verification verification) {
        PartitionCount counts = verification.counts();
        try {
            transactions.execute("record the verification of the job " + job, connection -> {
                try (PreparedStatement statement = connection.prepareStatement("""
                        insert into tidemark.verifications
                            (job, publication, from_partition, to_partition, records, partitions, rows_equal, rows_missing,
                             rows_extra, rows_different, explained, beyond_memory, wrong, passed, started_at, finished_at)
                        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")) {
                    int at = 1;
                    statement.setString(at++, job);
                    statement.setLong(at++, verification.publication());
                    statement.setString(at++, verification.from());
                    statement.setString(at++, verification.to());
                    statement.setLong(at++, verification.records());
                    statement.setLong(at++, verification.partitions());
                    statement.setLong(at++, counts.equal());
                    statement.setLong(at++, counts.missing());
                    statement.setLong(at++, counts.extra());
                    statement.setLong(at++, counts.different());
                    statement.setLong(at++, counts.explained());
                    statement.setLong(at++, counts.beyondMemory());
                    statement.setLong(at++, counts.wrong());
                    statement.setBoolean(at++, verification.isPassed());
                    statement.setObject(at++, verification.startedAt().atOffset(ZoneOffset.UTC));
                    statement.setObject(at++, verification.finishedAt().atOffset(ZoneOffset.UTC));
                    statement.executeUpdate();
                }
            });
        } catch (DatabaseException failure) {
            throw new EvidenceException(failure.getMessage(), failure);
        }
    }

    @Override
    public @Nullable Verification last() {
        try {
            List<Verification> last = transactions.run("read the last verification of the job " + job, connection -> {
                try (PreparedStatement statement = connection.prepareStatement(
                        "select * from tidemark.verifications where job = ? order by verification desc limit 1")) {
                    statement.setString(1, job);
                    try (ResultSet row = statement.executeQuery()) {
                        return row.next() ? List.of(verification(row)) : List.of();
                    }
                }
            });
            return last.isEmpty() ? null : last.get(0);
        } catch (DatabaseException failure) {
            throw new EvidenceException(failure.getMessage(), failure);
        }
    }

    private static Verification verification(ResultSet row) throws SQLException {
        return new Verification(
                row.getLong("publication"),
                row.getString("from_partition"),
                row.getString("to_partition"),
                row.getLong("records"),
                row.getLong("partitions"),
                new PartitionCount(
                        "",
                        row.getLong("rows_equal"),
                        row.getLong("rows_missing"),
                        row.getLong("rows_extra"),
                        row.getLong("rows_different"),
                        row.getLong("explained"),
                        row.getLong("beyond_memory"),
                        row.getLong("wrong")),
                row.getObject("started_at", OffsetDateTime.class).toInstant(),
                row.getObject("finished_at", OffsetDateTime.class).toInstant());
    }

    @Override
    public void close() {
        transactions.close();
    }
}
