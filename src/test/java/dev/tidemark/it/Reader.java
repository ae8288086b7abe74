package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.it.Published.Publication;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.Snapshot.TargetRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Reads all that is visible again and again while the job publishes, each time in one snapshot of the database. */
final class Reader implements AutoCloseable {
    private final PostgresServer postgres;
    private final JobPlan plan;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Future<List<Sight>> sights;
    private volatile boolean enough;

    Reader(PostgresServer postgres, JobPlan plan) {
        this.postgres = postgres;
        this.plan = plan;
        this.sights = thread.submit((Callable<List<Sight>>) this::read);
    }

    /** What was visible at one moment; {@code publication} is the last one, 0 if there was none. */
    private record Sight(long publication, List<TargetRow> target, List<String> ledger, long members) {}

    private List<Sight> read() throws SQLException {
        List<Sight> seen = new ArrayList<>();
        try (Connection analyst = postgres.connect()) {
            analyst.setAutoCommit(false);
            analyst.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            Published published = new Published(analyst, plan);
            while (!enough) {
                List<TargetRow> target = published.target();
                List<Publication> publications = published.publications();
                long members = published.partitions().values().stream()
                        .mapToLong(sizes -> Long.parseLong(sizes.substring(sizes.indexOf(' ') + 1)))
                        .sum();
                seen.add(new Sight(
                        publications.isEmpty()
                                ? 0
                                : publications.get(publications.size() - 1).number(),
                        target,
                        published.ledgerAt(Long.MAX_VALUE),
                        members));
                analyst.commit();
            }
        }
        return seen;
    }

    /**
     * Ends reading and asserts that each snapshot was exactly what one publication had made.
     *
     * @return how many different publications were seen
     */
    long sawOnlyWholePublications() throws Exception {
        enough = true;
        List<Sight> all;
        try {
            all = sights.get();
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure.getCause());
        }
        try (Connection analyst = postgres.connect()) {
            Published published = new Published(analyst, plan);
            for (Sight sight : all) {
                String where = "what was visible after publication " + sight.publication();
                assertThat(sight.target()).as(where).isEqualTo(published.targetAt(sight.publication()));
                assertThat(sight.ledger()).as(where).isEqualTo(published.ledgerAt(sight.publication()));
                assertThat(sight.members())
                        .as(where)
                        .isEqualTo(sight.target().stream()
                                .mapToLong(TargetRow::members)
                                .sum());
            }
        }
        return all.stream().mapToLong(Sight::publication).distinct().count();
    }

    @Override
    public void close() {
        enough = true;
        thread.shutdownNow();
    }
}
