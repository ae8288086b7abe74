package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.avro.Decoders;
import dev.tidemark.database.Connections;
import dev.tidemark.it.Published.Publication;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobSpec;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.Profile;
import dev.tidemark.kit.Snapshot;
import dev.tidemark.kit.Snapshot.Counts;
import dev.tidemark.kit.SourceRecord;
import dev.tidemark.lateness.LatenessBuckets;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.pipeline.Ports;
import dev.tidemark.pipeline.Topology;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.jdbc.Initialization;
import dev.tidemark.publish.jdbc.JdbcStage;
import dev.tidemark.publish.jdbc.JdbcWarehouse;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Generated histories through the whole job, on real parts, with random checkpoints, failures and parallelism: after each
 * publication everything that is visible agrees with the oracle at the publication's positions.
 *
 * <p>{@code -Dtidemark.histories=N} runs as many as one likes, {@code -Dtidemark.histories.first=SEED} begins elsewhere.
 */
class GeneratedHistoriesTest {
    private static final int HISTORIES = Integer.getInteger("tidemark.histories", 50);
    private static final int FIRST = Integer.getInteger("tidemark.histories.first", 0);

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(2)
            .setNumberSlotsPerTaskManager(2)
            .build());

    private static int publicationsSeen;

    @TempDir
    Path folder;

    static LongStream seeds() {
        return LongStream.range(FIRST, (long) FIRST + HISTORIES);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyPublicationAgreesWithTheOracle(long seed) throws Exception {
        History history = named(Histories.random(seed, profile(seed)), seed);
        JobPlan plan = history.writeTo(folder.resolve("source"));
        Random random = new Random(seed);
        Connections connections = POSTGRES.connections();
        new Initialization(connections, plan).run(JobSpec.json(plan), null);
        Mishaps.plan(plan.job(), seed, random.nextInt(5), 1 + random.nextInt(8));

        run(plan, connections, 1 + random.nextInt(4), Duration.ofMillis(10 + random.nextInt(60)));

        try (Connection analyst = POSTGRES.connect()) {
            Published published = new Published(analyst, plan);
            List<Publication> publications = published.publications();
            assertThat(publications).as(history.toString()).isNotEmpty();
            agree(history, published, publications);
            publicationsSeen += publications.size();

            // Promise 3: the same changes again, with other checkpoints, from nothing.
            Mishaps.plan(plan.job(), -seed, random.nextInt(2), 1 + random.nextInt(30));
            run(plan, connections, 1 + random.nextInt(4), Duration.ofMillis(10 + random.nextInt(60)));
            assertThat(published.publications()).isEqualTo(publications);
            agree(history, published, publications);
        }
    }

    @AfterAll
    static void theRunsWereNotTooTame() {
        if (HISTORIES >= 40) {
            assertThat(publicationsSeen).as("publications").isGreaterThan(3 * HISTORIES);
            assertThat(Mishaps.happened())
                    .containsKeys(
                            "while reading",
                            "before staging",
                            "after staging",
                            "before the publication",
                            "after the commit, before the acknowledgement");
        }
    }

    private static Profile profile(long seed) {
        return (seed % 3 == 0 ? Profile.forgetful() : Profile.everything()).withRecords(40, 400);
    }

    private static void agree(History history, Published published, List<Publication> publications) throws Exception {
        JobPlan plan = history.plan();
        Oracle oracle = new Oracle(plan, Fingerprints.of(plan));
        Counts sum = new Counts(0, 0, 0, 0, 0, 0, null, 0);
        int next = 0;
        List<SourceRecord> records = history.records();
        for (Publication publication : publications) {
            while (next < records.size() && isBefore(records.get(next), publication)) {
                oracle.accept(records.get(next++));
            }
            sum = plus(sum, publication.counts());
            Snapshot expected = oracle.snapshot();
            String where = "publication " + publication + " after " + next + " records of " + history;
            assertThat(sum).as(where).isEqualTo(expected.counts());
            assertThat(published.targetAt(publication.number())).as(where).isEqualTo(expected.target());
            assertThat(published.ledgerAt(publication.number())).as(where).isEqualTo(ledger(expected));
            assertThat(published.rejectedAt(publication.number()))
                    .as(where)
                    .containsExactlyInAnyOrderElementsOf(expected.rejected());
            assertThat(publication.completeFrom()).as(where).isEqualTo(expected.completeFrom());
            assertThat(publication.closedBefore()).as(where).isEqualTo(expected.closedBefore());
        }
        assertThat(next).as("all records are published of " + history).isEqualTo(records.size());
        Snapshot last = oracle.snapshot();
        assertThat(published.target()).as(history.toString()).isEqualTo(last.target());
        assertThat(published.lateness()).as(history.toString()).isEqualTo(lateness(last));
        Map<String, String> sizes = new TreeMap<>();
        last.partitions().forEach((partition, size) -> sizes.put(partition, size.cells() + " " + size.members()));
        assertThat(published.partitions()).as(history.toString()).isEqualTo(sizes);
        assertThat(published.staged()).as("left in the staging tables").isEmpty();
    }

    private static boolean isBefore(SourceRecord record, Publication publication) {
        return LogCut.comparePositions(record.split(), record.offset(), publication.split(), publication.nextOffset())
                < 0;
    }

    private static Counts plus(Counts sum, Counts more) {
        Long most = sum.maxLatenessMillis() == null
                ? more.maxLatenessMillis()
                : more.maxLatenessMillis() == null
                        ? sum.maxLatenessMillis()
                        : Long.valueOf(Math.max(sum.maxLatenessMillis(), more.maxLatenessMillis()));
        return new Counts(
                sum.read() + more.read(),
                sum.applied() + more.applied(),
                sum.superseded() + more.superseded(),
                sum.late() + more.late(),
                sum.split() + more.split(),
                sum.rejected() + more.rejected(),
                most,
                sum.halfWindowExceeded() + more.halfWindowExceeded());
    }

    private static List<String> ledger(Snapshot snapshot) {
        return snapshot.ledger().stream()
                .map(row -> String.join(
                        " ",
                        row.split(),
                        Long.toString(row.offset()),
                        row.half().name().toLowerCase(Locale.ROOT),
                        String.valueOf(row.recordId()),
                        row.operation().name().toLowerCase(Locale.ROOT),
                        String.valueOf(row.partition()),
                        String.valueOf(row.eventTime()),
                        String.valueOf(row.observedAt()),
                        String.valueOf(row.latenessMillis()),
                        String.valueOf(row.age()),
                        String.valueOf(row.frontier()),
                        String.valueOf(row.openFrom()),
                        row.reason().word(),
                        row.withheld() ? "t" : "f",
                        "open"))
                .sorted()
                .toList();
    }

    private static Map<String, String> lateness(Snapshot snapshot) {
        Map<String, long[]> sums = new TreeMap<>();
        snapshot.lateness().forEach((entry, times) -> {
            String bucket = entry.observedDay() + " " + entry.arrival().name().toLowerCase(Locale.ROOT) + " "
                    + entry.age() + " " + LatenessBuckets.upperBound(entry.latenessMillis());
            long[] sum = sums.computeIfAbsent(bucket, key -> new long[3]);
            sum[0] += times;
            sum[1] += entry.isLate() ? times : 0;
            sum[2] = Math.max(sum[2], entry.latenessMillis());
        });
        Map<String, String> result = new TreeMap<>();
        sums.forEach((bucket, sum) -> result.put(bucket, sum[0] + " " + sum[1] + " " + sum[2]));
        return result;
    }

    /** The history under a name and a table of its own, with revisions, from which every publication can be read. */
    private static History named(History history, long seed) {
        JobPlan plan = history.plan();
        JobPlan.TargetPlan target = plan.target();
        return new History(
                "seed " + seed + " of " + GeneratedHistoriesTest.class.getSimpleName(),
                new JobPlan(
                        "history-" + seed,
                        plan.source(),
                        plan.changes(),
                        plan.time(),
                        plan.partition(),
                        new JobPlan.TargetPlan("histories", "h_" + seed, target.key(), target.columns(), true)),
                history.files());
    }

    static void run(JobPlan plan, Connections connections, int parallelism, Duration interval) throws Exception {
        StreamExecutionEnvironment environment = environment(parallelism, interval);
        topology(plan, connections).build(environment);
        environment.execute(plan.job());
    }

    static Topology topology(JobPlan plan, Connections connections) {
        Ports ports = new Ports(
                Mishaps.reading(new Decoders()),
                Mishaps.staging(plan, JdbcStage.factory(connections, plan)),
                Mishaps.publishing(plan, JdbcWarehouse.factory(connections, plan)),
                JdbcWarehouse.publishedPositions(connections, plan.job()),
                (log, path) -> {});
        return new Topology(plan, ports, UUID.randomUUID().toString(), Map.of());
    }

    static StreamExecutionEnvironment environment(int parallelism, Duration interval) {
        Configuration settings = new Configuration();
        settings.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 50);
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(20));
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(settings);
        environment.setParallelism(parallelism);
        FlinkSettings.require(environment, interval);
        return environment;
    }
}
