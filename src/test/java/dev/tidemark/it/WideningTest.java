package dev.tidemark.it;

import static dev.tidemark.it.OrderLine.upsert;
import static dev.tidemark.kit.Plans.QUANTITY;
import static dev.tidemark.kit.Plans.products;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.Profile;
import dev.tidemark.kit.Snapshot;
import dev.tidemark.kit.SourceRecord;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Promise 4: a job that is restored with a larger lookback brings in what came too late for the smaller one. */
@Timeout(300)
class WideningTest {
    private static final int HISTORIES = 6;

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(2)
            .setNumberSlotsPerTaskManager(2)
            .build());

    @TempDir
    Path folder;

    private static final Duration SOON = Duration.ofMillis(100);

    private static OrderLine observation(String product, String day, String seen, long quantity) {
        return upsert(product + "-" + day + "-" + quantity, 1)
                .product(product)
                .quantity(quantity)
                .at("2026-" + day + "T18:00:00Z")
                .seen("2026-" + seen + "T18:30:00Z");
    }

    private static OrderLine[] threeDaysOneOfThemLate() {
        return new OrderLine[] {
            observation("A", "08-20", "08-20", 1),
            observation("B", "08-20", "08-20", 2),
            observation("A", "08-21", "08-21", 3),
            observation("A", "08-23", "08-23", 4),
            observation("A", "08-20", "08-23", 50),
            observation("C", "08-21", "08-23", 60),
            observation("A", "08-22", "08-23", 7),
            observation("A", "08-17", "08-23", 8)
        };
    }

    private WholeJob narrow(String name) throws Exception {
        return WholeJob.watching(
                name,
                products()
                        .withLookback(1, 4)
                        .withColumn("quantity", Aggregate.SUM, QUANTITY)
                        .plan(),
                POSTGRES,
                folder);
    }

    @Test
    void whatCameTooLateIsPublishedFirstWithTheRowsThatSayIt() throws Exception {
        WholeJob job = narrow("widened");
        job.deliver("1.json", threeDaysOneOfThemLate());
        JobClient run = job.submit(2, SOON);
        job.awaitPublished(run);
        String savepoint = job.stop(run);
        assertThat(job.targetRows("day, product, quantity"))
                .containsExactly(
                        "2026-08-20 A 1", "2026-08-20 B 2", "2026-08-21 A 3", "2026-08-22 A 7", "2026-08-23 A 4");
        execute("insert into " + job.target() + " select day, 'Z', 1, 99, 1, 1, 0, 'EARLY', 1, now() from "
                + job.target() + " where product = 'B'");
        execute("update " + job.target() + " set quantity = 98 where product = 'B'");

        JobClient wider = job.withLookback(3).submit(1, SOON, savepoint);
        WholeJob.await(wider, "a widening", () -> job.publications("kind").contains("widen"));
        assertThat(job.targetRows("day, product, quantity, _pane = 'WIDENED'"))
                .as("a row of nobody's is gone, one that was changed by hand is right again")
                .containsExactly(
                        "2026-08-20 A 51 t",
                        "2026-08-20 B 2 t",
                        "2026-08-21 A 3 f",
                        "2026-08-21 C 60 t",
                        "2026-08-22 A 7 f",
                        "2026-08-23 A 4 f");
        assertThat(job.ledger("\"offset\", partition, reason, status, resolved_by = (select max(publication) from"
                        + " tidemark.publications p where p.job = late_ledger.job and kind = 'widen')"))
                .containsExactly(
                        "4 2026-08-20 outside-window incorporated t",
                        "5 2026-08-21 outside-window incorporated t",
                        "7 2026-08-17 state-expired open null");
        assertThat(job.publications("kind, lookback, closed_before, complete_from, replaced_from, retained_from"))
                .contains("stream 1 2026-08-22 2026-08-22 null 2026-08-19")
                .endsWith("widen 3 2026-08-20 2026-08-20 2026-08-20 2026-08-19");
        assertThat(job.partitions("partition, cells, members, closed_by is null, open_late"))
                .containsExactly(
                        "2026-08-17 0 0 f 1",
                        "2026-08-20 2 3 t 0",
                        "2026-08-21 2 2 t 0",
                        "2026-08-22 1 1 t 0",
                        "2026-08-23 1 1 t 0");

        job.deliver(
                "2.json",
                observation("A", "08-20", "08-23", 100),
                observation("D", "08-24", "08-24", 5),
                observation("A", "08-20", "08-24", 1000));
        job.awaitPublished(wider);
        assertThat(job.rows("select quantity from " + job.target() + " where day = '2026-08-20' and product = 'A'"))
                .as("what the larger lookback admits goes on being admitted")
                .containsExactly("151");
        assertThat(job.partitions("partition, closed_by > (select max(publication) from tidemark.publications p where"
                        + " p.job = partitions.job and kind = 'widen')"))
                .as("what was opened again is closed by a later publication")
                .contains("2026-08-20 t");

        List<String> after = job.everything();
        String narrowAgain = job.stop(wider);
        JobClient narrow = job.withLookback(1).submit(2, SOON, narrowAgain);
        job.deliver("3.json", observation("A", "08-22", "08-24", 2000));
        job.awaitPublished(narrow);
        WholeJob.cancel(narrow);
        assertThat(job.publications("kind, lookback, closed_before, late")).endsWith("stream 1 2026-08-23 1");
        assertThat(job.everything())
                .containsAll(after.stream()
                        .filter(row -> row.startsWith("target") || row.startsWith("revision"))
                        .toList());
    }

    @Test
    void theSameSavepointWidenedAgainChangesNothing() throws Exception {
        WholeJob job = narrow("widened-twice");
        job.deliver("1.json", threeDaysOneOfThemLate());
        JobClient run = job.submit(2, SOON);
        job.awaitPublished(run);
        String savepoint = job.stop(run);
        JobClient wider = job.withLookback(3).submit(2, SOON, savepoint);
        WholeJob.await(wider, "a widening", () -> job.publications("kind").contains("widen"));
        job.deliver("2.json", observation("B", "08-21", "08-23", 6), observation("D", "08-24", "08-24", 5));
        job.awaitPublished(wider);
        WholeJob.cancel(wider);
        List<String> before = job.everything();

        JobClient again = job.submit(1, SOON, savepoint);
        WholeJob.await(
                again,
                "another widening",
                () -> job.publications("kind").stream().filter("widen"::equals).count() == 2);
        WholeJob.cancel(again);

        assertThat(job.everything().stream().filter(row -> !row.startsWith("publications")))
                .containsExactlyElementsOf(before.stream()
                        .filter(row -> !row.startsWith("publications"))
                        .toList());
        assertThat(job.publications("records_read, cells_replaced, cells_removed"))
                .endsWith("0 0 0");
    }

    /** The state is behind the warehouse: it catches up first, and then what it opened goes out. */
    @Test
    void anOlderSavepointCatchesUpBeforeItIsPublishedWider() throws Exception {
        WholeJob job = narrow("widened-older");
        job.deliver("1.json", threeDaysOneOfThemLate());
        JobClient run = job.submit(2, SOON);
        job.awaitPublished(run);
        String older = job.stop(run);
        JobClient on = job.submit(2, SOON, older);
        job.deliver(
                "2.json",
                observation("A", "08-21", "08-23", 500),
                observation("D", "08-24", "08-24", 5),
                observation("A", "08-22", "08-24", 600));
        job.awaitPublished(on);
        job.stop(on);

        JobClient wider = job.withLookback(3).submit(2, SOON, older);
        WholeJob.await(wider, "a widening", () -> job.publications("kind").contains("widen"));
        WholeJob.cancel(wider);

        assertThat(job.targetRows("day, product, quantity"))
                .containsExactly(
                        "2026-08-20 A 51",
                        "2026-08-20 B 2",
                        "2026-08-21 A 503",
                        "2026-08-21 C 60",
                        "2026-08-22 A 607",
                        "2026-08-23 A 4",
                        "2026-08-24 D 5");
        assertThat(job.publications("kind, closed_before, replaced_from")).endsWith("widen 2026-08-21 2026-08-20");
        assertThat(job.ledger("split, \"offset\", partition, status"))
                .containsExactly(
                        "1.json 4 2026-08-20 incorporated",
                        "1.json 5 2026-08-21 incorporated",
                        "1.json 7 2026-08-17 open",
                        "2.json 0 2026-08-21 incorporated",
                        "2.json 2 2026-08-22 incorporated");
    }

    @Test
    void restoredWiderInMidRunAJobIsAsOneThatWasWiderFromTheStart() throws Exception {
        int widened = 0;
        for (long seed = 3_000_000; widened < HISTORIES; seed++) {
            History drawn = Histories.random(seed, Profile.everything().withRecords(100, 300));
            PartitionPlan days = drawn.plan().partition();
            if (days.retain() > days.lookback()) {
                widened++;
                widens(seed, drawn, days);
            }
        }
    }

    private void widens(long seed, History drawn, PartitionPlan days) throws Exception {
        Random random = new Random(seed);
        WholeJob job = WholeJob.over("widened-" + seed, drawn, POSTGRES, folder);
        Mishaps.slow(job.plan().job(), 2);
        JobClient run = job.submit(1 + random.nextInt(4), Duration.ofMillis(50));
        WholeJob.await(run, "some records published", () -> job.recordsPublished() > 20);
        WholeJob.cancel(run);
        String checkpoint = job.newestCheckpoint(run);
        Mishaps.plan(job.plan().job(), seed, random.nextInt(3), 1 + random.nextInt(8));
        int lookback = days.lookback() + 1 + random.nextInt(days.retain() - days.lookback());
        WholeJob.end(job.withLookback(lookback).submit(1 + random.nextInt(4), Duration.ofMillis(40), checkpoint));

        Oracle oracle = new Oracle(job.plan(), Fingerprints.of(job.plan()));
        for (SourceRecord record : job.history().records()) {
            oracle.accept(record);
        }
        Snapshot expected = oracle.snapshot();
        String from = Objects.requireNonNull(expected.completeFrom());
        assertThat(job.target(from)).as("seed %d", seed).isEqualTo(oracle.window());
        assertThat(job.publications("kind")).as("seed %d", seed).containsOnlyOnce("widen");
        String replacedFrom = job.rows(
                        "select replaced_from from tidemark.publications where kind = 'widen' and job = '"
                                + job.plan().job() + "'")
                .get(0);
        String inRange = "null".equals(replacedFrom) ? "" : " and partition >= '" + replacedFrom + "'";
        assertThat(job.rows("select split, \"offset\", half from tidemark.late_ledger where status = 'open' and job = '"
                        + job.plan().job() + "' and partition is not null" + inRange
                        + " order by split collate \"C\", \"offset\", half"))
                .as("seed %d", seed)
                .containsExactlyInAnyOrderElementsOf(expected.ledger().stream()
                        .filter(row -> row.partition() != null
                                && ("null".equals(replacedFrom)
                                        || row.partition().compareTo(replacedFrom) >= 0))
                        .map(row -> row.split() + " " + row.offset() + " "
                                + row.half().name().toLowerCase(Locale.ROOT))
                        .toList());
        assertThat(job.rows("select coalesce(sum(open_late), 0) from tidemark.partitions where job = '"
                        + job.plan().job() + "'"))
                .isEqualTo(job.rows("select count(*) from tidemark.late_ledger where status = 'open' and job = '"
                        + job.plan().job() + "' and partition is not null"));
        job.leavesNothingStaged();
    }

    private static void execute(String sql) throws Exception {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
