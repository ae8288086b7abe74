package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.avro.Decoders;
import dev.tidemark.database.Connections;
import dev.tidemark.it.Published.Publication;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobSpec;
import dev.tidemark.job.KafkaPlan;
import dev.tidemark.kit.History;
import dev.tidemark.kit.History.LogFile;
import dev.tidemark.kit.KafkaBroker;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.pipeline.Ports;
import dev.tidemark.pipeline.Topology;
import dev.tidemark.publish.jdbc.Initialization;
import dev.tidemark.publish.jdbc.JdbcSkippedFiles;
import dev.tidemark.publish.jdbc.JdbcStage;
import dev.tidemark.publish.jdbc.JdbcStartPositions;
import dev.tidemark.publish.jdbc.JdbcWarehouse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * One job on real parts: its files in a folder of its own or its records in a topic of its own, Flink, and its rows in PostgreSQL. A file that is delivered is
 * remembered, so that the oracle can be asked what should have come of all of them.
 */
final class WholeJob {
    /** So rarely that the end of the input makes the only publication. */
    static final Duration AT_THE_END = Duration.ofMinutes(10);

    private static final long PATIENCE_SECONDS = 120;

    private JobPlan plan;
    private final PostgresServer postgres;
    private final Connections connections;
    private final Path folder;
    private final Map<String, LogFile> delivered = new TreeMap<>();
    private @Nullable KafkaBroker kafka;
    private int restarts = 50;

    private WholeJob(JobPlan plan, PostgresServer postgres, Path folder) throws IOException {
        this.plan = plan;
        this.postgres = postgres;
        this.connections = postgres.connections();
        this.folder = folder;
        Files.createDirectories(source());
        new Initialization(connections, plan).run(JobSpec.json(plan), null);
    }

    /** A job that reads what has been delivered and ends. */
    static WholeJob bounded(String name, JobPlan plan, PostgresServer postgres, Path folder) throws IOException {
        return create(name, plan, postgres, folder.resolve(name), 0);
    }

    /** A job that goes on and reads what is delivered while it runs. */
    static WholeJob watching(String name, JobPlan plan, PostgresServer postgres, Path folder) throws IOException {
        return create(name, plan, postgres, folder.resolve(name), 10);
    }

    /** A job over the files of a history. */
    static WholeJob over(String name, History history, PostgresServer postgres, Path folder) throws IOException {
        WholeJob job = bounded(name, history.plan(), postgres, folder);
        for (LogFile file : history.files()) {
            job.put(file.path(), file.lines());
        }
        return job;
    }

