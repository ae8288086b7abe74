package dev.tidemark.it;

import static dev.tidemark.it.OrderLine.upsert;
import static dev.tidemark.kit.Plans.products;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.kit.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A job that watches its folder publishes what is renamed into place, for as long as it runs. */
@Timeout(180)
class WatchTest {
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

    private WholeJob job(String name) throws Exception {
        return WholeJob.watching(name, products().plan(), POSTGRES, folder);
    }

    private static OrderLine line(String id, int day) {
        return upsert(id, 1).atOnce("2026-09-0" + day + "T10:00:00Z");
    }

    @Test
    void filesRenamedIntoPlaceArePublishedUntilTheJobIsCancelled() throws Exception {
        WholeJob job = job("watched");
        JobClient run = job.submit(2, OFTEN);
        for (int day = 1; day <= 4; day++) {
            job.deliver(day + ".json", line("a" + day, day), line("b" + day, day));
            job.awaitPublished(run);
        }
        // Unfinished and hidden files are none.
        for (String name : List.of("5.json.tmp", ".5.json", "_5.json")) {
            Files.writeString(job.source().resolve(name), line("x", 5).json());
        }
        job.deliver("5/05.json", line("a5", 5));
        job.deliver("6.json", line("a6", 6));
        job.awaitPublished(run);
        assertThat(run.getJobStatus().get(60, TimeUnit.SECONDS)).isEqualTo(JobStatus.RUNNING);

        WholeJob.cancel(run);

        assertThat(run.getJobStatus().get(60, TimeUnit.SECONDS)).isEqualTo(JobStatus.CANCELED);
        assertThat(job.agrees()).hasSizeGreaterThanOrEqualTo(4);
        assertThat(job.rows("select count(*) from tidemark.skipped_files where job = 'watched'"))
                .containsExactly("0");
    }

    @Test
    void beneathARunningJobNothingIsWrongAndNothingIsMissingThoughItGoesOnPublishing() throws Exception {
        WholeJob job = job("busy");
        JobClient run = job.submit(2, OFTEN);
        for (int day = 1; day <= 3; day++) {
            job.deliver(day + ".json", line("a" + day, day), line("b" + day, day));
        }
        job.awaitPublished(run);

        Verifying.Found found = new Verifying(job.plan(), POSTGRES).run(null, 1, folder, () -> {
            job.deliver("4.json", line("a3", 3), line("b1", 4), line("c4", 4));
            job.awaitPublished(run);
        });

        WholeJob.cancel(run);
        assertThat(found.wrong()).isEmpty();
        assertThat(found.unmatched()).isEmpty();
        assertThat(found.sum().equal()).isEqualTo(3);
        assertThat(found.standpoint().publication())
                .isLessThan(
                        Long.parseLong(job.rows("select max(publication) from tidemark.publications where job = 'busy'")
                                .get(0)));
    }

    @Test
    void aFileThatSortsBeforeABegunOneIsSkippedAndListed() throws Exception {
        WholeJob job = job("skipping");
        job.deliver("5.json", line("a", 1));
        JobClient run = job.submit(2, OFTEN);
        job.awaitPublished(run);
        job.deliver("4.json", line("b", 1));
        job.disregard("4.json");
        String skipped = "select path from tidemark.skipped_files where job = 'skipping'";
        WholeJob.await(run, "4.json is listed", () -> job.rows(skipped).equals(List.of("4.json")));
        job.deliver("6.json", line("c", 2));
        job.awaitPublished(run);
        String savepoint = run.stopWithSavepoint(false, job.savepoints(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);

        JobClient restored = job.submit(1, OFTEN, savepoint);
        job.deliver("7.json", line("d", 2));
        job.awaitPublished(restored);
        WholeJob.cancel(restored);

        assertThat(job.rows(skipped)).containsExactly("4.json");
        job.agrees();
    }

    @Test
    void aBegunFileThatChangesStopsTheJobWithItsName() throws Exception {
        // Not started again: Flink may then tell of an event that the failed task missed, in the place of why it
        // failed.
        WholeJob job = job("changing").withRestarts(0);
        job.deliver("1.json", line("a", 1));
        job.deliver("2.json", line("b", 1));
        JobClient run = job.submit(2, OFTEN);
        job.awaitPublished(run);
        List<String> before = job.everything();

        Files.writeString(
                job.source().resolve("1.json"),
                line("c", 1).json() + "\n",
                StandardCharsets.UTF_8,
                StandardOpenOption.APPEND);

        assertThatThrownBy(() -> WholeJob.end(run))
                .hasStackTraceContaining("/source/1.json has changed since the job began to read it");
        assertThat(run.getJobStatus().get(60, TimeUnit.SECONDS)).isEqualTo(JobStatus.FAILED);
        assertThat(job.everything()).isEqualTo(before);
    }
}
