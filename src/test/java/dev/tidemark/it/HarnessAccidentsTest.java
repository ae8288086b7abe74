package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Agreement;
import dev.tidemark.kit.HarnessJob;
import dev.tidemark.kit.HarnessJob.Checkpoint;
import dev.tidemark.kit.HarnessSource;
import dev.tidemark.kit.History;
import dev.tidemark.kit.History.LogFile;
import dev.tidemark.kit.MemoryWarehouse;
import dev.tidemark.kit.MemoryWarehouse.Row;
import dev.tidemark.kit.MemoryWarehouse.Visible;
import dev.tidemark.kit.Plans;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.Reason;
import dev.tidemark.pipeline.Uids;
import dev.tidemark.publish.FencedException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Accidents by name, each in the smallest history that shows it. */
class HarnessAccidentsTest {
    private static final Instant FIRST_DAY = Instant.parse("2026-03-01T10:00:00Z");

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void afterARestoreAChangeThatWasLateBeforeItIsLateStill(int parallelism) throws Exception {
        History history = History.of(
                Plans.products().plan(),
                upsert("a", 1, "2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"),
                upsert("b", 1, "2026-03-08T10:00:00Z", "2026-03-08T10:00:00Z"),
                upsert("c", 1, "2026-03-01T11:00:00Z", "2026-03-08T11:00:00Z"),
                upsert("a", 2, "2026-03-08T12:00:00Z", "2026-03-08T12:00:00Z"));
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan());
                HarnessJob job = submit(history, warehouse, "only", 1)) {
            job.read(2);
            job.checkpoint();
            List<Row> before = warehouse.visible().target();
            assertThat(before).extracting(row -> row.row().partition()).containsExactly("2026-03-01", "2026-03-08");
            job.read(1);
            job.crash(parallelism);
            job.sendMaxWatermark();
            job.read(1);
            job.checkpoint();

            assertThat(warehouse.visible().ledger())
                    .extracting(LedgerRow::recordId, LedgerRow::partition, LedgerRow::reason)
                    .containsExactly(tuple("c", "2026-03-01", Reason.STATE_EXPIRED));
            assertThat(warehouse.visible().target()).isEqualTo(before);

            job.crash(parallelism);
            end(job);
            assertThat(warehouse.visible().target().get(0)).isEqualTo(before.get(0));
            agrees(history, warehouse);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void anAbortedCheckpointGoesOutWithTheNextHoweverFarItsBarrierCame(int parallelism) throws Exception {
        History history = days(6);
        int subtasks = 0;
        for (int reach = 0; reach <= subtasks; reach++) {
            try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan());
                    HarnessJob job = submit(history, warehouse, "only", parallelism)) {
                subtasks = job.subtasks();
                job.read(3);
                job.abortCheckpoint(reach);
                job.read(2);
                job.abortCheckpoint(subtasks - reach);
                job.read(2);
                job.checkpoint();
                job.read(2);
                job.abortCheckpoint(reach);
                job.crash(parallelism);
                end(job);
                agrees(history, warehouse);
                assertThat(warehouse.publications()).hasSize(2);
                assertThat(warehouse.stagedParts()).isZero();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void theEndOfAnInputThatEndsBeforeTheFirstBarrierAfterARestoreIsPublished(int parallelism) throws Exception {
        History history = days(3);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan());
                HarnessJob job = submit(history, warehouse, "only", 1)) {
            job.read(4);
            job.checkpoint();
            job.checkpoint();
            job.crash(parallelism);
            end(job);
            agrees(history, warehouse);
        }
    }

    @Test
    void killedAfterTheEndAndBeforeTheLastCheckpoint() throws Exception {
        History history = days(3);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan());
                HarnessJob job = submit(history, warehouse, "only", 2)) {
            job.read(4);
            job.checkpoint();
            job.read(Integer.MAX_VALUE);
            job.finish();
            job.crash(3);
            end(job);
            agrees(history, warehouse);
        }
    }

    @Test
    void aCheckpointThatNobodyHeardOfIsPublishedByTheRestore() throws Exception {
        History history = days(3);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan());
                HarnessJob job = submit(history, warehouse, "only", 2)) {
            job.read(4);
            job.checkpointUnheard();
            assertThat(warehouse.publications()).isEmpty();
            job.crash(1);
            assertThat(warehouse.publications()).hasSize(1);
            job.crash(2);
            assertThat(warehouse.publications()).hasSize(1);
            end(job);
            agrees(history, warehouse);
        }
    }

    /** Promise 8. */
    @Test
    void oneWriter() throws Exception {
        History history = days(8);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan());
                HarnessJob zombie = submit(history, warehouse, "older", 2)) {
            zombie.read(5);
            zombie.checkpoint();
            Checkpoint savepoint = zombie.completed().get(0);
            try (HarnessJob newer = HarnessJob.submitFrom(
                    savepoint, history.plan(), new HarnessSource(history), warehouse, "newer", 1, new Random(1))) {
                Visible before = warehouse.visible();
                zombie.read(5);
                assertThatThrownBy(zombie::checkpoint)
                        .rootCause()
                        .isInstanceOf(FencedException.class)
                        .hasMessageContaining("newer");
                assertThatThrownBy(() -> zombie.crash(1)).rootCause().isInstanceOf(FencedException.class);
                assertThat(warehouse.visible()).isEqualTo(before);
                newer.read(3);
                newer.checkpoint();
                assertThatThrownBy(() -> zombie.crash(2)).rootCause().isInstanceOf(FencedException.class);
                end(newer);
            }
            agrees(history, warehouse);
        }
    }

    @Test
    void anOlderAttemptOfTheSameSubmissionIsFencedToo() throws Exception {
        History history = days(4);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan());
                HarnessJob zombie = submit(history, warehouse, "only", 1);
                HarnessJob restarted = submit(history, warehouse, "only", 1)) {
            zombie.read(5);
            assertThatThrownBy(zombie::checkpoint).rootCause().isInstanceOf(FencedException.class);
            end(restarted);
            agrees(history, warehouse);
        }
    }

    @Test
    void aSubmissionFromASavepointOlderThanWhatIsPublishedChangesNothingUntilItIsPastIt() throws Exception {
        History history = days(8);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
            Checkpoint old;
            try (HarnessJob job = submit(history, warehouse, "first", 2)) {
                job.read(4);
                job.checkpoint();
                old = job.completed().get(0);
                job.read(8);
                job.checkpoint();
            }
            Visible before = warehouse.visible();
            try (HarnessJob job = HarnessJob.submitFrom(
                    old, history.plan(), new HarnessSource(history), warehouse, "second", 3, new Random(2))) {
                job.read(2);
                job.checkpoint();
                job.read(2);
                job.abortCheckpoint(4);
                job.crash(2);
                job.read(3);
                job.checkpoint();
                assertThat(warehouse.visible()).isEqualTo(before);
                end(job);
            }
            agrees(history, warehouse);
            assertThat(warehouse.stagedParts()).isZero();
        }
    }

    @Test
    void aLogThatLagsBehindTheMemoryOfAnotherFindsItsOpenPartitions() throws Exception {
        JobPlan plan = Plans.products().withLogsByFolder().plan();
        String early = "2026-03-01T10:00:00Z";
        String late = "2026-03-20T10:00:00Z";
        History history = History.of(
                plan,
                folder("behind", upsert("a", 1, early, early), upsert("b", 1, early, early)),
                folder("ahead", upsert("x", 1, late, late), upsert("y", 1, late, late)));
        try (MemoryWarehouse warehouse = new MemoryWarehouse(plan);
                HarnessJob job = submit(history, warehouse, "only", 1)) {
            job.read("behind", 1);
            job.read("ahead", 2);
            job.checkpoint();
            end(job);
            assertThat(warehouse.visible().target())
                    .extracting(row -> row.row().partition(), row -> row.row().members())
                    .containsExactly(tuple("2026-03-01", 2L), tuple("2026-03-20", 2L));
        }
    }

    @Test
    void aLogThatLagsBehindTheMemoryOfAnotherFindsItsRecords() throws Exception {
        JobPlan plan = Plans.products().withLogsByFolder().plan();
        String early = "2026-03-01T10:00:00Z";
        String late = "2026-03-20T10:00:00Z";
        History history = History.of(
                plan,
                folder("behind", upsert("a", 2, early, early), upsert("a", 1, early, early)),
                folder("ahead", upsert("x", 1, late, late)));
        try (MemoryWarehouse warehouse = new MemoryWarehouse(plan);
                HarnessJob job = submit(history, warehouse, "only", 1)) {
            job.read("behind", 1);
            job.read("ahead", 1);
            end(job);
            assertThat(warehouse.visible().counts().superseded()).isEqualTo(1);
            assertThat(warehouse.visible().target())
                    .extracting(row -> row.row().partition(), row -> row.row().members())
                    .containsExactly(tuple("2026-03-01", 1L), tuple("2026-03-20", 1L));
        }
    }

    @Test
    void aLogOfWhichNothingIsReadYetHoldsTheBoundBack() throws Exception {
        String early = "2026-03-01T10:00:00Z";
        String late = "2026-03-20T10:00:00Z";
        History history = History.of(
                Plans.products().withLogsByFolder().plan(),
                folder("ahead", upsert("x", 1, late, late), upsert("y", 1, late, late)),
                folder("silent", upsert("a", 1, early, early)));
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan());
                HarnessJob job = submit(history, warehouse, "only", 2)) {
            job.read("ahead", 1);
            job.checkpoint();
            job.read("ahead", 1);
            job.checkpoint();
            assertThat(warehouse.visible().closedBefore()).isNull();
            end(job);
            assertThat(warehouse.visible().target())
                    .extracting(row -> row.row().partition(), row -> row.row().members())
                    .containsExactly(tuple("2026-03-01", 1L), tuple("2026-03-20", 2L));
        }
    }

    @Test
    void aSubmissionCatchesUpWithAnEmptyLogThatARestoreStoodIn() throws Exception {
        String day = "2026-03-01T10:00:00Z";
        History history = History.of(
                Plans.products().withLogsByFolder().plan(),
                folder("full", upsert("x", 1, day, day), upsert("y", 1, day, day), upsert("z", 1, day, day)),
                folder("void"));
        HarnessSource source = new HarnessSource(history);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
            try (HarnessJob job = HarnessJob.submit(history.plan(), source, warehouse, "first", 1, new Random(1))) {
                job.read("full", 1);
                job.checkpoint();
                job.crash(2);
                job.read("full", 1);
                job.checkpoint();
            }
            try (HarnessJob job = HarnessJob.submit(history.plan(), source, warehouse, "second", 1, new Random(1))) {
                job.read("full", 3);
                job.checkpoint();
            }
            assertThat(warehouse.visible().counts().read()).isEqualTo(3);
            assertThat(warehouse.stagedParts()).isZero();
        }
    }

    /** What is published is closed for good, also for a submission that begins anew and waits for the log this time. */
    @Test
    void whatAnIdleLogBringsBeforeThePublishedBoundIsLateForTheNextSubmissionToo() throws Exception {
        String early = "2026-03-01T10:00:00Z";
        String late = "2026-03-20T10:00:00Z";
        History history = History.of(
                Plans.products().withLogsByFolder().plan(),
                folder("ahead", upsert("x", 1, late, late), upsert("y", 1, late, late)),
                folder("idle", upsert("a", 1, early, early), upsert("b", 1, early, early)));
        HarnessSource source = new HarnessSource(history);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
            try (HarnessJob job = HarnessJob.submit(history.plan(), source, warehouse, "first", 1, new Random(1))) {
                job.read("ahead", 1);
                job.read("idle", 1);
                job.becomeQuiet("idle");
                job.checkpoint();
                assertThat(warehouse.visible().closedBefore()).isEqualTo("2026-03-17");
            }
            try (HarnessJob job = HarnessJob.submit(history.plan(), source, warehouse, "second", 2, new Random(1))) {
                end(job);
            }
            assertThat(warehouse.visible().target())
                    .extracting(row -> row.row().partition(), row -> row.row().members())
                    .containsExactly(tuple("2026-03-01", 1L), tuple("2026-03-20", 2L));
            assertThat(warehouse.visible().ledger())
                    .extracting(LedgerRow::recordId, LedgerRow::partition, LedgerRow::reason)
                    .containsExactly(tuple("b", "2026-03-01", Reason.STATE_EXPIRED));
            assertThat(warehouse.visible().counts().late()).isEqualTo(1);
        }
    }

    /** An id in two logs, read in another order by a submission that begins anew: promise 1 holds all the same. */
    @Test
    void aRowThatStandsGoesWhenTheReplayNeverComesByIt() throws Exception {
        String day = "2026-03-01T10:00:00Z";
        String next = "2026-03-02T10:00:00Z";
        History history = History.of(
                Plans.products().withLogsByFolder().plan(),
                folder("a", upsert("x", 1, day, day), upsert("y", 1, day, day)),
                folder("b", upsert("x", 2, next, next)));
        HarnessSource source = new HarnessSource(history);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
            try (HarnessJob job = HarnessJob.submit(history.plan(), source, warehouse, "first", 1, new Random(1))) {
                job.read("a", 1);
                job.checkpoint();
            }
            try (HarnessJob job = HarnessJob.submit(history.plan(), source, warehouse, "second", 1, new Random(1))) {
                job.read("b", 1);
                job.read("a", 1);
                job.checkpoint();
            }
            assertThat(warehouse.visible().target())
                    .extracting(row -> row.row().partition(), row -> row.row().members())
                    .containsExactly(tuple("2026-03-02", 1L));
        }
    }

    /** A log that is a folder of one file. */
    private static LogFile folder(String log, String... lines) {
        return new LogFile(
                log + "/0.json",
                Arrays.stream(lines)
                        .map(line -> line.getBytes(StandardCharsets.UTF_8))
                        .toList());
    }

    @Test
    void aSavepointOfAQuietMomentCanBeRestoredWhenOthersHaveGoneOnFromIt() throws Exception {
        History history = days(4);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
            Checkpoint quiet;
            try (HarnessJob job = submit(history, warehouse, "first", 1)) {
                job.read(4);
                job.checkpoint();
                job.checkpoint();
                quiet = job.completed().get(1);
            }
            try (HarnessJob job = HarnessJob.submitFrom(
                    quiet, history.plan(), new HarnessSource(history), warehouse, "second", 2, new Random(2))) {
                job.read(8);
                job.checkpoint();
            }
            try (HarnessJob job = HarnessJob.submitFrom(
                    quiet, history.plan(), new HarnessSource(history), warehouse, "third", 1, new Random(3))) {
                end(job);
            }
            agrees(history, warehouse);
        }
    }

    /** Promise 9: with a steady stream, state is steady once the memory is full. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void boundedCost(int parallelism) throws Exception {
        History history = days(90);
        int aDay = history.records().size() / 90;
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan());
                HarnessJob job = submit(history, warehouse, "only", parallelism)) {
            List<Long> members = new ArrayList<>();
            List<Long> cells = new ArrayList<>();
            for (int day = 0; day < 90; day++) {
                job.read(aDay);
                job.checkpoint();
                if (day % 20 == 7) {
                    job.crash(parallelism);
                }
                members.add(job.stateEntries(Uids.MEMBERSHIP));
                cells.add(job.stateEntries(Uids.CELLS));
            }
            assertSteady(members);
            assertSteady(cells);
            assertThat(warehouse.stagedParts()).isZero();
            agrees(history, warehouse);
        }
    }

    /** What a subtask forgets waits for its next change, so that the numbers swing. */
    private static void assertSteady(List<Long> entriesByDay) {
        long early = greatest(entriesByDay.subList(12, 40));
        assertThat(greatest(entriesByDay.subList(60, 90))).isPositive().isLessThanOrEqualTo(early + early / 4);
    }

    private static long greatest(List<Long> entries) {
        return entries.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    private static HarnessJob submit(History history, MemoryWarehouse warehouse, String submission, int parallelism)
            throws Exception {
        return HarnessJob.submit(
                history.plan(),
                new HarnessSource(history),
                warehouse,
                submission,
                parallelism,
                new Random(parallelism));
    }

    private static void end(HarnessJob job) throws Exception {
        job.read(Integer.MAX_VALUE);
        job.finish();
        job.checkpoint();
    }

    private static void agrees(History history, MemoryWarehouse warehouse) {
        assertThat(new Agreement(history).difference(warehouse.publications())).isNull();
        assertThat(warehouse.visible().counts().read())
                .isEqualTo(history.records().size());
    }

    /** Each day a few new records, one corrected, one moved a day back, one withdrawn, one late. */
    private static History days(int days) {
        JobPlan plan = Plans.products()
                .withColumn("products", Aggregate.COUNT_DISTINCT, Plans.QUANTITY)
                .withColumn("last", Aggregate.LATEST, Plans.QUANTITY)
                .plan();
        List<String> lines = new ArrayList<>();
        for (int day = 0; day < days; day++) {
            String today = FIRST_DAY.plus(Duration.ofDays(day)).toString();
            String yesterday = FIRST_DAY.plus(Duration.ofDays(day - 1)).toString();
            String lastWeek = FIRST_DAY.plus(Duration.ofDays(day - 7)).toString();
            lines.add(upsert("a" + day, 1, today, today));
            lines.add(upsert("b" + day, 1, today, today));
            lines.add(upsert("a" + (day - 1), 2, yesterday, today));
            lines.add(upsert("b" + day, 2, yesterday, today));
            lines.add("{\"id\":\"a" + (day - 1) + "\",\"v\":3,\"gone\":true,\"seen\":\"" + today + "\"}");
            lines.add(upsert("c" + day, 1, lastWeek, today));
        }
        return History.of(plan, lines.toArray(String[]::new));
    }

    private static String upsert(String id, int version, String at, String seen) {
        return "{\"id\":\"" + id + "\",\"v\":" + version + ",\"at\":\"" + at + "\",\"seen\":\"" + seen
                + "\",\"product\":\"p\",\"quantity\":" + (id.hashCode() % 5 + version) + "}";
    }
}
