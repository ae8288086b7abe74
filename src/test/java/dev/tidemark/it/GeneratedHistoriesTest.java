package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.it.Published.Publication;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.KafkaBroker;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.Profile;
import dev.tidemark.kit.Profile.Layout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Generated histories through the whole job, on real parts, with random checkpoints, failures and parallelism: after each
 * publication everything that is visible agrees with the oracle at the publication's positions.
 *
 * <p>{@code -Dtidemark.histories=N} runs as many as one likes, {@code -Dtidemark.histories.first=SEED} begins elsewhere.
 */
class GeneratedHistoriesTest {
    private static final int HISTORIES = Integer.getInteger("tidemark.histories", 50);
    private static final int FIRST = Integer.getInteger("tidemark.histories.first", 0);

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final KafkaBroker KAFKA = new KafkaBroker();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(2)
            .setNumberSlotsPerTaskManager(2)
            .build());

    /** A log that is at its end is not waited for. */
    private static final Duration SOON = Duration.ofMillis(300);

    private static int publicationsSeen;

    @TempDir
    Path folder;

    static LongStream seeds() {
        return LongStream.range(FIRST, (long) FIRST + HISTORIES);
    }

    static LongStream fewSeeds() {
        return LongStream.range(FIRST, FIRST + Math.max(1, HISTORIES / 5));
    }

    static LongStream fewestSeeds() {
        return LongStream.range(FIRST, FIRST + Math.max(1, HISTORIES / 25));
    }

    static LongStream topicSeeds() {
        return LongStream.range(FIRST, FIRST + Math.max(1, HISTORIES / 12));
    }

    static LongStream fewestTopicSeeds() {
        return LongStream.range(FIRST, FIRST + Math.max(1, HISTORIES / 50));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyPublicationAgreesWithTheOracle(long seed) throws Exception {
        everyPublicationAgrees(seed, Histories.random(seed, profile(seed)));
    }

    /** Each folder is a log, unevenly far; some are empty. */
    @ParameterizedTest
    @MethodSource("fewSeeds")
    void overSeveralFoldersEveryPublicationAgreesWithTheOracle(long seed) throws Exception {
        everyPublicationAgrees(
                2_000_000 + seed,
                Histories.random(
                        2_000_000 + seed, Profile.several(Layout.FOLDERS).withRecords(40, 400)));
    }

    /** Logs go to other readers, and state to other subtasks: 4 to 2 to 4, each time from the newest checkpoint. */
    @ParameterizedTest
    @MethodSource("fewestSeeds")
    void rescaledInMidRunEveryPublicationAgreesWithTheOracle(long seed) throws Exception {
        History drawn = Histories.random(
                2_300_000 + seed, Profile.several(Layout.FOLDERS).withRecords(600, 600));
        WholeJob job = WholeJob.over("rescaled-" + seed, drawn, POSTGRES, folder);
        Mishaps.slow(job.plan().job(), 1);
        String checkpoint = null;
        for (int parallelism : List.of(4, 2)) {
            JobClient run = job.submit(parallelism, Duration.ofMillis(60), checkpoint);
            long some = job.recordsPublished() + 50;
            WholeJob.await(run, "more records published", () -> job.recordsPublished() >= some);
            WholeJob.cancel(run);
            checkpoint = job.newestCheckpoint(run);
        }
        WholeJob.end(job.submit(4, Duration.ofMillis(60), checkpoint));
        assertThat(job.agrees()).hasSizeGreaterThan(3);
        job.leavesNothingStaged();
    }

    /** Each partition is a log, unevenly far; some are empty. The broker's timestamps may be what is observed. */
    @ParameterizedTest
    @MethodSource("topicSeeds")
    void overATopicEveryPublicationAgreesWithTheOracle(long seed) throws Exception {
        History drawn = Histories.random(
                2_400_000 + seed, Profile.several(Layout.PARTITIONS).withRecords(40, 300));
        WholeJob job = topic("topic-" + seed, drawn).waitingFor(SOON);
        job.send(drawn, 0, 1);
        int records = drawn.records().size();
        Random random = new Random(seed);
        Mishaps.plan(job.plan().job(), seed, random.nextInt(4), 1 + random.nextInt(8));

        JobClient run = job.submit(1 + random.nextInt(4), interval(random));
        job.awaitPublished(run);
        WholeJob.cancel(run);

        List<Publication> publications = job.agrees();
        assertThat(publications).as(drawn.toString()).isNotEmpty();
        publicationsSeen += publications.size();

        // Promise 3: the same changes again, with other checkpoints, from nothing.
        Mishaps.slow(job.plan().job(), 1 + random.nextInt(30));
        JobClient again = job.submit(1 + random.nextInt(4), interval(random));
        WholeJob.await(
                again,
                records + " records and a checkpoint",
                () -> Mishaps.decoded(job.plan().job()) == records
                        && !job.checkpoints(again).isEmpty());
        job.stop(again);

        assertThat(job.agrees()).isEqualTo(publications);
        job.leavesNothingStaged();
    }

    /** Partitions go to other readers, and state to other subtasks: 4 to 2 to 4, each time from a savepoint. */
    @ParameterizedTest
    @MethodSource("fewestTopicSeeds")
    void rescaledInMidRunOverATopicEveryPublicationAgreesWithTheOracle(long seed) throws Exception {
        History drawn = Histories.random(
                2_500_000 + seed, Profile.several(Layout.PARTITIONS).withRecords(600, 600));
        WholeJob job = topic("rescaled-topic-" + seed, drawn);
        Mishaps.slow(job.plan().job(), 2);
        String savepoint = null;
        int part = 0;
        for (int parallelism : List.of(4, 2)) {
            JobClient run = job.submit(parallelism, Duration.ofMillis(60), savepoint);
            job.send(drawn, part++, 3);
            long some = job.leastDelivered();
            WholeJob.await(
                    run,
                    "more records published",
                    () -> job.recordsPublished() >= some
                            && !job.checkpoints(run).isEmpty());
            savepoint = job.stop(run);
        }
        job.send(drawn, part, 3);
        JobClient run = job.waitingFor(SOON).submit(4, Duration.ofMillis(60), savepoint);
        job.awaitPublished(run);
        job.stop(run);
        assertThat(job.agrees()).hasSizeGreaterThan(3);
        job.leavesNothingStaged();
    }

    private WholeJob topic(String name, History drawn) throws Exception {
        return WholeJob.reading(KAFKA, drawn.files().size(), Map.of(), name, drawn.plan(), POSTGRES, folder);
    }

    private void everyPublicationAgrees(long seed, History drawn) throws Exception {
        WholeJob job = WholeJob.over("history-" + seed, drawn, POSTGRES, folder);
        Random random = new Random(seed);
        Mishaps.plan(job.plan().job(), seed, random.nextInt(5), 1 + random.nextInt(8));

        job.run(1 + random.nextInt(4), interval(random));

        List<Publication> publications = job.agrees();
        job.leavesNothingStaged();
        assertThat(publications).as(drawn.toString()).isNotEmpty();
        publicationsSeen += publications.size();

        // Promise 3: the same changes again, with other checkpoints, from nothing.
        Mishaps.plan(job.plan().job(), -seed, random.nextInt(2), 1 + random.nextInt(30));
        job.run(1 + random.nextInt(4), interval(random));

        assertThat(job.agrees()).isEqualTo(publications);
        job.leavesNothingStaged();
    }

    private static Duration interval(Random random) {
        return Duration.ofMillis(10 + random.nextInt(60));
    }

    @AfterAll
    static void theRunsWereNotTooTame() {
        if (HISTORIES >= 40) {
            assertThat(publicationsSeen).as("publications").isGreaterThan(3 * HISTORIES);
            assertThat(Mishaps.happened())
                    .containsKeys(
                            "while reading",
                            "before staging",
                            "after staging",
                            "before the publication",
                            "after the commit, before the acknowledgement");
        }
    }

    private static Profile profile(long seed) {
        return (seed % 3 == 0 ? Profile.forgetful() : Profile.everything()).withRecords(40, 400);
    }
}
