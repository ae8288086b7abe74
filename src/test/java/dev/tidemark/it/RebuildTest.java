package dev.tidemark.it;

import static dev.tidemark.it.OrderLine.delete;
import static dev.tidemark.it.OrderLine.upsert;
import static dev.tidemark.kit.Plans.QUANTITY;
import static dev.tidemark.kit.Plans.products;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Grain;
import dev.tidemark.kit.Plans;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.Rebuilds;
import dev.tidemark.publish.jdbc.JdbcRebuilds;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Rebuilds beside, before, behind and without a stream. Quantities are powers of two, so that a sum tells what is in it. */
@Timeout(300)
class RebuildTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    private static final String ROWS = "day, product, n, quantity, _revision, _pane";

    @TempDir
    Path folder;

    private String name = "";

    @BeforeEach
    void nameJob(TestInfo test) {
        String whole = test.getTestMethod()
                .orElseThrow()
                .getName()
                .replaceAll("([A-Z])", "-$1")
                .toLowerCase(Locale.ROOT);
        name = whole.substring(0, Math.min(40, whole.length())).replaceAll("-$", "");
    }

    private static Plans sums() {
        return products()
                .withGrain(Grain.DAY, "UTC")
                .withLookback(1, 2)
                .withColumn("quantity", Aggregate.SUM, QUANTITY);
    }

    private WholeJob bounded() throws Exception {
        return WholeJob.bounded(name, sums().plan(), POSTGRES, folder);
    }

    /** The first of the month is closed by the third; then comes a change of it. */
    private static void deliverWithOneLate(WholeJob job) throws Exception {
        job.deliver(
                "1.json",
                upsert("a", 1).quantity(1).atOnce("2026-09-01T10:00:00Z"),
                upsert("b", 1).product("B").quantity(2).atOnce("2026-09-01T11:00:00Z"),
                upsert("c", 1).quantity(4).atOnce("2026-09-03T10:00:00Z"),
                upsert("d", 1).quantity(8).at("2026-09-01T12:00:00Z").seen("2026-09-03T11:00:00Z"),
                delete("b", 2).seen("2026-09-03T12:00:00Z"));
    }

    // ----------------------------------------------------------------------------------------------------- idempotence

    @Test
    void twentyIdenticalRebuildsGrowNothingButTheirRecord() throws Exception {
        WholeJob job = bounded();
        deliverWithOneLate(job);
        job.run();
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        rebuilding.run(PartitionSpan.ALL);
        List<String> before = traces(job);

        for (int i = 1; i < 20; i++) {
            rebuilding.run(PartitionSpan.ALL);
        }

        assertThat(traces(job)).isEqualTo(before);
        assertThat(job.rows("select count(*), sum(rows_written), sum(rows_removed), sum(incorporated)"
                        + " from tidemark.rebuilds where job = '" + name + "'"))
                .containsExactly("20 1 1 2");
        assertThat(job.rows("select kind, count(*) from tidemark.publications where job = '" + name
                        + "' group by kind order by kind"))
                .containsExactly("rebuild 20", "stream 1");
    }

    private static List<String> traces(WholeJob job) throws SQLException {
        List<String> traces = job.rows("select t.*, ctid, xmin from " + job.target() + " t order by 1, 2");
        traces.addAll(job.rows("select count(*) from " + job.target() + "_revisions"));
        traces.addAll(job.ledger("*"));
        traces.addAll(job.partitions("partition, cells, members, open_late, ended_by, closed_by"));
        traces.addAll(job.rows("select count(*) from tidemark.removed_cells"));
        return traces;
    }

    @Test
    void aRebuildThatIsDoneIsNotDoneAgain() throws Exception {
        WholeJob job = bounded();
        deliverWithOneLate(job);
        job.run();
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        Rebuild rebuild = rebuilding.of(PartitionSpan.ALL);
        rebuilding.run(rebuild, 1);
        execute("update " + job.target() + " set quantity = 1000");

        WholeJob.end(rebuilding.submit(rebuild, 2));

        assertThat(job.targetRows("quantity, product")).containsOnly("1000 A");
        rebuilding.run(PartitionSpan.ALL);
        assertThat(job.targetRows(ROWS)).containsExactly("2026-09-01 A 2 9 3 REBUILT", "2026-09-03 A 1 4 2 REBUILT");
    }

    // ----------------------------------------------------------------------------------------------------- whole
    // partitions

    @Test
    void foreignRowsGoAndStaleOnesAreMended() throws Exception {
        WholeJob job = bounded();
        deliverWithOneLate(job);
        job.run();
        execute("insert into " + job.target() + " select '2026-09-01', 'Z', 1, 1, 1, 1, 1, 'LATE', 1, now()");
        execute("insert into " + job.target() + " select '2026-08-31', 'Z', 1, 1, 1, 1, 1, 'LATE', 1, now()");
        execute("update " + job.target() + " set quantity = 1000 where product = 'A' and day = '2026-09-01'");
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);

        Rebuilds.Result result = rebuilding.run(rebuilding.span("2026-09-01", "2026-09-01"));

        assertThat(job.targetRows(ROWS))
                .containsExactly("2026-08-31 Z 1 1 1 LATE", "2026-09-01 A 2 9 2 REBUILT", "2026-09-03 A 1 4 1 EARLY");
        assertThat(List.of(result.rowsWritten(), result.rowsNew(), result.rowsRemoved(), result.incorporated()))
                .containsExactly(1L, 0L, 2L, 2L);
        assertThat(job.rows("select product, _revision, _removed, _pane from " + job.target()
                        + "_revisions where _pane = 'REBUILT' order by product"))
                .containsExactly("A 2 f REBUILT", "B 2 t REBUILT", "Z 2 t REBUILT");
        job.leavesNothingStaged();
    }

    // ----------------------------------------------------------------------------------------------------- beside a
    // stream

    @Test
    void closedPartitionsAreRebuiltBesideALiveStreamThatGoesOn() throws Exception {
        WholeJob job = WholeJob.watching(name, sums().plan(), POSTGRES, folder);
        deliverWithOneLate(job);
        JobClient stream = job.submit(2, Duration.ofMillis(50));
        job.awaitPublished(stream);
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        String epoch = job.rows("select epoch, attempt from tidemark.jobs where job = '" + name + "'")
                .get(0);

        Rebuild rebuild = rebuilding.of(rebuilding.span("2026-09-01", "2026-09-01"));
        // What the stream reads from now on is no part of the rebuild.
        job.deliver(
                "2.json", upsert("e", 1).quantity(16).at("2026-09-01T12:00:00Z").seen("2026-09-03T13:00:00Z"));
        job.awaitPublished(stream);
        rebuilding.run(rebuild, 1);
        assertThat(job.targetRows(ROWS)).containsExactly("2026-09-01 A 2 9 2 REBUILT", "2026-09-03 A 1 4 1 EARLY");
        assertThat(job.ledger("split, \"offset\", status"))
                .containsExactly("1.json 3 incorporated", "1.json 4 incorporated", "2.json 0 open");
        assertThat(job.partitions("partition, open_late")).startsWith("2026-09-01 1");

        job.deliver("3.json", upsert("f", 1).quantity(32).atOnce("2026-09-04T10:00:00Z"));
        job.awaitPublished(stream);
        WholeJob.cancel(stream);

        assertThat(job.targetRows(ROWS))
                .containsExactly("2026-09-01 A 2 9 2 REBUILT", "2026-09-03 A 1 4 1 EARLY", "2026-09-04 A 1 32 1 EARLY");
        assertThat(job.rows("select epoch, attempt from tidemark.jobs where job = '" + name + "'"))
                .containsExactly(epoch);
        rebuilding.run(rebuilding.span("2026-09-01", "2026-09-01"));
        assertThat(job.targetRows("day, quantity")).startsWith("2026-09-01 25");
    }

    @Test
    void whatAStreamPublishesMeanwhileInItsOwnPartitionsStops() throws Exception {
        WholeJob job = bounded();
        deliverWithOneLate(job);
        job.run();
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        Rebuild rebuild = rebuilding.of(PartitionSpan.ALL);
        job.deliver("2.json", upsert("e", 1).quantity(16).atOnce("2026-09-03T13:00:00Z"));
        job.run();
        List<String> before = job.targetRows(ROWS);

        assertThatThrownBy(() -> rebuilding.run(rebuild, 1))
                .hasStackTraceContaining("has published while the rebuild read the history (publication 2), and the"
                        + " partitions from 2026-09-02 on are its own; nothing is changed");

        assertThat(job.targetRows(ROWS)).isEqualTo(before);
    }

    @Test
    void anOlderReadingNeverUndoesANewerRebuild() throws Exception {
        WholeJob job = bounded();
        deliverWithOneLate(job);
        job.run();
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        Rebuild older = rebuilding.of(rebuilding.span("2026-09-01", "2026-09-01"));
        job.deliver(
                "2.json", upsert("e", 1).quantity(16).at("2026-09-01T12:00:00Z").seen("2026-09-03T13:00:00Z"));
        job.run();
        rebuilding.run(rebuilding.span("2026-08-31", "2026-09-01"));
        List<String> before = job.targetRows(ROWS);

        assertThatThrownBy(() -> rebuilding.run(older, 1))
                .hasStackTraceContaining("a rebuild (publication 3) has replaced partitions of the job");

        assertThat(job.targetRows(ROWS)).isEqualTo(before).startsWith("2026-09-01 A 3 25 2 REBUILT");
    }

    // ----------------------------------------------------------------------------------------------------- accidents

    @Test
    void whatAKilledRebuildHasStagedIsClearedAwayByTheNext() throws Exception {
        WholeJob job = bounded();
        deliverWithOneLate(job);
        job.run();
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        Rebuild killed = rebuilding.of(PartitionSpan.ALL);
        try (Rebuilds rebuilds = new JdbcRebuilds(job.plan(), POSTGRES.connections(), Duration.ofSeconds(30))) {
            rebuilds.begin(killed);
        }
        execute("insert into tidemark.staged_parts values (gen_random_uuid(), '" + name + "', '" + killed.id()
                + "', 1, 0, 0, 0, 0, '{}', null, now())");

        rebuilding.run(PartitionSpan.ALL);

        job.leavesNothingStaged();
        assertThat(job.rows("select publication, error like 'it had not come to its end when the rebuild % began'"
                        + " from tidemark.rebuilds where job = '" + name + "' order by started_at"))
                .containsExactly("null t", "2 null");
        assertThatThrownBy(() -> WholeJob.end(rebuilding.submit(killed, 1)))
                .hasStackTraceContaining("the rebuild " + killed.id() + " of the job " + name
                        + " was given up: it had not" + " come to its end");
    }

    // ----------------------------------------------------------------------------------------------------- before a
    // stream

    @Test
    void aStreamThatBeginsAfterRebuildsKeepsWhatTheyBroughtIn() throws Exception {
        WholeJob job = bounded();
        deliverWithOneLate(job);
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        rebuilding.run(PartitionSpan.ALL);
        assertThat(job.targetRows(ROWS)).containsExactly("2026-09-01 A 2 9 1 REBUILT", "2026-09-03 A 1 4 1 REBUILT");
        job.deliver(
                "2.json",
                upsert("e", 1).quantity(16).at("2026-09-01T12:00:00Z").seen("2026-09-03T13:00:00Z"),
                upsert("f", 1).quantity(32).atOnce("2026-09-03T14:00:00Z"),
                upsert("g", 1).quantity(64).atOnce("2026-09-05T10:00:00Z"));

        job.run(2, Duration.ofMillis(20));

        assertThat(job.targetRows(ROWS))
                .containsExactly(
                        "2026-09-01 A 2 9 1 REBUILT", "2026-09-03 A 2 36 2 ON_TIME", "2026-09-05 A 1 64 1 EARLY");
        assertThat(job.ledger("split, \"offset\", status, resolved_by"))
                .containsExactly("1.json 3 incorporated 1", "1.json 4 incorporated 1", "2.json 0 open null");
        assertThat(job.partitions("partition, open_late, rebuilt_by"))
                .containsExactly("2026-09-01 1 1", "2026-09-03 0 1", "2026-09-05 0 null");
        assertThat(job.rows("select sum(records_read), sum(applied), sum(late) from tidemark.publications where job = '"
                        + name + "'"))
                .containsExactly("8 5 3");
        rebuilding.run(PartitionSpan.ALL);
        rebuilding.equalsRecomputation(PartitionSpan.ALL);
        job.leavesNothingStaged();
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
