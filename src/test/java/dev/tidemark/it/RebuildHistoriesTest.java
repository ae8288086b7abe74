package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.Profile;
import dev.tidemark.kit.Profile.Layout;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuilds;
import dev.tidemark.publish.Standing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** After the stream has run over a generated history, a rebuild makes of closed partitions what a recomputation would. */
@Timeout(600)
class RebuildHistoriesTest {
    private static final int HISTORIES = Integer.getInteger("tidemark.histories", 50);
    private static final int FIRST = Integer.getInteger("tidemark.histories.first", 0);

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    private static long incorporated;
    private static long written;

    @TempDir
    Path folder;

    static LongStream seeds() {
        return LongStream.range(FIRST, FIRST + Math.max(2, HISTORIES / 4));
    }

    static LongStream fewSeeds() {
        return LongStream.range(FIRST, FIRST + Math.max(1, HISTORIES / 12));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void closedPartitionsAreWhatARecomputationMakesOfThem(long seed) throws Exception {
        rebuildsClosedPartitions("closed-" + seed, seed, Histories.random(4_000_000 + seed, profile(seed)));
    }

    @ParameterizedTest
    @MethodSource("fewSeeds")
    void overSeveralFoldersToo(long seed) throws Exception {
        rebuildsClosedPartitions(
                "folders-" + seed,
                seed,
                Histories.random(
                        4_100_000 + seed, Profile.several(Layout.FOLDERS).withRecords(40, 300)));
    }

    @ParameterizedTest
    @MethodSource("fewSeeds")
    void whereNothingStreamsAllIsWhatARecomputationMakesOfIt(long seed) throws Exception {
        History drawn = Histories.random(4_200_000 + seed, profile(seed));
        WholeJob job = WholeJob.over("alone-" + seed, drawn, POSTGRES, folder);
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);

        PartitionSpan span = new PartitionSpan(rebuilding.wholeFrom(), PartitionSpan.END);

        rebuilding.run(span);

        rebuilding.equalsRecomputation(span);
        assertThat(job.rows(
                        "select coalesce(sum(cells), 0), coalesce(sum(members), 0) from tidemark.partitions where job = '"
                                + job.plan().job() + "'"))
                .isEqualTo(job.rows("select count(*), coalesce(sum(_members), 0) from " + job.target()));
        job.leavesNothingStaged();
    }

    private void rebuildsClosedPartitions(String name, long seed, History drawn) throws Exception {
        WholeJob job = WholeJob.over(name, drawn, POSTGRES, folder);
        Random random = new Random(seed);
        job.run(1 + random.nextInt(3), Duration.ofMillis(20 + random.nextInt(60)));
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        Rebuilds.Standings standings = rebuilding.standings();
        long closedBefore = standings.stream().closedBefore();
        if (closedBefore <= rebuilding.wholeFrom() || closedBefore == Standing.NOWHERE) {
            return;
        }
        long last = rebuilding.calendar().plus(closedBefore, -1);
        PartitionSpan span = new PartitionSpan(
                Math.max(
                        rebuilding.wholeFrom(),
                        random.nextBoolean()
                                ? PartitionSpan.BEGINNING
                                : rebuilding.calendar().plus(last, -random.nextInt(4))),
                last);
        List<List<TargetRow>> around = rows(rebuilding, span);
        List<String> counts = job.publications("records_read, applied, superseded, late, split, rejected");

        Rebuilds.Result result = rebuilding.run(rebuilding.of(span), 1 + random.nextInt(3));

        rebuilding.equalsRecomputation(span);
        assertThat(rows(rebuilding, span)).as("all other partitions").isEqualTo(around);
        assertThat(job.publications("records_read, applied, superseded, late, split, rejected"))
                .startsWith(counts.toArray(String[]::new))
                .endsWith("0 0 0 0 0 0");
        assertThat(job.rows("select count(*) from tidemark.late_ledger where job = '" + name + "' and status = 'open'"
                        + " and partition <= '" + rebuilding.calendar().iso(span.last()) + "'"
                        + (span.first() == PartitionSpan.BEGINNING
                                ? ""
                                : " and partition >= '" + rebuilding.calendar().iso(span.first()) + "'")))
                .as("open ledger rows of rebuilt partitions")
                .containsExactly("0");
        assertThat(job.rows("select p.partition, p.open_late from tidemark.partitions p where p.job = '" + name + "'"
                        + " and p.open_late <> (select count(*) from tidemark.late_ledger l where l.job = p.job"
                        + " and l.partition = p.partition and l.status = 'open')"))
                .isEmpty();
        job.leavesNothingStaged();
        incorporated += result.incorporated();
        written += result.rowsWritten();

        // Promise 3: the same again, and the stream again from nothing, change nothing.
        List<String> target = job.rows("select t.*, ctid, xmin from " + job.target() + " t order by 1, 2");
        List<String> revisions = job.rows("select count(*) from " + job.target() + "_revisions");
        rebuilding.run(rebuilding.of(span), 2);
        job.run(1, Duration.ofMillis(50));
        assertThat(job.rows("select t.*, ctid, xmin from " + job.target() + " t order by 1, 2"))
                .isEqualTo(target);
        assertThat(job.rows("select count(*) from " + job.target() + "_revisions"))
                .isEqualTo(revisions);
        job.leavesNothingStaged();
    }

    private static List<List<TargetRow>> rows(Rebuilding rebuilding, PartitionSpan span) throws Exception {
        List<List<TargetRow>> rows = new ArrayList<>();
        for (PartitionSpan other : rebuilding.around(span)) {
            rows.add(rebuilding.target(other));
        }
        return rows;
    }

    @AfterAll
    static void theHistoriesHadSomethingToBringIn() {
        if (HISTORIES >= 40) {
            assertThat(incorporated).as("ledger rows").isGreaterThan(10);
            assertThat(written).as("rows").isGreaterThan(10);
        }
    }

    private static Profile profile(long seed) {
        return (seed % 3 == 0 ? Profile.forgetful() : Profile.everything()).withRecords(40, 300);
    }
}