    /**
     * A job that goes on and reads a topic of its name, which is created empty.
     *
     * @param properties what Kafka's client is told besides
     */
    static WholeJob reading(
            KafkaBroker kafka,
            int partitions,
            Map<String, String> properties,
            String name,
            JobPlan plan,
            PostgresServer postgres,
            Path folder)
            throws Exception {
        kafka.createTopic(
                name,
                partitions,
                // the timestamps of the records are of any time, and nothing may come of it
                Map.of(
                        "retention.ms", "-1",
                        "segment.ms", Long.toString(Long.MAX_VALUE),
                        "message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE)));
        SourcePlan source = plan.source();
        KafkaPlan topic = new KafkaPlan(
                kafka.bootstrapServers(),
                name,
                null,
                null,
                Map.of(),
                null,
                KafkaPlan.Startup.EARLIEST,
                0,
                properties,
                60_000);
        WholeJob job = named(
                name,
                plan,
                new SourcePlan(source.schema(), source.format(), source.idleTimeoutMillis(), null, topic),
                postgres,
                folder.resolve(name));
        job.kafka = kafka;
        for (int partition = 0; partition < partitions; partition++) {
            String log = name + "-" + partition;
            job.delivered.put(log, new LogFile(log, List.of(), List.of()));
        }
        return job;
    }

    /** A job as a job file has it, which reads {@code source} under the folder. */
    static WholeJob of(JobPlan plan, PostgresServer postgres, Path folder) throws IOException {
        return new WholeJob(plan, postgres, folder);
    }

    private static WholeJob create(String name, JobPlan plan, PostgresServer postgres, Path folder, long watchMillis)
            throws IOException {
        SourcePlan source = plan.source();
        return named(
                name,
                plan,
                new SourcePlan(
                        source.schema(),
                        source.format(),
                        folder.resolve("source").toString(),
                        watchMillis,
                        source.logs(),
                        source.idleTimeoutMillis()),
                postgres,
                folder);
    }

    private static WholeJob named(String name, JobPlan plan, SourcePlan source, PostgresServer postgres, Path folder)
            throws IOException {
        TargetPlan target = plan.target();
        JobPlan named = new JobPlan(
                name,
                source,
                plan.fields(),
                plan.where(),
                plan.changes(),
                plan.time(),
                plan.partition(),
                new TargetPlan(
                        "histories",
                        name.replace('-', '_'),
                        target.key(),
                        target.columns(),
                        true,
                        target.retroactive()));
        return new WholeJob(named, postgres, folder);
    }

    /** How often Flink restarts the job when it fails; 50 times unless said otherwise. */
    WholeJob withRestarts(int most) {
        restarts = most;
        return this;
    }

    /** For how long the submissions from now on wait for a log that has been read to its end. */
    WholeJob waitingFor(Duration idleTimeout) {
        SourcePlan source = plan.source();
        plan = new JobPlan(
                plan.job(),
                new SourcePlan(
                        source.schema(), source.format(), idleTimeout.toMillis(), source.files(), source.kafka()),
                plan.fields(),
                plan.where(),
                plan.changes(),
                plan.time(),
                plan.partition(),
                plan.target());
        return this;
    }

    /** How many partitions before the frontier's the submissions from now on keep open. */
    WholeJob withLookback(int partitions) {
        JobPlan.PartitionPlan days = plan.partition();
        plan = new JobPlan(
                plan.job(),
                plan.source(),
                plan.fields(),
                plan.where(),
                plan.changes(),
                plan.time(),
                new JobPlan.PartitionPlan(
                        days.grain(), days.zone(), partitions, null, days.retain(), days.column(), days.wholeFrom()),
                plan.target());
        return this;
    }

    JobPlan plan() {
        return plan;
    }

    Path source() {
        return folder.resolve("source");
    }

    /** Target table, as SQL. */
    String target() {
        return plan.target().schema() + "." + plan.target().table();
    }

    // ------------------------------------------------------------------------------------------------------ files

    /** Renames a file of these records into place. */
    void deliver(String name, OrderLine... lines) throws IOException {
        put(
                name,
                Arrays.stream(lines)
                        .map(line -> line.json().getBytes(StandardCharsets.UTF_8))
                        .toList());
    }

    private void put(String name, List<byte[]> lines) throws IOException {
        Path file = source().resolve(name);
        Path unfinished = source().resolve(name + ".tmp");
        Files.createDirectories(file.resolveSibling("."));
        try (var out = Files.newOutputStream(unfinished)) {
            for (byte[] line : lines) {
                out.write(line);
                out.write('\n');
            }
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        delivered.put(name, new LogFile(name, lines));
    }

    /** A file that the job will not read is none of its history. */
    void disregard(String name) {
        delivered.remove(name);
    }

    /** All that was delivered. */
    History history() {
        return new History(plan.job(), plan, List.copyOf(delivered.values()));
    }

    // ------------------------------------------------------------------------------------------------------ topic

    /** Sends records to a partition; the broker gets them when they are seen. */
    void send(int partition, OrderLine... lines) throws Exception {
        send(
                partition,
                Arrays.stream(lines)
                        .map(line -> line.json().getBytes(StandardCharsets.UTF_8))
                        .toList(),
                Arrays.stream(lines).map(OrderLine::seen).toList());
    }

    /**
     * Sends of each partition of a history one of so many parts.
     *
     * @param part from 0
     */
    void send(History history, int part, int parts) throws Exception {
        for (int partition = 0; partition < history.files().size(); partition++) {
            LogFile log = history.files().get(partition);
            int from = log.lines().size() * part / parts;
            int to = log.lines().size() * (part + 1) / parts;
            send(
                    partition,
                    log.lines().subList(from, to),
                    Objects.requireNonNull(log.timestamps()).subList(from, to));
        }
    }

    private void send(int partition, List<byte[]> values, List<Instant> timestamps) throws Exception {
        String log = plan.job() + "-" + partition;
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            records.add(new ProducerRecord<>(
                    plan.job(), partition, timestamps.get(i).toEpochMilli(), null, values.get(i)));
        }
        Objects.requireNonNull(kafka, "the job reads no topic").sendAll(records);
        LogFile before = Objects.requireNonNull(delivered.get(log));
        List<byte[]> lines = new ArrayList<>(before.lines());
        lines.addAll(values);
        List<Instant> times = new ArrayList<>(Objects.requireNonNull(before.timestamps()));
        times.addAll(timestamps);
        delivered.put(log, new LogFile(log, lines, times));
    }

    /** How many records the shortest of the logs has that have any: a job that holds the others has read as many. */
    long leastDelivered() {
        return delivered.values().stream()
                .mapToLong(log -> log.lines().size())
                .filter(records -> records > 0)
                .min()
                .orElse(0);
    }

    // ------------------------------------------------------------------------------------------------------- runs

    /** Reads everything that was delivered, from nothing, in one publication. */
    void run() throws Exception {
        run(2, AT_THE_END);
    }

    void run(int parallelism, Duration interval) throws Exception {
        end(submit(parallelism, interval));
    }

    JobClient submit(int parallelism, Duration interval) throws Exception {
        return submit(parallelism, interval, null);
    }

    /** Submits the job, from a savepoint or checkpoint if one is given. Its checkpoints are retained. */
    JobClient submit(int parallelism, Duration interval, @Nullable String from) throws Exception {
        Configuration settings = new Configuration();
        settings.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, restarts);
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(20));
        settings.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        settings.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                folder.resolve("checkpoints").toUri().toString());
        settings.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        if (from != null) {
            settings.set(StateRecoveryOptions.SAVEPOINT_PATH, from);
        }
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(settings);
        environment.setParallelism(parallelism);
        FlinkSettings.require(environment, interval);
        topology().build(environment);
        return environment.executeAsync(plan.job());
    }

    private Topology topology() {
        Ports ports = new Ports(
                Mishaps.reading(new Decoders()),
                Mishaps.staging(plan, JdbcStage.factory(connections, plan)),
                Mishaps.publishing(plan, JdbcWarehouse.factory(connections, plan)),
                JdbcWarehouse.publishedPositions(connections, plan),
                new JdbcSkippedFiles(plan.job(), connections),
                new JdbcStartPositions(plan.job(), connections));
        return new Topology(plan, ports, UUID.randomUUID().toString(), Map.of());
    }

    /** Waits for the end of a run; fails as the run did. */
    static void end(JobClient run) throws Exception {
        run.getJobExecutionResult().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Cancels a run and waits until it is gone. */
    static void cancel(JobClient run) throws Exception {
        run.cancel().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        while (!run.getJobStatus().get(PATIENCE_SECONDS, TimeUnit.SECONDS).isGloballyTerminalState()) {
            Thread.sleep(5);
        }
    }

    /** Stops a run and gives the savepoint that it leaves. */
    String stop(JobClient run) throws Exception {
        return run.stopWithSavepoint(false, savepoints(), SavepointFormatType.CANONICAL)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** The folder of the newest checkpoint of a run that is complete. */
    String newestCheckpoint(JobClient run) throws IOException {
        List<Long> completed = checkpoints(run);
        assertThat(completed).as("completed checkpoints").isNotEmpty();
        return checkpointsOf(run)
                .resolve("chk-" + Collections.max(completed))
                .toUri()
                .toString();
    }

    /** The numbers of the checkpoints of a run that are complete. */
    List<Long> checkpoints(JobClient run) throws IOException {
        List<Long> completed = new ArrayList<>();
        if (Files.exists(checkpointsOf(run))) {
            try (var entries = Files.newDirectoryStream(checkpointsOf(run), "chk-*")) {
                for (Path entry : entries) {
                    if (Files.exists(entry.resolve("_metadata"))) {
                        completed.add(Long.parseLong(
                                String.valueOf(entry.getFileName()).substring(4)));
                    }
                }
            }
        }
        return completed;
    }

    private Path checkpointsOf(JobClient run) {
        return folder.resolve("checkpoints").resolve(run.getJobID().toString());
    }

    /** Where savepoints go. */
    String savepoints() {
        return folder.resolve("savepoints").toUri().toString();
    }

    /** Waits until all that was delivered is published by a run that goes on. */
    void awaitPublished(JobClient run) throws Exception {
        long expected = history().records().size();
        await(run, expected + " records of " + plan.job() + " published", () -> recordsPublished() == expected);
    }

    /** Waits until something holds while a run goes on; fails as the run does. */
    static void await(JobClient run, String what, Condition condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.holds()) {
            if (run.getJobStatus().get(PATIENCE_SECONDS, TimeUnit.SECONDS).isGloballyTerminalState()) {
                end(run);
            }
            assertThat(System.nanoTime()).as("waiting for %s", what).isLessThan(end);
            Thread.sleep(15);
        }
    }

    /** Something that may come true. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    // --------------------------------------------------------------------------------------------------- warehouse

    long recordsPublished() throws SQLException {
        return Long.parseLong(rows("select coalesce(sum(records_read), 0) from tidemark.publications where job = '"
                        + plan.job() + "'")
                .get(0));
    }

    /** The rows of a query as text, in one analyst's zone: columns with a space in between. */
    List<String> rows(String sql) throws SQLException {
        try (Connection analyst = postgres.connect();
                Statement statement = analyst.createStatement()) {
            statement.execute("set datestyle = 'ISO'");
            statement.execute("set timezone = 'UTC'");
            List<String> rows = new ArrayList<>();
            try (ResultSet row = statement.executeQuery(sql)) {
                int columns = row.getMetaData().getColumnCount();
                while (row.next()) {
                    List<String> values = new ArrayList<>();
                    for (int i = 1; i <= columns; i++) {
                        values.add(String.valueOf(row.getString(i)));
                    }
                    rows.add(String.join(" ", values));
                }
            }
            return rows;
        }
    }

    /** Columns of the target's rows by partition and key. */
    List<String> targetRows(String columns) throws SQLException {
        return rows("select " + columns + " from " + target() + " order by 1, 2");
    }

    /** Columns of the job's publications. */
    List<String> publications(String columns) throws SQLException {
        return rows("select " + columns + " from tidemark.publications where job = '" + plan.job()
                + "' order by publication");
    }

    /** Columns of the job's ledger in the order of the log. */
    List<String> ledger(String columns) throws SQLException {
        return rows("select " + columns + " from tidemark.late_ledger where job = '" + plan.job()
                + "' order by split collate \"C\", \"offset\", half");
    }

    /** Columns of the rows of partitions. */
    List<String> partitions(String columns) throws SQLException {
        return rows(
                "select " + columns + " from tidemark.partitions where job = '" + plan.job() + "' order by partition");
    }

    /** Everything that a reader could compare: if nothing of it differs, nothing has happened. */
    List<String> everything() throws SQLException {
        List<String> all =
                new ArrayList<>(rows("select 'target', t::text, ctid, xmin from " + target() + " t order by 2"));
        all.addAll(rows("select 'revision', r::text from " + target() + "_revisions r order by 2"));
        for (String table :
                List.of("publications", "late_ledger", "rejected_changes", "lateness", "partitions", "skipped_files")) {
            all.addAll(rows("select '" + table + "', t::text from tidemark." + table + " t where job = '" + plan.job()
                    + "' order by 2"));
        }
        return all;
    }

    /** The target as it stands, in the oracle's words. */
    List<TargetRow> target(String from) throws Exception {
        try (Connection analyst = postgres.connect()) {
            return new Published(analyst, plan)
                    .target().stream()
                            .filter(row -> row.partition().compareTo(from) >= 0)
                            .toList();
        }
    }

    /** Asserts that after each publication, and now, everything is as the oracle says, and nothing is left over. */
    List<Publication> agrees() throws Exception {
        try (Connection analyst = postgres.connect()) {
            Published published = new Published(analyst, plan);
            List<Publication> publications = published.publications();
            WarehouseAgreement.agree(history(), published, publications);
            return publications;
        }
    }

    /** Asserts that nothing is left of what was staged: true when a job has come to its end. */
    void leavesNothingStaged() throws SQLException {
        try (Connection analyst = postgres.connect()) {
            assertThat(new Published(analyst, plan).staged())
                    .as("left in the staging tables")
                    .isEmpty();
        }
    }
}
