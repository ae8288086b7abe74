package dev.tidemark.it;

import static dev.tidemark.it.OrderLine.delete;
import static dev.tidemark.it.OrderLine.upsert;
import static dev.tidemark.kit.Plans.QUANTITY;
import static dev.tidemark.kit.Plans.products;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Grain;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.Plans;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.SourceRecord;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The example of the bounded correction lookback, closing quantities of products by day, and what a suite for this pattern
 * must distinguish: bootstrap, steady state, correction, boundary, deletion, retry and recovery.
 */
@Timeout(180)
class WorkedExampleTest {
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
                .replaceAll("([A-Z])", "-$1")
                .toLowerCase(Locale.ROOT);
    }

    /** The closing quantity of a day is that of the latest observation. Three days before the frontier's stay open. */
    private static Plans closings(int lookback, int retain) {
        return products()
                .withGrain(Grain.DAY, "America/New_York")
                .withLookback(lookback, retain)
                .withColumn("closing", Aggregate.LATEST, QUANTITY);
    }

    private WholeJob job() throws Exception {
        return WholeJob.bounded(name, closings(3, 6).plan(), POSTGRES, folder);
    }

    /** A job over the same changes in which nothing is ever late: a full refresh. */
    private WholeJob refresh() throws Exception {
        return WholeJob.bounded(name + "-again", closings(10_000, 10_000).plan(), POSTGRES, folder);
    }

    private static OrderLine observation(String product, String day, long quantity) {
        return upsert(product + "-" + day, 1)
                .product(product)
                .quantity(quantity)
                .atOnce("2026-" + day + "T18:00:00-04:00");
    }

    private static OrderLine[] atTheStartOfSeptember() {
        return new OrderLine[] {
            observation("A", "08-28", 10),
            observation("A", "08-29", 12),
            observation("A", "08-30", 14),
            observation("A", "08-31", 13)
        };
    }

    @Test
    void theWorkedExample() throws Exception {
        WholeJob job = job();
        job.deliver("1.json", atTheStartOfSeptember());
        job.run();
        assertThat(job.targetRows("day, product, closing"))
                .containsExactly("2026-08-28 A 10", "2026-08-29 A 12", "2026-08-30 A 14", "2026-08-31 A 13");

        job.deliver(
                "2.json",
                observation("A", "09-01", 16).seen("2026-09-01T18:00:00-04:00"),
                upsert("A-08-31-evening", 1)
                        .quantity(15)
                        .at("2026-08-31T20:00:00-04:00")
                        .seen("2026-09-01T18:01:00-04:00"),
                upsert("A-08-29", 2)
                        .quantity(11)
                        .at("2026-08-29T18:00:00-04:00")
                        .seen("2026-09-01T18:02:00-04:00"),
                upsert("A-08-20", 2).quantity(9).at("2026-08-20T18:00:00-04:00").seen("2026-09-01T18:03:00-04:00"));
        job.run();

        assertThat(job.targetRows("day, product, n, closing, _revision, _members, _pane, _publication"))
                .containsExactly(
                        "2026-08-28 A 1 10 1 1 ON_TIME 1",
                        "2026-08-29 A 1 11 2 1 LATE 2",
                        "2026-08-30 A 1 14 1 1 ON_TIME 1",
                        "2026-08-31 A 2 15 2 2 ON_TIME 2",
                        "2026-09-01 A 1 16 1 1 EARLY 2");
        assertThat(job.ledger("split, \"offset\", half, record_id, op, partition, key, event_time, observed_at,"
                        + " lateness_ms, age, frontier, open_from, reason, withheld, status, publication"))
                .containsExactly(
                        "2.json 3 whole A-08-20 upsert 2026-08-20 {\"product\": \"A\"} 2026-08-20 22:00:00+00"
                                + " 2026-09-01 22:03:00+00 1036980000 12 2026-09-01 22:03:00+00 2026-08-29 state-expired f open 2");
        assertThat(job.publications("publication, records_read, applied, superseded, late, split, rejected,"
                        + " cells_replaced, cells_removed, partitions, closed_before, complete_from, max_lateness_ms"))
                .containsExactly(
                        "1 4 4 0 0 0 0 4 0 4 2026-08-28 2026-08-28 0",
                        "2 4 3 0 1 0 0 3 0 3 2026-08-29 2026-08-29 1036980000");
        job.agrees();
        job.leavesNothingStaged();
    }

    /** Keys and every value, in both directions, against another target from the same source and against the oracle. */
    @Test
    void referenceFullRefreshEquivalence() throws Exception {
        WholeJob job = job();
        WholeJob refresh = refresh();
        for (int step = 0; step < 3; step++) {
            OrderLine[] changes = representativeChanges(step);
            job.deliver(step + ".json", changes);
            refresh.deliver(step + ".json", changes);
            job.run();
        }
        refresh.run();

        job.agrees();
        Oracle oracle = new Oracle(job.plan(), Fingerprints.of(job.plan()));
        for (SourceRecord record : job.history().records()) {
            oracle.accept(record);
        }
        assertThat(oracle.window()).isNotEmpty().isEqualTo(oracle.recomputed());
        assertThat(oracle.beyondMemory()).isEmpty();
        String completeFrom = String.valueOf(oracle.snapshot().completeFrom());
        assertThat(differences(job, refresh, "day >= '" + completeFrom + "'")).isEmpty();
        assertThat(differences(job, refresh, "day < '" + completeFrom + "'"))
                .as("what the limit of the window leaves to a refresh")
                .isNotEmpty();
    }

    private static OrderLine[] representativeChanges(int step) {
        LocalDate first = LocalDate.of(2026, 8, 20).plusDays(3L * step);
        OrderLine[] changes = new OrderLine[90];
        for (int i = 0; i < changes.length; i++) {
            LocalDate day = first.plusDays(i / 30);
            int record = (i * 7 + step * 11) % 40;
            // Observations of today, corrections of up to eight days ago, moves and deletions.
            LocalDate about = day.minusDays(i % 5 == 0 ? record % 8 : 0);
            String seen =
                    day.atTime(12, 0).plusMinutes(i).toInstant(ZoneOffset.UTC).toString();
            OrderLine change = i % 11 == 10
                    ? delete("r" + record, 100L * step + i)
                    : upsert("r" + record, 100L * step + i)
                            .product("P" + record % 3)
                            .quantity(i)
                            .at(about.atTime(11, record)
                                    .toInstant(ZoneOffset.UTC)
                                    .toString());
            changes[i] = change.seen(seen);
        }
        return changes;
    }

    /** Rows of one target that are not in the other. */
    private static List<String> differences(WholeJob one, WholeJob other, String where) throws SQLException {
        String columns = "select day, product, n, closing, _members, _fingerprint from ";
        String a = columns + one.target() + " where " + where;
        String b = columns + other.target() + " where " + where;
        return one.rows("(" + a + " except " + b + ") union all (" + b + " except " + a + ")");
    }

    @Test
    void noChangeIdempotence() throws Exception {
        WholeJob job = job();
        job.deliver("1.json", atTheStartOfSeptember());
        job.run();
        List<String> before = job.everything();

        job.run();
        job.run(3, Duration.ofMillis(20));

        assertThat(job.everything()).isEqualTo(before);
        job.leavesNothingStaged();
    }

    @Test
    void newPartition() throws Exception {
        WholeJob job = job();
        job.deliver("1.json", atTheStartOfSeptember());
        job.run();
        List<String> before = job.targetRows("day, product, ctid, xmin, closing");

        job.deliver("2.json", observation("A", "09-01", 16), observation("B", "09-01", 3));
        job.run();

        assertThat(job.targetRows("day, product, ctid, xmin, closing"))
                .startsWith(before.toArray(String[]::new))
                .hasSize(before.size() + 2);
        assertThat(job.publications("publication, cells_replaced, partitions")).containsExactly("1 4 4", "2 2 1");
        job.agrees();
    }

    @Test
    void inWindowLateCorrection() throws Exception {
        WholeJob job = job();
        job.deliver("1.json", atTheStartOfSeptember());
        job.run();

        job.deliver(
                "2.json",
                upsert("A-08-29", 2)
                        .quantity(21)
                        .at("2026-08-29T18:00:00-04:00")
                        .seen("2026-08-31T19:00:00-04:00"));
        job.run();

        assertThat(job.targetRows("day, product, closing, _revision"))
                .containsExactly("2026-08-28 A 10 1", "2026-08-29 A 21 2", "2026-08-30 A 14 1", "2026-08-31 A 13 1");
        job.agrees();
    }

    /** The limit is deliberate, and a wider window or a full refresh recovers what lies beyond it. */
    @Test
    void outsideWindowCorrection() throws Exception {
        WholeJob job = job();
        WholeJob refresh = refresh();
        WholeJob wider = WholeJob.bounded(name + "-wider", closings(5, 6).plan(), POSTGRES, folder);
        OrderLine next = observation("A", "09-01", 16);
        OrderLine correction = upsert("A-08-28", 2)
                .quantity(99)
                .at("2026-08-28T18:00:00-04:00")
                .seen("2026-09-01T19:00:00-04:00");
        for (WholeJob each : List.of(job, refresh, wider)) {
            each.deliver("1.json", atTheStartOfSeptember());
            each.deliver("2.json", next);
            each.run();
        }
        List<String> before = job.rows("select t.*, ctid, xmin from " + job.target() + " t");

        for (WholeJob each : List.of(job, refresh, wider)) {
            each.deliver("3.json", correction);
            each.run();
        }

        assertThat(job.rows("select t.*, ctid, xmin from " + job.target() + " t"))
                .hasSameElementsAs(before);
        assertThat(job.ledger("record_id, partition, age, open_from, reason, withheld"))
                .containsExactly("A-08-28 2026-08-28 4 2026-08-29 outside-window t");
        assertThat(job.partitions("partition, open_late")).contains("2026-08-28 1");
        assertThat(job.publications("late, cells_replaced, partitions")).last().isEqualTo("1 0 0");
        assertThat(refresh.targetRows("day, product, closing")).startsWith("2026-08-28 A 99");
        assertThat(wider.targetRows("day, product, closing")).startsWith("2026-08-28 A 99");
        job.agrees();
        wider.agrees();
        refresh.agrees();
    }

    /** The open window begins with the first instant of its first local day: not a microsecond before it, nor after. */
    @ParameterizedTest
    @CsvSource({
        "2026-08-29T04:00:00Z, 0, 2026-08-29 A 7",
        "2026-08-29T03:59:59.999999Z, 1, 2026-08-30 A 1",
        "2026-08-29T00:00:00-04:00, 0, 2026-08-29 A 7",
        "2026-08-28T23:59:59.999999-04:00, 1, 2026-08-30 A 1"
    })
    void exactLowerBoundCorrection(String event, int late, String firstRow) throws Exception {
        WholeJob job = WholeJob.bounded(
                "bound-" + event.toLowerCase(Locale.ROOT).replaceAll("[^0-9tz]", ""),
                closings(3, 6).plan(),
                POSTGRES,
                folder);
        job.deliver(
                "1.json",
                observation("A", "08-30", 1),
                observation("A", "09-01", 2),
                upsert("bound", 1).quantity(7).at(event).seen("2026-09-01T18:01:00-04:00"));
        job.run();

        assertThat(job.publications("applied, late")).containsExactly((3 - late) + " " + late);
        assertThat(job.targetRows("day, product, closing")).startsWith(firstRow);
        job.agrees();
    }

    @Test
    void sourceDeletion() throws Exception {
        WholeJob job = job();
        job.deliver("1.json", atTheStartOfSeptember());
        job.deliver("2.json", observation("B", "08-31", 5), observation("B", "08-30", 4));
        job.run();
        assertThat(job.targetRows("day, product")).contains("2026-08-31 B");

        job.deliver("3.json", delete("B-08-31", 2).seen("2026-08-31T20:00:00-04:00"));
        job.run();

        assertThat(job.targetRows("day, product, closing"))
                .containsExactly(
                        "2026-08-28 A 10", "2026-08-29 A 12", "2026-08-30 A 14", "2026-08-30 B 4", "2026-08-31 A 13");
        assertThat(job.publications("cells_replaced, cells_removed, partitions"))
                .last()
                .isEqualTo("0 1 1");
        job.agrees();
    }

    /**
     * The database refuses the publication three times: while rows are deleted, while they are inserted, and when the
     * transaction is committed. Readers see the old rows until all of the new ones are there.
     */
    @ParameterizedTest
    @CsvSource({
        "deletion, create trigger interrupt after delete on TARGET for each row execute function public.interrupt_NAME()",
        "insertion, create trigger interrupt after insert on TARGET for each row execute function public.interrupt_NAME()",
        "commit, create constraint trigger interrupt after insert on TARGET_revisions deferrable initially deferred"
                + " for each row execute function public.interrupt_NAME()"
    })
    void interruptedRunAndRetry(String moment, String trigger) throws Exception {
        WholeJob job = WholeJob.bounded("interrupted-" + moment, closings(3, 6).plan(), POSTGRES, folder);
        job.deliver("1.json", atTheStartOfSeptember());
        job.run();
        List<String> before = job.everything();
        install(trigger, moment, job);

        job.deliver(
                "2.json",
                delete("A-08-29", 2).seen("2026-08-31T20:00:00-04:00"),
                observation("B", "08-31", 6),
                observation("A", "09-01", 16));
        Throwable refused = catchThrowable(job.withRestarts(0)::run);
        assertThat(refused).hasStackTraceContaining("interrupted at the " + moment);
        assertThat(job.everything()).isEqualTo(before);

        job.withRestarts(50).run();

        assertThat(job.rows("select last_value from refusals_" + moment)).containsExactly("4");
        assertThat(job.targetRows("day, product, closing, _revision"))
                .containsExactly(
                        "2026-08-28 A 10 1",
                        "2026-08-30 A 14 1",
                        "2026-08-31 A 13 1",
                        "2026-08-31 B 6 1",
                        "2026-09-01 A 16 1");
        assertThat(job.publications("publication, applied")).containsExactly("1 4", "2 3");
        job.agrees();
        job.leavesNothingStaged();
    }

    /** The first three times that it is called in a transaction that could go on, the trigger refuses. */
    private static void install(String trigger, String moment, WholeJob job) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create sequence public.refusals_" + moment);
            statement.execute("""
                    create function public.interrupt_NAME() returns trigger language plpgsql as $$
                    begin
                        if pg_sequence_last_value('public.refusals_NAME') is not distinct from 4 then return null; end if;
                        if nextval('public.refusals_NAME') <= 3 then raise exception 'interrupted at the NAME'; end if;
                        return null;
                    end $$""".replace("NAME", moment));
            statement.execute(trigger.replace("NAME", moment).replace("TARGET", job.target()));
        }
    }

    /** The work of a run depends on what is new and on the window, not on the age of the table. */
    @Test
    void performanceEvidence() throws Exception {
        WholeJob job = job();
        OrderLine[] history = new OrderLine[600];
        LocalDate first = LocalDate.of(2026, 6, 1);
        for (int i = 0; i < history.length; i++) {
            String noon = first.plusDays(i / 10)
                    .atTime(16, i % 60)
                    .toInstant(ZoneOffset.UTC)
                    .toString();
            history[i] = upsert("h" + i, 1).product("P" + i % 10).quantity(i).atOnce(noon);
        }
        job.deliver("1.json", history);
        job.run();
        List<String> before = job.rows(
                "select day, product, ctid, xmin from " + job.target() + " where day < '2026-07-28' order by 1, 2");
        assertThat(before).hasSize(57 * 10);

        job.deliver(
                "2.json",
                upsert("h599", 2).product("P9").quantity(0).atOnce("2026-07-30T17:00:00Z"),
                upsert("h560", 2)
                        .product("P0")
                        .quantity(1)
                        .at("2026-07-27T16:20:00Z")
                        .seen("2026-07-30T17:01:00Z"),
                upsert("h561", 2)
                        .product("P1")
                        .quantity(1)
                        .at("2026-07-28T16:21:00Z")
                        .seen("2026-07-30T17:02:00Z"),
                upsert("h0", 2)
                        .product("P0")
                        .quantity(1)
                        .at("2026-06-01T16:00:00Z")
                        .seen("2026-07-30T17:03:00Z"));
        job.run();

        assertThat(job.publications("records_read, cells_replaced, cells_removed, partitions, half_window_exceeded"))
                .containsExactly("600 600 0 60 0", "4 3 1 3 2");
        assertThat(job.rows("select day, product, ctid, xmin from " + job.target()
                        + " where day < '2026-07-27' order by 1, 2"))
                .isEqualTo(before.stream()
                        .filter(row -> row.compareTo("2026-07-27") < 0)
                        .toList());
        assertThat(job.rows("select distinct day from " + job.target() + " where _publication = 2 order by 1"))
                .containsExactly("2026-07-27", "2026-07-28", "2026-07-30");
        job.agrees();
    }
}
