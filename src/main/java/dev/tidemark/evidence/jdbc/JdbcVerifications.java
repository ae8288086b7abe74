package dev.tidemark.evidence.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.evidence.EvidenceException;
import dev.tidemark.evidence.PartitionCount;
import dev.tidemark.evidence.Verification;
import java.sql.PreparedStatement;
import java.time.ZoneOffset;

/** Keeps verifications in the warehouse. */
public final class JdbcVerifications implements Verification.Log {
    private final String job;
    private final Connections connections;

    public JdbcVerifications(String job, Connections connections) {
        this.job = job;
        this.connections = connections;
    }

    @Override
    public void keep(Verification verification) {
        PartitionCount counts = verification.counts();
        try (Transactions transactions = new Transactions(
                connections, Session.named("tidemark evidence " + job), Transactions.Repetition.NONE)) {
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
                    statement.setBoolean(at++, verification.passed());
                    statement.setObject(at++, verification.startedAt().atOffset(ZoneOffset.UTC));
                    statement.setObject(at++, verification.finishedAt().atOffset(ZoneOffset.UTC));
                    statement.executeUpdate();
                }
            });
        } catch (DatabaseException failure) {
            throw new EvidenceException(failure.getMessage(), failure);
        }
    }
}
