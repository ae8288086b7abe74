package dev.tidemark.it;

import static dev.tidemark.it.OrderLine.delete;
import static dev.tidemark.it.OrderLine.upsert;
import static dev.tidemark.kit.Plans.QUANTITY;
import static dev.tidemark.kit.Plans.products;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.it.Published.Publication;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.Profile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whatever befalls the running job, nothing is lost, doubled or renumbered. */
@Timeout(180)
class AccidentsOnTheWholeJobTest {
    private static final Duration OFTEN = Duration.ofMillis(50);

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(2)
            .setNumberSlotsPerTaskManager(4)
            .setConfiguration(new Configuration().set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, 1000))
            .build());

    @TempDir
    Path folder;

    private static JobPlan sums() {
        return products()
                .withLookback(3, 6)
                .withColumn("quantity", Aggregate.SUM, QUANTITY)
                .withColumn("last", Aggregate.LATEST, QUANTITY)
                .plan();
    }

    private WholeJob watching(String name) throws Exception {
        return WholeJob.watching(name, sums(), POSTGRES, folder);
    }

    /** Every kind of change, from the first to the fifth of September; file 3 holds one that is late. */
    private static OrderLine[] file(int number) {
        return switch (number) {
            case 1 ->
                new OrderLine[] {
                    upsert("a", 1).quantity(1).atOnce("2026-09-01T10:00:00Z"),
                    upsert("b", 1).quantity(2).atOnce("2026-09-01T11:00:00Z"),
                    upsert("c", 1).product("B").quantity(4).atOnce("2026-09-01T12:00:00Z"),
                    upsert("d", 1).quantity(8).atOnce("2026-09-02T10:00:00Z")
                };
            case 2 ->
                new OrderLine[] {
                    upsert("a", 2).quantity(16).at("2026-09-01T10:00:00Z").seen("2026-09-03T10:00:00Z"),
                    upsert("b", 2)
                            .product("B")
                            .quantity(32)
                            .at("2026-09-02T10:00:00Z")
                            .seen("2026-09-03T11:00:00Z"),
                    delete("c", 2).seen("2026-09-03T12:00:00Z")
                };
            case 3 ->
                new OrderLine[] {
                    upsert("e", 1).quantity(64).atOnce("2026-09-05T10:00:00Z"),
                    upsert("a", 3).quantity(128).at("2026-09-01T10:00:00Z").seen("2026-09-05T11:00:00Z"),
                    delete("d", 2).seen("2026-09-05T12:00:00Z")
                };
            default ->
                new OrderLine[] {
                    upsert("f" + number, 1).quantity(number).atOnce("2026-09-05T13:00:00Z"),
                    upsert("d", number)
                            .quantity(number)
                            .at("2026-09-02T10:00:00Z")
                            .seen("2026-09-05T13:30:00Z"),
                    upsert("e", number)
                            .quantity(number)
                            .at("2026-09-04T10:00:00Z")
                            .seen("2026-09-05T14:00:00Z"),
                    upsert("g", number)
                            .quantity(number)
                            .at("2026-09-01T10:00:00Z")
                            .seen("2026-09-05T14:30:00Z")
                };
        };
    }

    private static void deliver(WholeJob job, int number) throws Exception {
        job.deliver(number + ".json", file(number));
    }

    private static List<String> revisions(WholeJob job) throws SQLException {
        return job.rows("select r::text from " + job.target() + "_revisions r order by _publication, 1");
    }

    private static String savepoint(WholeJob job, JobClient run) throws Exception {
        return run.triggerSavepoint(job.savepoints(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
    }

    // ------------------------------------------------------------------------------------------------------ fencing

    @Test
    void aFencedSubmissionFailsForGoodAndNamesWhoTookOver(@InjectMiniCluster MiniCluster cluster) throws Exception {
        WholeJob job = watching("fenced");
        deliver(job, 1);
        JobClient older = job.submit(2, OFTEN);
        job.awaitPublished(older);
        JobClient newer = job.submit(3, OFTEN);
        WholeJob.await(
                newer,
                "the older one to fail",
                () -> older.getJobStatus().get(60, TimeUnit.SECONDS).isGloballyTerminalState());

        String submission = job.rows("select submission from tidemark.jobs where job = 'fenced'")
                .get(0);
        assertThatThrownBy(() -> WholeJob.end(older))
                .hasStackTraceContaining("the submission " + submission + " of the job fenced (epoch 2, Flink job "
                        + newer.getJobID() + ", since ")
                .hasStackTraceContaining("has taken over from the submission");
        for (AccessExecutionJobVertex operator :
                cluster.getExecutionGraph(older.getJobID()).get().getVerticesTopologically()) {
            for (AccessExecutionVertex subtask : operator.getTaskVertices()) {
                assertThat(subtask.getCurrentExecutionAttempt().getAttemptNumber())
                        .as("restarts of %s", subtask.getTaskNameWithSubtaskIndex())
                        .isZero();
            }
        }

        deliver(job, 2);
        job.awaitPublished(newer);
        deliver(job, 3);
        job.awaitPublished(newer);
        WholeJob.cancel(newer);

        job.agrees();
        assertThat(job.rows("select epoch, attempt from tidemark.jobs where job = 'fenced'"))
                .containsExactly("2 1");
        assertThat(job.rows("select epoch, sum(records_read) from tidemark.publications where job = 'fenced'"
                        + " group by epoch order by epoch"))
                .containsExactly("1 4", "2 6");
    }

    // ------------------------------------------------------------------------------------------------------ restores

    @Test
    void restoredFromAnOlderRetainedCheckpointWithAnotherParallelism() throws Exception {
        WholeJob job = watching("older-checkpoint");
        deliver(job, 1);
        JobClient first = job.submit(2, OFTEN);
        job.awaitPublished(first);
        String older = job.newestCheckpoint(first);
        deliver(job, 2);
        job.awaitPublished(first);
        deliver(job, 3);
        job.awaitPublished(first);
        WholeJob.cancel(first);
        List<String> before = job.everything();

        JobClient second = job.submit(4, OFTEN, older);
        awaitCheckpoints(job, second);
        assertThat(job.everything()).as("catching up").isEqualTo(before);
        List<String> revisions = revisions(job);
        deliver(job, 4);
        job.awaitPublished(second);
        WholeJob.cancel(second);

        assertThat(revisions(job)).startsWith(revisions.toArray(String[]::new)).hasSizeGreaterThan(revisions.size());
        job.agrees();
    }

    @Test
    void stoppedWithASavepointAndRestoredWithAnotherParallelism(@InjectMiniCluster MiniCluster cluster)
            throws Exception {
        WholeJob job = watching("stopped");
        Mishaps.slow("stopped", 1000);
        deliver(job, 1);
        JobClient first = job.submit(3, Duration.ofMinutes(10));
        WholeJob.await(first, "file 1 is read", () -> Mishaps.decoded("stopped") == 4 && isRunning(cluster, first));
        // There was no checkpoint yet: all is published with the savepoint, before stopping returns.
        assertThat(job.recordsPublished()).isZero();
        String savepoint = first.stopWithSavepoint(false, job.savepoints(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
        assertThat(job.recordsPublished()).isEqualTo(4);
        List<String> before = job.everything();

        JobClient second = job.submit(1, OFTEN, savepoint);
        awaitCheckpoints(job, second);
        assertThat(job.everything()).as("restoring publishes the same again").isEqualTo(before);
        deliver(job, 2);
        job.awaitPublished(second);
        deliver(job, 3);
        job.awaitPublished(second);
        String again = second.stopWithSavepoint(false, job.savepoints(), SavepointFormatType.NATIVE)
                .get(60, TimeUnit.SECONDS);

        JobClient third = job.submit(4, OFTEN, again);
        deliver(job, 4);
        job.awaitPublished(third);
        WholeJob.cancel(third);
        job.agrees();
    }

    @Test
    void restoredFromASavepointAfterTheJobHadGoneOn() throws Exception {
        WholeJob job = watching("gone-on");
        deliver(job, 1);
        JobClient first = job.submit(2, OFTEN);
        job.awaitPublished(first);
        String savepoint = savepoint(job, first);
        deliver(job, 2);
        job.awaitPublished(first);
        deliver(job, 3);
        job.awaitPublished(first);
        WholeJob.cancel(first);
        List<String> before = job.everything();

        JobClient second = job.submit(3, OFTEN, savepoint);
        awaitCheckpoints(job, second);
        assertThat(job.everything()).as("catching up").isEqualTo(before);
        deliver(job, 4);
        job.awaitPublished(second);

        // The savepoint is older than two submissions now, and still as good.
        WholeJob.cancel(second);
        List<String> later = job.everything();
        JobClient third = job.submit(1, OFTEN, savepoint);
        awaitCheckpoints(job, third);
        assertThat(job.everything()).isEqualTo(later);
        deliver(job, 5);
        job.awaitPublished(third);
        WholeJob.cancel(third);
        job.agrees();
    }

    @Test
    void aChangeThatWasLateBeforeARestoreIsLateStill() throws Exception {
        WholeJob job = watching("late-still");
        deliver(job, 1);
        deliver(job, 3);
        JobClient first = job.submit(2, OFTEN);
        job.awaitPublished(first);
        String savepoint = first.stopWithSavepoint(false, job.savepoints(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
        String untouched =
                "select t.*, ctid, xmin from " + job.target() + " t where day = '2026-09-01' order by product";
        List<String> before = job.rows(untouched);
        assertThat(before).hasSize(2);

        JobClient second = job.submit(4, OFTEN, savepoint);
        // Right after the restore, before anything has moved a frontier again.
        job.deliver(
                "4.json",
                upsert("b", 2).quantity(7).at("2026-09-01T11:00:00Z").seen("2026-09-02T12:00:00Z"),
                upsert("z", 1).quantity(9).at("2026-09-01T11:00:00Z").seen("2026-09-01T12:00:00Z"),
                delete("c", 2).seen("2026-09-05T12:00:00Z"));
        job.awaitPublished(second);
        WholeJob.cancel(second);

        assertThat(job.rows(untouched)).isEqualTo(before);
        assertThat(job.ledger("split, \"offset\", record_id, op, partition, reason, frontier"))
                .containsExactly(
                        "3.json 1 a upsert 2026-09-01 outside-window 2026-09-05 11:00:00+00",
                        "4.json 0 b upsert 2026-09-01 outside-window 2026-09-05 12:00:00+00",
                        "4.json 1 z upsert 2026-09-01 outside-window 2026-09-05 12:00:00+00",
                        "4.json 2 c delete 2026-09-01 outside-window 2026-09-05 12:00:00+00");
        job.agrees();
    }

    @Test
    void theSameFilesAgainFromNothingWithOtherCheckpoints() throws Exception {
        WholeJob job = WholeJob.over("from-nothing", history(4711), POSTGRES, folder);
        Mishaps.slow("from-nothing", 3);
        job.run(2, Duration.ofMillis(25));
        assertThat(job.agrees()).hasSizeGreaterThan(3);
        List<String> before = job.everything();

        Mishaps.slow("from-nothing", 11);
        job.run(4, Duration.ofMillis(60));
        job.run(1, WholeJob.AT_THE_END);

        assertThat(job.everything()).isEqualTo(before);
        job.leavesNothingStaged();
    }

    // ------------------------------------------------------------------------------------------------------ database

    @Test
    void backendsAreTerminatedAtRandomDuringTheRun() throws Exception {
        History history = history(1972);
        WholeJob job = WholeJob.over("terminated", history, POSTGRES, folder);
        Mishaps.slow("terminated", 2);
        JobClient run = job.submit(3, Duration.ofMillis(40));
        int terminated = 0;
        try (Connection operator = POSTGRES.connect();
                Statement statement = operator.createStatement()) {
            while (!run.getJobStatus().get(60, TimeUnit.SECONDS).isGloballyTerminalState()) {
                if (terminated < 12) {
                    try (ResultSet row = statement.executeQuery("select pg_terminate_backend(pid) from"
                            + " (select pid from pg_stat_activity where application_name like 'tidemark%'"
                            + " and datname = current_database() order by random() limit 1) b")) {
                        terminated += row.next() ? 1 : 0;
                    }
                }
                Thread.sleep(60);
            }
        }
        WholeJob.end(run);

        assertThat(terminated).as("backends that were terminated").isGreaterThan(5);
        assertThat(job.agrees()).hasSizeGreaterThan(2);
        job.leavesNothingStaged();
    }

    @Test
    void readersNeverSeeAMixture() throws Exception {
        History history = history(88);
        WholeJob job = WholeJob.over("read", history, POSTGRES, folder);
        Mishaps.plan("read", 88, 2, 2);
        List<Publication> publications;
        try (Reader one = new Reader(POSTGRES, job.plan());
                Reader other = new Reader(POSTGRES, job.plan())) {
            job.run(2, Duration.ofMillis(30));
            publications = job.agrees();

            assertThat(one.sawOnlyWholePublications()).as("publications seen").isGreaterThan(2);
            assertThat(other.sawOnlyWholePublications()).as("publications seen").isGreaterThan(2);
        }
        assertThat(publications).hasSizeGreaterThan(4);
    }

    // ------------------------------------------------------------------------------------------------------ processes

    @Test
    void theProgramIsKilledHardThreeTimesAndThenFinishes() throws Exception {
        int records = 80_000;
        int step = records / 10;
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Path file = folder.resolve("killed.yaml");
        Files.writeString(folder.resolve("order-line.avsc"), sums().source().schema());
        Files.writeString(file, """
                formatVersion: 1
                job: killed
                source: { schema: order-line.avsc, format: json, files: { path: killed/source } }
                changes: { mode: upsert, id: id, version: v, delete: gone }
                time: { event: at, observed: seen, frontier: observed }
                partition: { grain: day, zone: Europe/Berlin, lookback: 3 }
                target:
                  table: histories.killed
                  key: product
                  revisions: true
                  columns:
                    lines:    { count: {} }
                    quantity: { sum: quantity }
                    last:     { latest: quantity }
                """);
        WholeJob job = WholeJob.of(JobFiles.resolve(file, Map.of()).plan(), POSTGRES, folder.resolve("killed"));
        job.deliver("1.json", manyChanges(random, records));

        int inMidRun = 0;
        for (int kill = 1; kill <= 3; kill++) {
            try (ChildProgram program = run(file)) {
                // At a random moment of the next tenth, and some random time later still.
                int moment = step * (kill - 1) + random.nextInt(step);
                while (program.isAlive() && job.recordsPublished() <= moment) {
                    Thread.sleep(2);
                }
                Thread.sleep(random.nextInt(30));
                boolean wasAlive = program.isAlive();
                program.kill();
                assertThat(job.recordsPublished()).as(program.output()).isGreaterThan(moment);
                inMidRun += wasAlive && job.recordsPublished() < records ? 1 : 0;
            }
        }
        // On a fast machine the last one may have come to its end.
        assertThat(inMidRun).as("kills in mid-run, seed %d", seed).isGreaterThanOrEqualTo(2);
        try (ChildProgram program = run(file)) {
            assertThat(program.status()).as(program.output()).isZero();
        }

        assertThat(job.agrees()).as("seed %d", seed).hasSizeGreaterThan(3);
        job.leavesNothingStaged();
    }

    private ChildProgram run(Path file) throws IOException {
        return ChildProgram.start(
                folder,
                POSTGRES.address(),
                "run",
                "--job",
                file.toString(),
                "--parallelism",
                "2",
                "--checkpoint-interval",
                "30ms");
    }

    /** Ten days of new lines, corrections, moves, deletes and what comes too late. */
    private static OrderLine[] manyChanges(Random random, int count) {
        OrderLine[] changes = new OrderLine[count];
        Instant begin = Instant.parse("2026-03-25T00:00:00Z");
        for (int i = 0; i < count; i++) {
            Instant seen = begin.plusMillis(864_000_000L / count * i);
            Duration delay = random.nextInt(50) == 0
                    ? Duration.ofHours(random.nextInt(200))
                    : Duration.ofMinutes(random.nextInt(60));
            String id = "r" + random.nextInt(count / 4);
            OrderLine change = random.nextInt(20) == 0
                    ? delete(id, i)
                    : upsert(id, random.nextInt(10) == 0 ? i / 2 : i)
                            .product("P" + random.nextInt(20))
                            .quantity(random.nextInt(1000))
                            .at(seen.minus(delay).toString());
            changes[i] = random.nextInt(1000) == 0 ? change.with("v", "rubbish") : change.seen(seen.toString());
        }
        return changes;
    }

    // ---------------------------------------------------------------------------------------------------- poison files

    @Test
    void poisonAmongFilesOfJsonDoesNotStopTheJob() throws Exception {
        WholeJob job = WholeJob.bounded("poison-json", sums(), POSTGRES, folder);
        job.deliver("1.json", file(1));
        byte[] rubbish = new byte[5000];
        new Random(7).nextBytes(rubbish);
        Files.write(job.source().resolve("2-rubbish.json"), rubbish);
        byte[] packed =
                gzip(upsert("z", 1).quantity(5).atOnce("2026-09-02T10:00:00Z").json() + "\n", 3000);
        Files.write(job.source().resolve("3-truncated.json.gz"), Arrays.copyOf(packed, packed.length / 2));
        Files.write(job.source().resolve("4-empty.json.gz"), new byte[0]);
        job.deliver("5.json", file(2));

        job.run();

        assertThat(job.targetRows("day, product, n, quantity"))
                .contains("2026-09-01 A 1 16", "2026-09-02 B 1 32")
                .doesNotContain("2026-09-01 B 1 4");
        assertThat(job.publications("records_read = applied + superseded + late + split + rejected"))
                .containsExactly("t");
        assertThat(job.rows(
                        "select distinct split from tidemark.rejected_changes where job = 'poison-json' order by 1"))
                .contains("2-rubbish.json", "3-truncated.json.gz");
        assertThat(job.rows("select distinct reason from tidemark.rejected_changes where job = 'poison-json'"))
                .containsExactly("undecodable");
        List<String> before = job.everything();
        job.run(1, OFTEN);
        assertThat(job.everything()).isEqualTo(before);
    }

    @Test
    void poisonAmongFilesOfAvroDoesNotStopTheJob() throws Exception {
        JobPlan plan = sums();
        SourcePlan source = plan.source();
        WholeJob job = WholeJob.bounded(
                "poison-avro",
                new JobPlan(
                        plan.job(),
                        new SourcePlan(source.schema(), Format.AVRO, "", 0, source.logs(), source.idleTimeoutMillis()),
                        plan.changes(),
                        plan.time(),
                        plan.partition(),
                        plan.target()),
                POSTGRES,
                folder);
        Files.write(job.source().resolve("1.avro"), avro(source.schema(), 1, 1000));
        byte[] whole = avro(source.schema(), 2001, 1000);
        Files.write(job.source().resolve("2-truncated.avro"), Arrays.copyOf(whole, whole.length / 2));
        byte[] rubbish = new byte[5000];
        new Random(7).nextBytes(rubbish);
        Files.write(job.source().resolve("3-rubbish.avro"), rubbish);
        Files.write(job.source().resolve("4-empty.avro"), new byte[0]);
        Files.write(job.source().resolve("5.avro"), avro(source.schema(), 5001, 1000));

        job.run();

        List<String> rejected = job.rows("select split, reason from tidemark.rejected_changes where job ="
                + " 'poison-avro' order by split, \"offset\"");
        assertThat(rejected).contains("2-truncated.avro undecodable", "3-rubbish.avro undecodable");
        assertThat(job.publications("records_read = applied + rejected, rejected"))
                .containsExactly("t " + rejected.size());
        assertThat(job.rows("select sum(_members) >= 2000, sum(_members) < 3000 from " + job.target()))
                .containsExactly("t t");
        List<String> before = job.everything();
        job.run(1, OFTEN);
        assertThat(job.everything()).isEqualTo(before);
    }

    private static byte[] gzip(String line, int times) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            for (int i = 0; i < times; i++) {
                out.write(line.replace("\"z\"", "\"z" + i + "\"").getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toByteArray();
    }

    private static byte[] avro(String json, int first, int count) throws IOException {
        Schema schema = new Schema.Parser().parse(json);
        long noon = Instant.parse("2026-09-01T12:00:00Z").toEpochMilli();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataFileWriter<GenericRecord> out = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            out.setSyncInterval(1000).create(schema, bytes);
            for (int i = first; i < first + count; i++) {
                GenericRecord line = new GenericData.Record(schema);
                line.put("id", "r" + i);
                line.put("v", 1L);
                line.put("gone", false);
                line.put("at", noon * 1000);
                line.put("seen", noon + i);
                line.put("product", "P" + i % 3);
                line.put("quantity", (long) i);
                line.put("line", 0);
                out.append(line);
            }
        }
        return bytes.toByteArray();
    }

    // ------------------------------------------------------------------------------------------------------- helpers

    private static History history(long seed) {
        return Histories.random(seed, Profile.everything().withRecords(400, 400));
    }

    /** Whether all subtasks run: before that there can be no savepoint. */
    private static boolean isRunning(MiniCluster cluster, JobClient run) throws Exception {
        for (AccessExecutionJobVertex operator :
                cluster.getExecutionGraph(run.getJobID()).get().getVerticesTopologically()) {
            for (AccessExecutionVertex subtask : operator.getTaskVertices()) {
                if (subtask.getExecutionState() != ExecutionState.RUNNING) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Waits for three checkpoints of a run: all that it read at its beginning has come to the warehouse. */
    private static void awaitCheckpoints(WholeJob job, JobClient run) throws Exception {
        WholeJob.await(
                run,
                "checkpoints of " + job.plan().job(),
                () -> job.checkpoints(run).size() >= 3);
    }
}
