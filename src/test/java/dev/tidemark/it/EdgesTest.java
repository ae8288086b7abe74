package dev.tidemark.it;

import static dev.tidemark.it.OrderLine.delete;
import static dev.tidemark.it.OrderLine.upsert;
import static dev.tidemark.kit.Plans.QUANTITY;
import static dev.tidemark.kit.Plans.WEIGHT;
import static dev.tidemark.kit.Plans.products;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Grain;
import dev.tidemark.kit.Plans;
import dev.tidemark.kit.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is easily wrong at the edges of days, versions, cells and numbers. The zone of the JVM and that of the database are
 * neither each other's nor the job's (but for Kathmandu, which is the database's), and must not matter.
 */
@Timeout(180)
class EdgesTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    @TempDir
    Path folder;

    private String name = "";

    @BeforeEach
    void nameJob(TestInfo test) {
        name = test.getTestMethod()
                .orElseThrow()
                .getName()
                .replaceAll("([A-Z0-9]+)", "-$1")
                .toLowerCase(Locale.ROOT);
    }

    private WholeJob job(Plans plans) throws Exception {
        // A table's name has room for 53 bytes.
        return WholeJob.bounded(name.substring(0, Math.min(40, name.length())), plans.plan(), POSTGRES, folder);
    }

    /** A job by calendar units of a zone that has read changes at these instants, each seen when it happened. */
    private WholeJob read(Grain grain, String zone, String... instants) throws Exception {
        WholeJob job = job(products().withGrain(grain, zone));
        OrderLine[] lines = new OrderLine[instants.length];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = upsert("r" + i, 1).at(instants[i]).seen(inMillis(instants[i]));
        }
        job.deliver("1.json", lines);
        job.run();
        job.agrees();
        return job;
    }

    /** The field {@code seen} takes no more digits than that. */
    private static String inMillis(String instant) {
        return Instant.parse(instant).truncatedTo(ChronoUnit.MILLIS).toString();
    }

    // ----------------------------------------------------------------------------------------------------- calendars

    @Test
    void theZonesOfJvmAndDatabaseAreOthers() throws Exception {
        assertThat(TimeZone.getDefault().getID()).isEqualTo("Pacific/Chatham");
        try (Connection analyst = POSTGRES.connect();
                Statement statement = analyst.createStatement();
                ResultSet row = statement.executeQuery("select s.setconfig from pg_db_role_setting s"
                        + " join pg_database d on d.oid = s.setdatabase where d.datname = current_database()")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).contains("Asia/Kathmandu");
        }
    }

    @Test
    void aDayOf23Hours() throws Exception {
        WholeJob job = read(
                Grain.DAY,
                "America/New_York",
                "2026-03-08T04:59:59.999999Z",
                "2026-03-08T05:00:00Z",
                "2026-03-08T06:59:59.999999Z",
                "2026-03-08T07:00:00Z",
                "2026-03-09T03:59:59.999999Z",
                "2026-03-09T04:00:00Z");
        assertThat(job.targetRows("day, n")).containsExactly("2026-03-07 1", "2026-03-08 4", "2026-03-09 1");
    }

    @Test
    void aDayOf25Hours() throws Exception {
        WholeJob job = read(
                Grain.DAY,
                "America/New_York",
                "2026-11-01T03:59:59.999999Z",
                "2026-11-01T04:00:00Z",
                "2026-11-01T05:30:00Z",
                "2026-11-01T06:30:00Z",
                "2026-11-02T04:59:59.999999Z",
                "2026-11-02T05:00:00Z");
        assertThat(job.targetRows("day, n")).containsExactly("2026-10-31 1", "2026-11-01 4", "2026-11-02 1");
    }

    @Test
    void kathmanduIsThreeQuartersOfAnHourOff() throws Exception {
        WholeJob job = read(
                Grain.DAY,
                "Asia/Kathmandu",
                "2026-09-01T18:14:59.999999Z",
                "2026-09-01T18:15:00Z",
                "2026-09-02T18:14:59.999999Z",
                "2026-09-02T18:15:00Z");
        assertThat(job.targetRows("day, n")).containsExactly("2026-09-01 1", "2026-09-02 2", "2026-09-03 1");
    }

    @Test
    void hoursOfKathmanduBeginAtAQuarterPast() throws Exception {
        WholeJob job = read(
                Grain.HOUR,
                "Asia/Kathmandu",
                "2026-09-01T18:14:59.999999Z",
                "2026-09-01T18:15:00Z",
                "2026-09-01T19:14:59.999999Z");
        assertThat(job.targetRows("hour, n")).containsExactly("2026-09-01 17:15:00+00 1", "2026-09-01 18:15:00+00 2");
    }

    /** In Sao Paulo November 4, 2018 began at one o'clock. */
    @Test
    void aMidnightThatDoesNotExist() throws Exception {
        WholeJob job = read(
                Grain.DAY,
                "America/Sao_Paulo",
                "2018-11-04T02:59:59.999999Z",
                "2018-11-04T03:00:00Z",
                "2018-11-05T01:59:59.999999Z",
                "2018-11-05T02:00:00Z");
        assertThat(job.targetRows("day, n")).containsExactly("2018-11-03 1", "2018-11-04 2", "2018-11-05 1");
        assertThat(job.publications("complete_from")).containsExactly("2018-11-02");
    }

    /** In Apia December 30, 2011 never came. It counts as a partition of the window all the same. */
    @Test
    void aDateThatNeverOccurredCounts() throws Exception {
        WholeJob job = job(products().withGrain(Grain.DAY, "Pacific/Apia"));
        job.deliver(
                "1.json",
                upsert("before", 1).at("2011-12-30T09:59:59.999999Z").seen("2011-12-30T09:59:59.999Z"),
                upsert("after", 1).atOnce("2011-12-30T10:00:00Z"),
                upsert("first", 1).at("2011-12-28T10:00:00Z").seen("2011-12-30T11:00:00Z"),
                upsert("too-late", 1).at("2011-12-28T09:59:59.999999Z").seen("2011-12-30T11:00:00Z"));
        job.run();

        assertThat(job.targetRows("day, n")).containsExactly("2011-12-28 1", "2011-12-29 1", "2011-12-31 1");
        assertThat(job.ledger("record_id, partition, age, open_from"))
                .containsExactly("too-late 2011-12-27 4 2011-12-28");
        job.agrees();
    }

    @Test
    void theRepeatedHourIsTwoPartitions() throws Exception {
        WholeJob job = read(
                Grain.HOUR,
                "America/New_York",
                "2026-11-01T04:59:59.999999Z",
                "2026-11-01T05:00:00Z",
                "2026-11-01T05:59:59.999999Z",
                "2026-11-01T06:00:00Z",
                "2026-11-01T06:59:59.999999Z",
                "2026-11-01T07:00:00Z");
        assertThat(job.targetRows("hour, n"))
                .containsExactly(
                        "2026-11-01 04:00:00+00 1",
                        "2026-11-01 05:00:00+00 2",
                        "2026-11-01 06:00:00+00 2",
                        "2026-11-01 07:00:00+00 1");
        assertThat(job.partitions("partition, members"))
                .containsExactly(
                        "2026-11-01T04:00:00Z 1",
                        "2026-11-01T05:00:00Z 2",
                        "2026-11-01T06:00:00Z 2",
                        "2026-11-01T07:00:00Z 1");
    }

    /** On Lord Howe the clock goes back by half an hour, at two o'clock on April 5, 2026. */
    @Test
    void aTransitionInsideAnHourBeginsANewOne() throws Exception {
        WholeJob job = read(
                Grain.HOUR,
                "Australia/Lord_Howe",
                "2026-04-04T14:59:59.999999Z",
                "2026-04-04T15:00:00Z",
                "2026-04-04T15:29:59.999999Z",
                "2026-04-04T15:30:00Z");
        assertThat(job.targetRows("hour, n"))
                .containsExactly("2026-04-04 14:00:00+00 1", "2026-04-04 15:00:00+00 2", "2026-04-04 15:30:00+00 1");
    }

    // ------------------------------------------------------------------------------------------- versions and deletes

    @Test
    void deletingTheWinnerRevealsTheRunnerUp() throws Exception {
        WholeJob job = job(products()
                .withColumn("latest", Aggregate.LATEST, QUANTITY)
                .withColumn("first", Aggregate.FIRST, QUANTITY)
                .withColumn("least", Aggregate.MIN, QUANTITY)
                .withColumn("most", Aggregate.MAX, QUANTITY));
        job.deliver(
                "1.json",
                upsert("a", 1).quantity(5).atOnce("2026-09-01T08:00:00Z"),
                upsert("b", 1).quantity(9).atOnce("2026-09-01T09:00:00Z"),
                upsert("c", 1).quantity(1).atOnce("2026-09-01T10:00:00Z"),
                upsert("d", 1).quantity(7).atOnce("2026-09-01T11:00:00Z"));
        job.run();
        String columns = "day, product, latest, first, least, most, _members";
        List<String> truths = new ArrayList<>(job.targetRows(columns));
        String[] winners = {"d", "b", "c"};
        for (int i = 0; i < winners.length; i++) {
            job.deliver(i + 2 + ".json", delete(winners[i], 2).seen("2026-09-01T12:00:00Z"));
            job.run();
            truths.addAll(job.targetRows(columns));
        }
        assertThat(truths)
                .containsExactly(
                        "2026-09-01 A 7 5 1 9 4",
                        "2026-09-01 A 1 5 1 9 3",
                        "2026-09-01 A 1 5 1 5 2",
                        "2026-09-01 A 5 5 5 5 1");
        job.agrees();
    }

    @Test
    void aDeleteBeforeItsInsertAndAnOlderInsertAfterADeleteLeaveNothing() throws Exception {
        WholeJob job = job(products());
        job.deliver(
                "1.json",
                upsert("x", 1).product("B").atOnce("2026-09-01T08:00:00Z"),
                delete("early", 2).at("2026-09-01T08:00:00Z").seen("2026-09-01T08:01:00Z"),
                upsert("early", 1).at("2026-09-01T08:00:00Z").seen("2026-09-01T08:02:00Z"),
                delete("nameless", 2).seen("2026-09-01T08:03:00Z"),
                upsert("nameless", 1).at("2026-09-01T08:00:00Z").seen("2026-09-01T08:04:00Z"),
                upsert("gone", 3).at("2026-09-01T08:00:00Z").seen("2026-09-01T08:05:00Z"),
                delete("gone", 4).seen("2026-09-01T08:06:00Z"));
        job.run();
        job.deliver("2.json", upsert("gone", 2).at("2026-09-01T08:00:00Z").seen("2026-09-01T08:07:00Z"));
        job.run();

        assertThat(job.targetRows("day, product, n")).containsExactly("2026-09-01 B 1");
        assertThat(job.publications("applied, superseded, late")).containsExactly("4 2 1", "0 1 0");
        assertThat(job.ledger("record_id, reason, partition")).containsExactly("nameless unknown-record null");
        job.agrees();

        job.deliver("3.json", upsert("gone", 5).at("2026-09-01T08:00:00Z").seen("2026-09-01T08:08:00Z"));
        job.run();
        assertThat(job.targetRows("day, product, n, _revision")).contains("2026-09-01 A 1 1");
        job.agrees();
    }

    @Test
    void theSameChangeTwiceInOneCheckpointAndInTwoCountsOnce() throws Exception {
        WholeJob job = job(products().withColumn("quantity", Aggregate.SUM, QUANTITY));
        OrderLine change = upsert("a", 1).quantity(5).atOnce("2026-09-01T08:00:00Z");
        job.deliver("1.json", change, change);
        job.run();
        List<String> before = job.targetRows("t, t.ctid, t.xmin from " + job.target() + " t --");
        job.deliver("2.json", change, change.seen("2026-09-01T09:00:00Z"));
        job.run();

        assertThat(job.targetRows("day, product, n, quantity, _revision")).containsExactly("2026-09-01 A 1 5 1");
        assertThat(job.targetRows("t, t.ctid, t.xmin from " + job.target() + " t --"))
                .isEqualTo(before);
        assertThat(job.publications("applied, superseded, cells_replaced")).containsExactly("1 1 1", "0 2 0");
        job.agrees();
    }

    // --------------------------------------------------------------------------------------------------------- cells

    @Test
    void anEmptyCellAndAnEmptyPartitionAreGoneAndGoOnCountingRevisions() throws Exception {
        WholeJob job = job(products());
        job.deliver(
                "1.json",
                upsert("a", 1).atOnce("2026-09-01T08:00:00Z"),
                upsert("b", 1).product("B").atOnce("2026-09-01T08:00:00Z"),
                upsert("c", 1).atOnce("2026-09-02T08:00:00Z"));
        job.run();
        job.deliver("2.json", delete("b", 2).seen("2026-09-02T09:00:00Z"));
        job.run();
        assertThat(job.targetRows("day, product, _revision")).containsExactly("2026-09-01 A 1", "2026-09-02 A 1");
        job.deliver("3.json", upsert("a", 2).at("2026-09-02T08:00:00Z").seen("2026-09-02T10:00:00Z"));
        job.run();
        assertThat(job.targetRows("day, product, n, _revision")).containsExactly("2026-09-02 A 2 2");
        assertThat(job.partitions("partition, cells, members")).containsExactly("2026-09-01 0 0", "2026-09-02 1 2");
        job.deliver(
                "4.json",
                upsert("b", 3).product("B").at("2026-09-01T08:00:00Z").seen("2026-09-02T11:00:00Z"),
                upsert("a", 3).at("2026-09-01T08:00:00Z").seen("2026-09-02T11:00:00Z"));
        job.run();

        assertThat(job.targetRows("day, product, n, _revision"))
                .containsExactly("2026-09-01 A 1 3", "2026-09-01 B 1 3", "2026-09-02 A 1 3");
        assertThat(job.rows("select product, _revision, _removed, _publication from " + job.target()
                        + "_revisions where day = '2026-09-01' order by 1, 2"))
                .containsExactly("A 1 f 1", "A 2 t 3", "A 3 f 4", "B 1 f 1", "B 2 t 2", "B 3 f 4");
        assertThat(job.partitions("partition, cells, members")).containsExactly("2026-09-01 2 2", "2026-09-02 1 1");
        assertThat(job.publications("cells_replaced, cells_removed, partitions"))
                .containsExactly("3 0 2", "0 1 1", "1 1 2", "3 0 2");
        job.agrees();
    }

    /** Rounded after each addition these would give 0 or 0.1, and after the retraction something else again. */
    @Test
    void sumsOfFloatingPointValuesAreExactInEveryOrder() throws Exception {
        WholeJob job = job(products().withColumn("weight", Aggregate.SUM, WEIGHT));
        double[][] orders = {
            {1e16, -1e16, 0.1},
            {1e16, 0.1, -1e16},
            {-1e16, 1e16, 0.1},
            {-1e16, 0.1, 1e16},
            {0.1, 1e16, -1e16},
            {0.1, -1e16, 1e16}
        };
        List<OrderLine> lines = new ArrayList<>();
        for (int order = 0; order < orders.length; order++) {
            for (double weight : orders[order]) {
                lines.add(upsert(order + " " + weight, 1)
                        .product("P" + order)
                        .with("weight", weight)
                        .atOnce("2026-09-01T08:00:00Z"));
            }
        }
        job.deliver("1.json", lines.toArray(OrderLine[]::new));
        job.run();
        assertThat(job.rows("select distinct weight from " + job.target())).containsExactly("0.1");

        List<OrderLine> deletes = new ArrayList<>();
        for (int order = 0; order < orders.length; order++) {
            deletes.add(delete(order + " " + orders[order][order % 3], 2).seen("2026-09-01T09:00:00Z"));
        }
        job.deliver("2.json", deletes.toArray(OrderLine[]::new));
        job.run();
        assertThat(job.targetRows("product, weight"))
                .containsExactly("P0 -1e+16", "P1 0", "P2 0", "P3 1e+16", "P4 -1e+16", "P5 -1e+16");
        job.agrees();
    }

    // --------------------------------------------------------------------------------------------------------- panes

    @Test
    void panesAndPartitionsTellWhenADayWasFinal() throws Exception {
        WholeJob job = job(products().withLookback(1, 2));
        job.deliver("1.json", upsert("a", 1).atOnce("2026-09-01T08:00:00Z"));
        job.run();
        job.deliver("2.json", upsert("b", 1).at("2026-09-01T23:59:59.999999Z").seen("2026-09-01T23:59:59.999Z"));
        job.run();
        assertThat(job.targetRows("day, product, _pane")).containsExactly("2026-09-01 A EARLY");
        assertThat(job.partitions("partition, ended_by, closed_by, open_late"))
                .containsExactly("2026-09-01 null null 0");

        job.deliver(
                "3.json",
                upsert("c", 1).atOnce("2026-09-02T00:00:00Z"),
                upsert("d", 1).at("2026-09-01T23:00:00Z").seen("2026-09-02T00:01:00Z"));
        job.run();
        assertThat(job.targetRows("day, product, _pane")).containsExactly("2026-09-01 A ON_TIME", "2026-09-02 A EARLY");
        assertThat(job.partitions("partition, ended_by, closed_by, open_late"))
                .containsExactly("2026-09-01 3 null 0", "2026-09-02 null null 0");

        job.deliver("4.json", upsert("e", 1).at("2026-09-01T23:00:00Z").seen("2026-09-02T10:00:00Z"));
        job.run();
        assertThat(job.targetRows("day, product, _pane")).containsExactly("2026-09-01 A LATE", "2026-09-02 A EARLY");

        job.deliver(
                "5.json",
                upsert("f", 1).atOnce("2026-09-03T00:00:00Z"),
                upsert("g", 1).at("2026-09-01T23:00:00Z").seen("2026-09-03T10:00:00Z"),
                delete("a", 2).seen("2026-09-03T11:00:00Z"));
        job.run();
        assertThat(job.partitions("partition, cells, members, ended_by, closed_by, open_late"))
                .containsExactly("2026-09-01 1 4 3 5 2", "2026-09-02 1 1 5 null 0", "2026-09-03 1 1 null null 0");
        assertThat(job.rows("select product, _revision, _pane from " + job.target()
                        + "_revisions where day = '2026-09-01' order by 2"))
                .containsExactly("A 1 EARLY", "A 2 EARLY", "A 3 ON_TIME", "A 4 LATE");
        job.agrees();
    }
}
