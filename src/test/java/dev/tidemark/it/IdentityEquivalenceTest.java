package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.generate.WebAnalytics;
import dev.tidemark.generate.WebAnalytics.Shape;
import dev.tidemark.generate.WebAnalytics.Trouble;
import dev.tidemark.it.IdentityJob.Standing;
import dev.tidemark.kit.IdentityOracle;
import dev.tidemark.kit.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * One run over all days against seven runs of a day each: local columns are equal in every partition; global columns are as
 * of the run that wrote the row, which is not what they are in the end.
 */
@Timeout(300)
class IdentityEquivalenceTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    private static final int DAYS = 7;
    private static final double SCALE = 0.01;
    private static final long SEED = 20260319;

    @TempDir
    Path folder;

    @Test
    void sevenRunsOfADayEqualOneRunOverAllInLocalColumnsWhereEventsAreSpreadEvenly() throws Exception {
        equivalent("uniform", new WebAnalytics(SCALE, DAYS, SEED, Shape.UNIFORM));
    }

    @Test
    void sevenRunsOfADayEqualOneRunOverAllInLocalColumnsWhereSessionsCrossMidnightAndEventsComeLate() throws Exception {
        equivalent(
                "dense",
                new WebAnalytics(SCALE, DAYS, SEED, Shape.DENSE, Set.of(Trouble.LATE_ARRIVALS, Trouble.REDELIVERIES)));
    }

    private void equivalent(String name, WebAnalytics story) throws Exception {
        List<Path> files = IdentityJob.files(IdentityJob.generate(story, folder.resolve("all-" + name)));
        IdentityJob whole = IdentityJob.create(name + "-whole", POSTGRES, folder.resolve(name + "-whole"));
        whole.deliver(files);
        whole.bounded().run();

        IdentityJob daily = IdentityJob.create(name + "-daily", POSTGRES, folder.resolve(name + "-daily"));
        String savepoint = null;
        for (int day = 0; day < DAYS; day++) {
            daily.deliver(day == DAYS - 1 ? files.subList(day, files.size()) : files.subList(day, day + 1));
            // The first days by runs that begin from nothing, the others by runs that go on where the last one stopped.
            if (day < 3) {
                daily.bounded().run(1 + day % 2, WholeJob.AT_THE_END);
            } else {
                JobClient run = daily.watching().submit(1 + day % 2, Duration.ofMillis(100), savepoint);
                long delivered = daily.delivered();
                WholeJob.await(run, "day " + day, () -> daily.watching().recordsPublished() == delivered);
                savepoint = daily.watching().stop(run);
            }
        }

        Map<String, IdentityOracle.Row> expected = whole.expected();
        Map<String, Standing> atOnce = whole.standing();
        Map<String, Standing> byDay = daily.standing();
        assertThat(IdentityJob.rows(atOnce)).isEqualTo(expected);
        assertThat(byDay.keySet()).isEqualTo(atOnce.keySet());
        byDay.forEach((day, standing) -> assertThat(standing.row().local())
                .as(day)
                .isEqualTo(expected.get(day).local()));
        assertThat(IdentityJob.rows(byDay)).isEqualTo(IdentityJob.asOf(byDay, daily.expectedByPublication()));
        for (int column = 0; column < IdentityJob.GLOBAL.size(); column++) {
            int at = column;
            assertThat(byDay.keySet().stream()
                            .filter(day -> !byDay.get(day)
                                    .row()
                                    .global()
                                    .get(at)
                                    .equals(atOnce.get(day).row().global().get(at))))
                    .as("days on which %s is not as it is in the end", IdentityJob.GLOBAL.get(column))
                    .isNotEmpty();
        }
        String last = atOnce.keySet().stream().reduce((one, other) -> other).orElseThrow();
        assertThat(byDay.get(last).row()).isEqualTo(atOnce.get(last).row());
        expected.values().forEach(IdentityEquivalenceTest::holds);
        IdentityJob.rows(byDay).values().forEach(IdentityEquivalenceTest::holds);
    }

    private static void holds(IdentityOracle.Row row) {
        assertThat(row.identifiedRaw()).isLessThanOrEqualTo(row.identifiedForward());
        assertThat(row.identifiedForward()).isLessThanOrEqualTo(row.identifiedBackward());
        assertThat(row.identifiedBackward()).isEqualTo(row.identifiedConnected());
        assertThat(row.dauBackward()).isGreaterThanOrEqualTo(row.dauConnected());
    }
}
