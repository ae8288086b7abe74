package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.evidence.Difference;
import dev.tidemark.it.IdentityJob.Standing;
import dev.tidemark.kit.IdentityOracle;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.PartitionSpan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that are corrected and withdrawn, while the job fails now and then, begins again from nothing, and is rebuilt. */
@Timeout(300)
class IdentityAccidentsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    private static final int LOOKBACK = 1;

    @TempDir
    Path folder;

    /** @param more changes of the job file, as {@link IdentityJob#create} takes them */
    private IdentityJob job(String name, String... more) throws Exception {
        Path place = Files.createDirectories(folder.resolve(name));
        Path schema = Files.writeString(place.resolve("web-event.avsc"), WebChanges.SCHEMA);
        List<String> changes = new ArrayList<>(List.of(
                Path.of("schemas").toAbsolutePath() + "/web-event.avsc",
                schema.toString(),
                "  mode: append\n  id: [event_id]",
                "  mode: upsert\n  id: [event_id]\n  delete: op = 'd'",
                "lookback: { partitions: 3, because: \"of the generated events one in twenty comes three days late\" }",
                "lookback: " + LOOKBACK + "\n  retain: " + LOOKBACK));
        changes.addAll(List.of(more));
        return IdentityJob.create(name, POSTGRES, place, changes.toArray(String[]::new));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2})
    void everyRowIsAsOfItsPublicationWhateverHappensToTheJob(long seed) throws Exception {
        IdentityJob job = job("accidents-" + seed);
        job.deliver(new WebChanges(seed, LOOKBACK).write(folder.resolve("all-" + seed), 8, 60));
        Mishaps.plan(job.bounded().plan().job(), seed, 6, 12);
        job.bounded().run(2, Duration.ofMillis(60));

        Map<String, Standing> standing = job.standing();
        assertThat(IdentityJob.rows(standing)).isEqualTo(IdentityJob.asOf(standing, job.expectedByPublication()));
        standing.forEach((day, row) -> assertThat(row.row().local())
                .as(day)
                .isEqualTo(Objects.requireNonNull(expected(job).get(day)).local()));
        assertThat(job.missed()).isNotEmpty();
        assertThat(job.bounded()
                        .rows("select split, \"offset\", key, withheld, status from tidemark.late_ledger where job = '"
                                + job.bounded().plan().job()
                                + "' and half = 'neighbour' order by split collate \"C\", \"offset\""))
                .isEqualTo(
                        job.missed().stream().map(place -> place + " {} f open").toList());

        assertVerified(job);

        // From nothing, over the same files, at another parallelism.
        List<String> before = job.bounded().everything();
        job.bounded().run(1, Duration.ofMillis(60));
        assertThat(job.bounded().everything()).isEqualTo(before);

        new Rebuilding(job.bounded(), POSTGRES).run(PartitionSpan.ALL);
        assertThat(IdentityJob.rows(job.standing())).isEqualTo(job.recomputed());
        assertVerified(job);
    }

    /** By the way of the command {@code verify}, which shares nothing with the oracle either. */
    private void assertVerified(IdentityJob job) throws Exception {
        Verifying.Found found = new Verifying(job.bounded().plan(), POSTGRES).run(null, 2, folder);
        assertThat(found.wrong()).isEmpty();
        assertThat(found.apart().differences())
                .filteredOn(difference -> difference.verdict() == Difference.Verdict.WRONG)
                .isEmpty();
        assertThat(found.apart().unknown()).isZero();
        assertThat(found.apart().equal()).isGreaterThan(5);
    }

    @Test
    void aRetroactiveJobKeepsOpenDaysAsTheyAreKnownAndLeavesClosedOnes() throws Exception {
        IdentityJob job = job(
                "retroactive",
                "  key: []",
                "  key: []\n  retroactive: true",
                "lookback: 1\n  retain: 1",
                "lookback: 2\n  retain: 2");
        List<Path> files = new WebChanges(3, 2).write(folder.resolve("all-retroactive"), 6, 60);
        for (int day = 0; day < files.size(); day++) {
            List<String> closed = job.bounded().publications("closed_before");
            String before = closed.isEmpty() ? "" : closed.get(closed.size() - 1);
            List<String> stood = rowsBefore(job, before);
            job.deliver(files.subList(day, day + 1));
            job.bounded().run(2, Duration.ofMillis(60));

            assertThat(rowsBefore(job, before))
                    .as("closed days after day %s", day)
                    .isEqualTo(stood);
            Map<String, IdentityOracle.Row> expected = job.expected();
            job.standing().forEach((date, standing) -> {
                if (date.compareTo(before) >= 0) {
                    assertThat(standing.row().local())
                            .as(date)
                            .isEqualTo(
                                    Objects.requireNonNull(expected.get(date)).local());
                }
            });
            String open = job.bounded().publications("closed_before").stream()
                    .reduce((one, other) -> other)
                    .orElseThrow();
            job.standing().forEach((date, standing) -> {
                if (date.compareTo(open) >= 0) {
                    assertThat(standing.row()).as("open day %s", date).isEqualTo(expected.get(date));
                }
            });
        }
        Map<String, Standing> standing = job.standing();
        assertThat(IdentityJob.rows(standing)).isEqualTo(IdentityJob.asOf(standing, job.expectedByPublication()));
    }

    private static List<String> rowsBefore(IdentityJob job, String day) throws Exception {
        return job.bounded()
                .rows("select * from " + job.bounded().target() + " where day < '"
                        + (day.isEmpty() ? "0001-01-01" : day) + "' order by day");
    }

    private static Map<String, IdentityOracle.Row> expected(IdentityJob job) {
        try {
            return job.expected();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
