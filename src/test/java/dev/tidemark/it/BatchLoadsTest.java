package dev.tidemark.it;

import static dev.tidemark.it.BatchModel.LIVE;
import static dev.tidemark.it.BatchModel.WINDOW;
import static dev.tidemark.it.BatchModel.truth;
import static dev.tidemark.it.TwoNights.SINCE;
import static dev.tidemark.it.TwoNights.TRUTH;
import static dev.tidemark.it.TwoNights.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.job.JobSpec;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuilds;
import dev.tidemark.publish.jdbc.Initialization;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What goes wrong when a bounded lookback is written by hand as a nightly load, and by which ways of replacing rows it goes
 * right, each shown by its own SQL, beside what Tidemark makes of the same changes.
 */
@Timeout(180)
class BatchLoadsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    private static final String BY_KEY = "(day, product)";
    private static final String NONE = "";

    private static WholeJob tidemark;
    private static List<String> firstNight;

    @TempDir
    static Path folder;

    private String name = "";
    private @Nullable BatchModel model;

    /** The job has run in both nights. */
    @BeforeAll
    static void runTidemark() throws Exception {
        tidemark = WholeJob.bounded("two-nights", TwoNights.plan(), POSTGRES, folder);
        tidemark.deliver("1.json", TwoNights.first());
        tidemark.run();
        firstNight = tidemark.targetRows("day, product, n, quantity");
        tidemark.deliver("2.json", TwoNights.second());
        tidemark.run();
    }

    @BeforeEach
    void nameModel(TestInfo test) {
        name = test.getTestMethod()
                .orElseThrow()
                .getName()
                .replaceAll("([A-Z])", "_$1")
                .toLowerCase(Locale.ROOT);
        name = "model_" + name.substring(0, Math.min(40, name.length()));
    }

    /** A model that is loaded with what was there in the first night, and whose source has gone on to the second. */
    private BatchModel inTheSecondNight(String key) throws SQLException {
        BatchModel batch = new BatchModel(POSTGRES, name, key);
        model = batch;
        batch.arrive(TwoNights.first());
        batch.load();
        assertThat(batch.target("2026-01-01")).as("the first load").isEqualTo(firstNight);
        batch.arrive(TwoNights.second());
        batch.bound();
        return batch;
    }

    @AfterEach
    void close() throws SQLException {
        if (model != null) {
            model.close();
        }
    }

    private static List<String> published(String from) throws SQLException {
        return tidemark.rows("select day, product, n, quantity from " + tidemark.target() + " where day >= '" + from
                + "' order by 1, 2");
    }

    @Test
    void tidemarkIsRightInTheWindowAndSaysWhatItLeftOut() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);

        assertThat(batch.recomputed(SINCE)).isEqualTo(TRUTH);
        assertThat(published(SINCE)).isEqualTo(TRUTH);
        assertThat(tidemark.publications("closed_before")).endsWith("2026-08-29");
        assertThat(tidemark.ledger("record_id, partition, status")).containsExactly("A-08-20 2026-08-20 open");
        tidemark.agrees();
    }

    // -------------------------------------------------------------------------------------------------- ways to fail

    /** The way of writing was changed to replace keys, and the query still selects all that there is. */
    @Test
    void anotherWayOfWritingWithoutAFilterCostsMoreThanAFullLoad() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        long lines = batch.number("select count(*) from source");
        long rows = batch.number("select count(*) from target");
        String reads = "select pg_stat_get_xact_tuples_returned('source'::regclass)";

        batch.execute("begin");
        long before = batch.number(reads);
        batch.execute("create temporary table delta on commit drop as " + truth(LIVE));
        int deleted = batch.execute("delete from target t using delta d where (t.day, t.product) = (d.day, d.product)");
        int inserted = batch.execute("insert into target select * from delta");
        long read = batch.number(reads) - before;
        batch.execute("commit");

        assertThat(read).as("source rows read").isEqualTo(lines).isGreaterThan(35);
        assertThat(deleted).as("target rows deleted").isGreaterThanOrEqualTo((int) rows - 1);
        assertThat(inserted).as("target rows inserted").isGreaterThanOrEqualTo((int) rows);
        assertThat(tidemark.publications("records_read, cells_replaced, cells_removed, partitions"))
                .as("what was new, and what it changed")
                .endsWith("5 3 1 3");
    }

    @Test
    void appendingWhatCanChangeDoublesIt() throws Exception {
        BatchModel batch = inTheSecondNight(NONE);
        String doubled = "select day, product, count(*) from target group by 1, 2 having count(*) > 1 order by 1, 2";

        batch.execute("insert into target " + truth(WINDOW));
        assertThat(batch.rows(doubled))
                .containsExactly(
                        "2026-08-28 A 2", "2026-08-29 A 2", "2026-08-30 A 2", "2026-08-30 B 2", "2026-08-31 A 2");
        batch.execute("insert into target " + truth(WINDOW));
        assertThat(batch.rows(doubled))
                .as("once more each time, and nothing was new")
                .contains("2026-08-29 A 3");

        assertThat(tidemark.rows(doubled.replace("target", tidemark.target()))).isEmpty();
        assertThat(published(SINCE)).isEqualTo(TRUTH);
    }

    /** The last line of B on August 31 was withdrawn: no key is emitted, and so none is deleted. */
    @Test
    void deletingByKeyMissesTheKeyThatIsGone() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);

        batch.execute("create temporary table delta as " + truth(WINDOW));
        batch.execute("delete from target t using delta d where (t.day, t.product) = (d.day, d.product)");
        batch.execute("insert into target select * from delta");

        assertThat(batch.target(SINCE))
                .containsAll(TRUTH)
                .hasSize(TRUTH.size() + 1)
                .contains("2026-08-31 B 1 5");
        assertThat(published(SINCE)).isEqualTo(TRUTH);
    }

    /** Sold lines are filtered, returned ones are not: a day before the window is overwritten by its returns alone. */
    @Test
    void aWindowOnOneBranchOnlyPutsAFragmentOverAWhole() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        assertThat(batch.target("2026-08-20")).startsWith("2026-08-20 A 2 8");

        batch.execute("insert into target "
                + truth("(select * from " + WINDOW + " where text is null union all select * from " + LIVE
                        + " where text = 'returned') branches")
                + " on conflict (day, product) do update set n = excluded.n, quantity = excluded.quantity");

        assertThat(batch.target("2026-08-20")).startsWith("2026-08-20 A 1 -2");
        assertThat(published("2026-08-20"))
                .as("as it was, and the correction that came too late is in the ledger")
                .startsWith("2026-08-20 A 2 8");
    }

    /** By the time at which it was seen, the evening of August 31 is one of September 1. */
    @Test
    void theTimeOfArrivalTakenForThatOfTheEventMovesTheDay() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);

        assertThat(batch.rows("select * from (" + truth(LIVE).replace("(at at", "(seen at")
                        + ") t where day >= '2026-08-31' order by 1, 2"))
                .containsExactly("2026-08-31 A 1 13", "2026-09-01 A 4 51");

        assertThat(published("2026-08-31")).containsExactly("2026-08-31 A 2 28", "2026-09-01 A 1 16");
        assertThat(tidemark.ledger("partition, lateness_ms > 12 * 86400000"))
                .as("how late it was is kept beside the day that it is of")
                .containsExactly("2026-08-20 t");
    }

    /** What has arrived since is not all that there is of the days that it is about. */
    @Test
    void theTimeOfArrivalTakenForTheWindowPutsAFragmentOverAWhole() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);

        batch.execute("insert into target "
                + truth("(select * from source where not gone and seen >= '2026-09-01T00:00:00-04:00') live")
                + " on conflict (day, product) do update set n = excluded.n, quantity = excluded.quantity");

        assertThat(batch.target("2026-08-31")).contains("2026-08-31 A 1 15");
        assertThat(published("2026-08-31")).contains("2026-08-31 A 2 28");
    }

    /** Three days back: three partitions or four. Three times 24 hours back: a part of one. */
    @Test
    void aBoundaryThatNobodyWroteDownIsReadInThreeWays() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        String days = "select count(distinct (at at time zone 'America/New_York')::date) from " + LIVE
                + " where (at at time zone 'America/New_York')::date %s (select max(day) - 3 from target)";

        assertThat(batch.number(days.formatted(">"))).isEqualTo(4);
        assertThat(batch.number(days.formatted(">="))).isEqualTo(5);
        assertThat(batch.rows(
                        truth("(select * from source where at >= (select max(at) from source where seen < '2026-09-01')"
                                        + " - interval '72 hours') live")
                                + " order by 1, 2"))
                .as("the morning of August 28 is not in it")
                .startsWith("2026-08-28 A 1 10");

        assertThat(published(SINCE)).startsWith("2026-08-28 A 2 11");
        assertThat(tidemark.ledger("open_from, frontier"))
                .as("the frontier's day and the three before it")
                .containsExactly("2026-08-29 2026-09-01 22:04:00+00");
    }

    @Test
    void theZoneOfTheSessionMovesTheDayNearMidnight() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        String evening = "select at::date from source where id = 'A-08-31-evening'";

        batch.execute("set timezone = 'America/New_York'");
        assertThat(batch.rows(evening)).containsExactly("2026-08-31");
        batch.execute("set timezone = 'UTC'");
        assertThat(batch.rows(evening)).containsExactly("2026-09-01");

        assertThat(published("2026-08-31"))
                .as("wherever JVM and database are")
                .containsExactly("2026-08-31 A 2 28", "2026-09-01 A 1 16");
    }

    @Test
    void aHookThatCreatesAnIndexFailsTheSecondRun() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        String hook = "create index target_day on target (day)";
        batch.execute(hook);

        batch.execute("begin");
        batch.execute("delete from target where day >= (select start from bound)");
        batch.execute("insert into target " + truth(WINDOW));
        assertThatThrownBy(() -> batch.execute(hook))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("already exists");
        batch.execute("rollback");
        assertThat(batch.target("2026-09-01"))
                .as("the run's rows are gone with it")
                .isEmpty();

        String objects = "select indexrelid::regclass, indexrelid from pg_index where indrelid = '" + tidemark.target()
                + "'::regclass order by 2";
        List<String> before = tidemark.rows(objects);
        new Initialization(POSTGRES.connections(), tidemark.plan()).run(JobSpec.json(tidemark.plan()), null);
        assertThat(tidemark.rows(objects)).isNotEmpty().isEqualTo(before);
    }

    /** No later run looks there again, and none says so. Tidemark keeps it until a rebuild brings it in. */
    @Test
    void theOldestCorrectionIsNeverSeenAndOnlyALedgerSaysSo() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        WholeJob job = WholeJob.bounded("oldest-correction", TwoNights.plan(), POSTGRES, folder);
        job.deliver("1.json", TwoNights.first());
        job.run();
        job.deliver("2.json", TwoNights.second());
        job.run();
        batch.replaceWindow();
        for (int day = 2; day <= 4; day++) {
            OrderLine next = line("A", "09-0" + day, day);
            batch.arrive(next);
            batch.replaceWindow();
            job.deliver(day + 1 + ".json", next);
            job.run();
        }

        assertThat(batch.recomputed("2026-08-20")).startsWith("2026-08-20 A 2 7");
        assertThat(batch.target("2026-08-20")).startsWith("2026-08-20 A 2 8");
        assertThat(batch.target(SINCE)).isEqualTo(batch.recomputed(SINCE));
        assertThat(job.ledger("record_id, status, resolved_by")).containsExactly("A-08-20 open null");
        assertThat(job.partitions("partition, open_late")).contains("2026-08-20 1");

        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        Rebuilds.Result result = rebuilding.run(rebuilding.span("2026-08-20", "2026-08-20"));

        assertThat(job.targetRows("day, product, n, quantity")).contains("2026-08-20 A 2 7");
        assertThat(job.ledger("record_id, status, resolved_by"))
                .containsExactly("A-08-20 incorporated " + result.publication());
        assertThat(job.partitions("partition, open_late")).contains("2026-08-20 0");
    }

    /** A load that empties the table has to wait for every reader, or they for it; and its source must still be whole. */
    @Test
    void aFullLoadThatNobodyHasTriedFailsOnReadersAndOnWhatTheSourceNoLongerHas() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        WholeJob job = WholeJob.bounded("full-refresh", TwoNights.plan(), POSTGRES, folder);
        job.deliver("1.json", TwoNights.first());
        job.deliver("2.json", TwoNights.second());
        job.run();
        String count = "select count(*) from ";
        try (Connection analyst = POSTGRES.connect();
                Statement reading = analyst.createStatement()) {
            analyst.setAutoCommit(false);
            analyst.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            long theirs = one(reading, count + name + ".target");
            long ours = one(reading, count + job.target());

            batch.execute("set lock_timeout = '50ms'");
            assertThatThrownBy(() -> batch.execute("truncate target"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("lock timeout");

            Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
            rebuilding.run(PartitionSpan.ALL);
            rebuilding.equalsRecomputation(PartitionSpan.ALL);
            assertThat(one(reading, count + job.target())).as("to a reader").isEqualTo(ours);
            assertThat(one(reading, count + name + ".target")).isEqualTo(theirs);
        }
        assertThat(job.targetRows("day, product, n, quantity")).contains("2026-08-20 A 2 7", "2026-07-01 A 1 1");
        assertThat(job.rows("select mode, rows_scanned, rows_written, partitions, bytes > 0, lock_ms >= 0,"
                        + " finished_at > started_at from tidemark.rebuilds where job = 'full-refresh'"))
                .as("timed and counted")
                .containsExactly("all 42 1 34 t t t");

        // The source keeps a month: with the full load July goes without a word. For Tidemark's refusal see the
        // rebuilds.
        batch.execute("delete from source where at < '2026-08-01'");
        batch.execute("delete from target");
        batch.load();
        assertThat(batch.target("2026-01-01")).hasSize(TRUTH.size() + 1).startsWith("2026-08-20 A 2 7");
    }

    private static long one(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    // ------------------------------------------------------------------------------------------ ways to replace rows

    /** Right as long as a key that changes is emitted; one that vanishes is not. */
    @Test
    void upsertingEmittedKeysLeavesTheVanishedOne() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);

        batch.execute(upsert(truth(WINDOW)));

        assertThat(batch.target(SINCE))
                .containsAll(TRUTH)
                .hasSize(TRUTH.size() + 1)
                .contains("2026-08-31 B 1 5");
        assertThat(published(SINCE)).isEqualTo(TRUTH);
    }

    @Test
    void upsertingWithTombstonesIsRightWhereEveryDeletionIsMarked() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        batch.execute("create temporary table delta as "
                + truth(WINDOW.replace("not gone and", ""))
                        .replace("count(*)", "count(*) filter (where not gone)")
                        .replace("sum(quantity)", "sum(quantity) filter (where not gone)"));

        batch.execute(upsert("select * from delta where n > 0"));
        batch.execute("delete from target t using delta d where d.n = 0 and (t.day, t.product) = (d.day, d.product)");

        assertThat(batch.target(SINCE)).isEqualTo(TRUTH);
        assertThat(published(SINCE)).isEqualTo(TRUTH);
    }

    /** The source removes its rows instead of marking them. */
    @Test
    void upsertingWithTombstonesLeavesTheVanishedOneWhereNothingMarksIt() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        batch.execute("delete from source where gone");
        batch.execute("create temporary table delta as "
                + truth(WINDOW.replace("not gone and", ""))
                        .replace("count(*)", "count(*) filter (where not gone)")
                        .replace("sum(quantity)", "sum(quantity) filter (where not gone)"));

        batch.execute(upsert("select * from delta where n > 0"));
        batch.execute("delete from target t using delta d where d.n = 0 and (t.day, t.product) = (d.day, d.product)");

        assertThat(batch.target(SINCE))
                .containsAll(TRUTH)
                .hasSize(TRUTH.size() + 1)
                .contains("2026-08-31 B 1 5");
    }

    @Test
    void upsertingAndCleaningThePartitionsUpIsRight() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        batch.execute("create temporary table delta as " + truth(WINDOW));

        batch.execute("begin");
        batch.execute(upsert("select * from delta"));
        batch.execute("delete from target t where day >= (select start from bound)"
                + " and not exists (select from delta d where (t.day, t.product) = (d.day, d.product))");
        batch.execute("commit");

        assertThat(batch.target(SINCE)).isEqualTo(TRUTH);
        assertThat(published(SINCE)).isEqualTo(TRUTH);
    }

    /** What lies before the window is not touched, and a second time changes nothing: so does a rebuild of Tidemark's. */
    @Test
    void replacingPartitionsIsRightAndSoIsARebuild() throws Exception {
        BatchModel batch = inTheSecondNight(BY_KEY);
        List<String> older = batch.rows("select ctid, xmin, day from target where day < '2026-08-28' order by day");

        batch.replaceWindow();

        assertThat(batch.target(SINCE)).isEqualTo(TRUTH);
        assertThat(batch.rows("select ctid, xmin, day from target where day < '2026-08-28' order by day"))
                .isEqualTo(older);
        batch.replaceWindow();
        assertThat(batch.target(SINCE)).isEqualTo(TRUTH);

        WholeJob job = WholeJob.bounded("replaced", TwoNights.plan(), POSTGRES, folder);
        job.deliver("1.json", TwoNights.first());
        job.deliver("2.json", TwoNights.second());
        job.run();
        // A row of nobody's in the partition, and one that somebody has changed.
        batch.execute("insert into " + job.target() + " select day, 'Z', 1, 99, 1, 1, 0, 'EARLY', 1, now() from "
                + job.target() + " where day = '2026-08-30' and product = 'B'");
        batch.execute("update " + job.target() + " set quantity = 98 where day = '2026-08-30' and product = 'A'");
        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        PartitionSpan span = rebuilding.span("2026-08-29", "2026-09-01");
        rebuilding.run(span);

        rebuilding.equalsRecomputation(span);
        List<String> after = job.rows("select t.*, ctid, xmin from " + job.target() + " t order by 1, 2");
        rebuilding.run(span);
        assertThat(job.rows("select t.*, ctid, xmin from " + job.target() + " t order by 1, 2"))
                .isEqualTo(after);
    }

    private static String upsert(String query) {
        return "insert into target " + query
                + " on conflict (day, product) do update set n = excluded.n, quantity = excluded.quantity";
    }
}
