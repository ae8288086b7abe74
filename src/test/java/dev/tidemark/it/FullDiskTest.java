package dev.tidemark.it;

import static dev.tidemark.it.OrderLine.upsert;
import static dev.tidemark.kit.Plans.products;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.kit.FillingDisk;
import dev.tidemark.kit.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A disk for checkpoints that is full: nothing is published, nothing is lost. */
@Timeout(300)
class FullDiskTest {
    private static final Duration OFTEN = Duration.ofMillis(50);

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    @TempDir
    Path folder;

    @Test
    void theJobGoesOnFromItsLastCheckpointWhenThereIsRoomAgain() throws Exception {
        WholeJob job = job("filling").withRestarts(100_000);
        job.deliver("1.json", upsert("a", 1).atOnce("2026-09-01T10:00:00Z"));
        JobClient run = job.submit(2, OFTEN);
        job.awaitPublished(run);
        FillingDisk.fill(folder);
        String before = job.rows("select attempt from tidemark.jobs where job = 'filling'")
                .get(0);
        job.deliver("2.json", upsert("b", 1).atOnce("2026-09-02T10:00:00Z"));
        WholeJob.await(
                run,
                "a restart",
                () -> !job.rows("select attempt from tidemark.jobs where job = 'filling'")
                        .get(0)
                        .equals(before));
        assertThat(job.recordsPublished()).isEqualTo(1);

        FillingDisk.empty(folder);

        job.awaitPublished(run);
        WholeJob.cancel(run);
        job.agrees();
    }

    @Test
    void aJobThatFindsNoRoomForLongEndsWithTheReasonAndTheTargetUntouched() throws Exception {
        WholeJob job = job("full").withRestarts(1);
        job.deliver("1.json", upsert("a", 1).atOnce("2026-09-01T10:00:00Z"));
        FillingDisk.fill(folder);

        JobClient run = job.submit(2, OFTEN);

        assertThatThrownBy(() -> WholeJob.end(run)).hasStackTraceContaining("No space left on device");
        assertThat(job.recordsPublished()).isZero();
        assertThat(job.targetRows("*")).isEmpty();
    }

    private WholeJob job(String name) throws Exception {
        return WholeJob.watching(name, products().plan(), POSTGRES, folder)
                .withCheckpointsIn(FillingDisk.address(folder));
    }
}
