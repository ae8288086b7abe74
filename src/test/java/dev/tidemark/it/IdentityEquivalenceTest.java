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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    private static final List<Integer> EACH_DAY = List.of(1, 2, 3, 4, 5, 6, 7);

    @TempDir
    Path folder;

    @Test
    void sevenRunsOfADayEqualOneRunOverAllInLocalColumnsWhereEventsAreSpreadEvenly() throws Exception {
        assertThat(equivalent("uniform", new WebAnalytics(SCALE, DAYS, SEED, Shape.UNIFORM), EACH_DAY))
                .isEqualTo(IdentityJob.GLOBAL);
    }

    @Test
    void sevenRunsOfADayEqualOneRunOverAllInLocalColumnsWhereSessionsCrossMidnightAndEventsComeLate() throws Exception {
        assertThat(equivalent(
                        "dense",
                        new WebAnalytics(
                                SCALE, DAYS, SEED, Shape.DENSE, Set.of(Trouble.LATE_ARRIVALS, Trouble.REDELIVERIES)),
                        EACH_DAY))
                .isEqualTo(IdentityJob.GLOBAL);
    }

    @Test
    @Tag("long")
    @Timeout(1_800)
    void sixtyRunsOfADayEqualOneRunOverAllInLocalColumns() throws Exception {
        assertThat(equivalent(
                        "sixty",
                        new WebAnalytics(0.003, 60, SEED, Shape.DENSE, Set.of(Trouble.LATE_ARRIVALS)),
                        IntStream.rangeClosed(1, 60).boxed().toList()))
                .isNotEmpty();
    }

    @Test
    @Tag("long")
    @Timeout(1_800)
    void twelveRunsOfFiveDaysEqualOneRunOverAllInLocalColumns() throws Exception {
        assertThat(equivalent(
                        "twelve",
                        new WebAnalytics(0.003, 60, SEED + 1, Shape.DENSE),
                        IntStream.rangeClosed(1, 12).map(run -> 5 * run).boxed().toList()))
                .isNotEmpty();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    @Tag("long")
    @Timeout(1_800)
    void runsOfRandomLengthsEqualOneRunOverAllInLocalColumns(long seed) throws Exception {
        Random random = new Random(seed);
        assertThat(equivalent(
                        "random-" + seed,
                        new WebAnalytics(
                                0.003,
                                30,
                                seed,
                                random.nextBoolean() ? Shape.DENSE : Shape.UNIFORM,
                                Set.of(Trouble.LATE_ARRIVALS, Trouble.REDELIVERIES)),
                        IntStream.rangeClosed(1, 30)
                                .filter(day -> day == 30 || random.nextInt(3) == 0)
                                .boxed()
                                .toList()))
                .isNotEmpty();
    }

    /**
     * @param ends the last day of each run, from 1
     * @return the global columns that on some day are not as they are in the end
     */
    private List<String> equivalent(String name, WebAnalytics story, List<Integer> ends) throws Exception {
        List<Path> files = IdentityJob.files(IdentityJob.generate(story, folder.resolve("all-" + name)));
        IdentityJob whole = IdentityJob.create(name + "-whole", POSTGRES, folder.resolve(name + "-whole"));
        whole.deliver(files);
        whole.bounded().run();

        IdentityJob daily = IdentityJob.create(name + "-daily", POSTGRES, folder.resolve(name + "-daily"));
        String savepoint = null;
        for (int run = 0; run < ends.size(); run++) {
            int from = run == 0 ? 0 : ends.get(run - 1);
            // What comes late comes with the last.
            daily.deliver(files.subList(from, run == ends.size() - 1 ? files.size() : ends.get(run)));
            // The first begin from nothing, the others go on where the last one stopped.
            if (run < 3) {
                daily.bounded().run(1 + run % 2, WholeJob.AT_THE_END);
            } else {
                JobClient client = daily.watching().submit(1 + run % 2, Duration.ofMillis(100), savepoint);
                long delivered = daily.delivered();
                WholeJob.await(client, "run " + run, () -> daily.watching().recordsPublished() == delivered);
                savepoint = daily.watching().stop(client);
            }
        }

        Map<String, IdentityOracle.Row> expected = whole.expected();
        Map<String, Standing> atOnce = whole.standing();
        Map<String, Standing> byDay = daily.standing();
        assertThat(IdentityJob.rows(atOnce)).isEqualTo(expected);
        assertThat(byDay.keySet()).isEqualTo(atOnce.keySet());
        byDay.forEach((day, standing) -> assertThat(standing.row().local())
                .as(day)
                .isEqualTo(Objects.requireNonNull(expected.get(day)).local()));
        assertThat(IdentityJob.rows(byDay)).isEqualTo(IdentityJob.asOf(byDay, daily.expectedByPublication()));
        List<String> differing = new ArrayList<>();
        for (int column = 0; column < IdentityJob.GLOBAL.size(); column++) {
            int at = column;
            if (byDay.keySet().stream()
                    .anyMatch(day -> !global(byDay, day)
                            .get(at)
                            .equals(global(atOnce, day).get(at)))) {
                differing.add(IdentityJob.GLOBAL.get(column));
            }
        }
        String last = atOnce.keySet().stream().reduce((one, other) -> other).orElseThrow();
        assertThat(global(byDay, last)).isEqualTo(global(atOnce, last));
        expected.values().forEach(IdentityEquivalenceTest::holds);
        IdentityJob.rows(byDay).values().forEach(IdentityEquivalenceTest::holds);
        return differing;
    }

    private static List<Long> global(Map<String, Standing> rows, String day) {
        return Objects.requireNonNull(rows.get(day)).row().global();
    }

    private static void holds(IdentityOracle.Row row) {
        assertThat(row.identifiedRaw()).isLessThanOrEqualTo(row.identifiedForward());
        assertThat(row.identifiedForward()).isLessThanOrEqualTo(row.identifiedBackward());
        assertThat(row.identifiedBackward()).isEqualTo(row.identifiedConnected());
        assertThat(row.dauBackward()).isGreaterThanOrEqualTo(row.dauConnected());
    }
}
