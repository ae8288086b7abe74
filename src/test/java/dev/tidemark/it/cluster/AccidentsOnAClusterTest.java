package dev.tidemark.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.kit.DealtHistory;
import dev.tidemark.kit.Profile;
import dev.tidemark.kit.Profile.Layout;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A job that reads a topic while it is being written, and everything that can happen to the processes around it. */
@Tag("cluster")
@Timeout(900)
class AccidentsOnAClusterTest {
    private static final int PARTITIONS = 5;

    @RegisterExtension
    static final LocalCluster CLUSTER = LocalCluster.shared();

    private static DealtHistory history(long seed, int records) {
        DealtHistory history = DealtHistory.random(
                seed,
                new Profile("live", records, records, Mode.UPSERT, Grain.DAY, true, false, false, Layout.SOURCE, false),
                PARTITIONS);
        System.out.println(history + ": " + history.deliveries().size() + " records");
        return history;
    }

    @Test
    void theTargetEqualsTheOracleWhateverHappensToTheProcesses() throws Exception {
        long seed = 4_000_001;
        Random random = new Random(seed);
        ClusterJob job = ClusterJob.over(history(seed, 4000), "accidents", CLUSTER);
        String id = job.submit("--parallelism", "2");
        try (ClusterJob.Live live = job.live(2, Duration.ofMillis(150))) {
            job.awaitMore(id, 50);

            // A TaskManager is lost; another takes its work.
            int lost = job.publishingTaskManager(id);
            CLUSTER.killTaskManager(lost);
            job.awaitMore(id, 50);
            CLUSTER.startTaskManager(lost);
            assertThat(job.restored(id)).isPositive();

            // A savepoint, and another parallelism.
            String savepoint = job.stop(id);
            id = job.restore(savepoint, "--parallelism", "3");
            job.awaitMore(id, 50);

            // The JobManager is lost, and with it all that it knew of jobs.
            CLUSTER.killJobManager();
            CLUSTER.startJobManager(2);
            id = job.restore(CLUSTER.newestCheckpoint(id), "--parallelism", "2");
            job.awaitMore(id, 50);

            // The database is lost, and comes back.
            CLUSTER.killPostgres();
            Thread.sleep(20_000);
            CLUSTER.startPostgres();
            job.awaitMore(id, 50);

            // Its administrator ends sessions.
            for (int i = 0; i < 12; i++) {
                CLUSTER.terminateSessions(job.database(), 1 + random.nextInt(3));
                Thread.sleep(random.nextInt(700));
            }
            job.awaitMore(id, 50);

            // A TaskManager falls silent and is replaced; then it goes on where it was.
            int silent = job.publishingTaskManager(id);
            String name = CLUSTER.taskManagerName(silent);
            CLUSTER.holdTaskManager(silent);
            LocalCluster.await(
                    name + " to be given up", () -> !CLUSTER.taskManagers().contains(name));
            job.awaitMore(id, 50);
            CLUSTER.releaseTaskManager(silent);
            LocalCluster.await(
                    name + " to come back", () -> CLUSTER.taskManagers().contains(name));
            job.awaitMore(id, 50);
        }
        job.awaitPublished(id);
        job.stop(id);

        assertThat(job.agrees()).hasSizeGreaterThan(20);
        assertThat(job.rows("select count(*) from tidemark.publications where records_read"
                        + " <> applied + superseded + late + split + rejected"))
                .containsExactly("0");
        assertThat(job.rows("select epoch from tidemark.jobs")).containsExactly("3");
        job.leavesNothing();
    }

    @Test
    void aRestoreFromAnOlderSavepointCatchesUpAndChangesNothingTwice() throws Exception {
        ClusterJob job = ClusterJob.over(history(4_000_002, 1200), "older-savepoint", CLUSTER);
        String id = job.submit("--parallelism", "2");
        job.send(300);
        job.awaitPublished(id);
        String older = job.savepoint(id);
        job.send(500);
        job.awaitPublished(id);
        job.stop(id);
        List<String> before = job.everything();

        String again = job.restore(older, "--parallelism", "3");
        LocalCluster.await("checkpoints", () -> job.checkpoints(again) >= 5);
        assertThat(job.everything()).isEqualTo(before);
        job.sendTheRest();
        job.awaitPublished(again);
        job.stop(again);

        job.agrees();
        job.leavesNothing();
    }

    @Test
    void ofTwoSubmissionsTheNewerGoesOnAndTheOlderEndsForGood() throws Exception {
        ClusterJob job = ClusterJob.over(history(4_000_003, 1200), "submitted-twice", CLUSTER);
        String older = job.submit("--parallelism", "1");
        String newer;
        try (ClusterJob.Live live = job.live(2, Duration.ofMillis(150))) {
            job.awaitMore(older, 20);
            newer = job.submit("--parallelism", "1", "--checkpoint-interval", "700ms");
            LocalCluster.await("the end of the older", () -> job.state(older).equals("FAILED"));
            job.awaitMore(newer, 20);
        }
        job.awaitPublished(newer);

        assertThat(job.failure(older)).contains("has taken over from the submission");
        assertThat(job.wasRestarted(older)).isFalse();
        assertThat(job.wasRestarted(newer)).isFalse();
        assertThat(job.rows("select epoch, flink_job_id from tidemark.jobs")).containsExactly("2 " + newer);
        // What the cluster says counts where the submission says nothing.
        assertThat(job.checkpointInterval(older)).isEqualTo(Duration.ofSeconds(1));
        assertThat(job.checkpointInterval(newer)).isEqualTo(Duration.ofMillis(700));
        job.stop(newer);
        job.agrees();
        job.leavesNothing();
    }
}
