package dev.tidemark.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.kit.DealtHistory;
import dev.tidemark.kit.Profile;
import dev.tidemark.kit.Profile.Layout;
import java.time.Duration;
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
        ClusterJob job = ClusterJob.over(history(4_000_001, 6000), "accidents", CLUSTER);
        String id = job.submit("--parallelism", "2");
        try (ClusterJob.Live live = job.live(4, Duration.ofMillis(100))) {
            job.awaitMore(id, 50);

            CLUSTER.killTaskManager(1);
            job.awaitMore(id, 50);
            CLUSTER.startTaskManager(1);

            String savepoint = job.stop(id);
            id = job.restore(savepoint, "--parallelism", "3");
            job.awaitMore(id, 50);
        }
        job.awaitPublished(id);
        assertThat(job.restored(id)).isEqualTo(1);
        job.stop(id);
        assertThat(job.agrees()).hasSizeGreaterThan(5);
        job.leavesNothing();
    }
}
