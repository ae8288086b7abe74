package dev.tidemark.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.it.cluster.LocalCluster.Output;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.History;
import dev.tidemark.kit.History.LogFile;
import dev.tidemark.kit.Oracle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A job over a folder into which files of sales are renamed, with a database of its own, on the cluster. Its lookback is one
 * day; its state remembers six.
 */
final class SalesJob {
    /** The lookback of the job file. */
    static final int LOOKBACK = 1;

    private static final String SCHEMA = """
            {"type": "record", "name": "Sale", "fields": [
              {"name": "id", "type": "string"},
              {"name": "shop", "type": "string"},
              {"name": "amount", "type": "int"},
              {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
              {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}
            """;
    private static final String JOB = """
            formatVersion: 1
            job: %s
            source: { schema: sale.avsc, format: json, files: { path: data, watch: 100ms } }
            changes: { mode: upsert, id: id, version: seen }
            time: { event: at, observed: seen, frontier: observed }
            partition: { grain: day, zone: UTC, lookback: %d, retain: 6 }
            target:
              table: shop.sales
              key: shop
              columns:
                sales:  { count: {} }
                amount: { sum: amount }
            """;
    private static final Pattern SUBMITTED = Pattern.compile("submitted .* as Flink job ([0-9a-f]{32})");
    private static final Pattern SAVEPOINT = Pattern.compile("Savepoint completed\\. Path: (\\S.*)");

    /** Later than any sale. */
    private static final String LAST = "2999-01-01";

    /** So many files the producer is ahead of what is published. */
    private static final int AHEAD = 20;

    private final LocalCluster cluster;
    private final String name;
    private final Path folder;
    private final Path file;
    private final JobPlan plan;
    private final List<LogFile> delivered = new ArrayList<>();

    private SalesJob(LocalCluster cluster, String name, Path folder, Path file, JobPlan plan) {
        this.cluster = cluster;
        this.name = name;
        this.folder = folder;
        this.file = file;
        this.plan = plan;
    }

    /** Makes folder, database and job file; nothing is delivered or submitted yet. */
    static SalesJob named(String name, LocalCluster cluster) throws Exception {
        Path folder = cluster.folder(name);
        cluster.createDatabase(name.replace('-', '_'));
        Files.createDirectories(folder.resolve("data"));
        Files.writeString(folder.resolve("sale.avsc"), SCHEMA);
        Path file = Files.writeString(folder.resolve("job.yaml"), JOB.formatted(name, LOOKBACK));
        return new SalesJob(cluster, name, folder, file, JobFiles.read(file, Map.of()));
    }

    /** A sale as a record; times are those of 2024, such as {@code 03-10T10:00:00}. */
    static String sale(String id, int amount, String at, String seen) {
        return "{\"id\": \"%s\", \"shop\": \"shop %s\", \"amount\": %d, \"at\": \"2024-%sZ\", \"seen\": \"2024-%sZ\"}"
                .formatted(id, id.charAt(0), amount, at, seen);
    }

    // ------------------------------------------------------------------------------------------------------- records

    /** Renames a file of these records into place; it sorts behind all before it. */
    synchronized void deliver(String... sales) throws IOException {
        String fileName = "%06d.json".formatted(delivered.size());
        Path unfinished =
                Files.writeString(folder.resolve("data").resolve(fileName + ".tmp"), String.join("\n", sales) + "\n");
        Files.move(unfinished, folder.resolve("data").resolve(fileName), StandardCopyOption.ATOMIC_MOVE);
        delivered.add(new LogFile(
                fileName,
                Arrays.stream(sales)
                        .map(sale -> sale.getBytes(StandardCharsets.UTF_8))
                        .toList()));
    }

    /** How many records have been delivered. */
    synchronized long sent() {
        return delivered.stream().mapToLong(each -> each.lines().size()).sum();
    }

    /** Somebody who delivers one sale after the other, while a job publishes them, until it is closed. */
    Live live(Supplier<String> sales) {
        return new Live(sales);
    }

    /** See {@link #live}. */
    final class Live implements AutoCloseable {
        private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        private volatile boolean closing;

        private Live(Supplier<String> sales) {
            new Thread(() -> produce(sales), "producer of " + name).start();
        }

        private void produce(Supplier<String> sales) {
            try {
                while (!closing) {
                    if (sent() - recordsPublished() < AHEAD) {
                        deliver(sales.get());
                    }
                    Thread.sleep(200);
                }
                end.complete(null);
            } catch (Exception failure) {
                end.completeExceptionally(failure);
            }
        }

        @Override
        public void close() throws Exception {
            closing = true;
            end.get(LocalCluster.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    // ---------------------------------------------------------------------------------------------------------- runs

    /** A command of the program under {@code flink run}, with job and warehouse named. */
    Output underFlink(List<String> ofFlink, String command, String... options) {
        List<String> arguments = new ArrayList<>(List.of("run"));
        arguments.addAll(ofFlink);
        arguments.add(Path.of("target/tidemark.jar").toAbsolutePath().toString());
        arguments.addAll(List.of(command, "--job", file.toString(), "--warehouse", warehouse()));
        arguments.addAll(List.of(options));
        return cluster.flink(arguments.toArray(String[]::new));
    }

    /** The program started directly, with job and warehouse named. */
    Output directly(String command, String... options) {
        List<String> arguments =
                new ArrayList<>(List.of(command, "--job", file.toString(), "--warehouse", warehouse()));
        arguments.addAll(List.of(options));
        return cluster.tidemark(arguments.toArray(String[]::new));
    }

    /** Submits the job and gives Flink's id of it. */
    String submit() {
        return flinkJob(underFlink(List.of("-d"), "run", "--parallelism", "2", "--checkpoint-interval", "500ms"));
    }

    /** The same from a savepoint, by Flink's own option. */
    String restore(String savepoint, String... options) {
        List<String> all = new ArrayList<>(List.of("--parallelism", "2", "--checkpoint-interval", "500ms"));
        all.addAll(List.of(options));
        return flinkJob(underFlink(List.of("-d", "-s", savepoint), "run", all.toArray(String[]::new)));
    }

    /** The id that a submission tells. */
    static String flinkJob(Output output) {
        Matcher matcher = SUBMITTED.matcher(LocalCluster.ok(output));
        assertThat(matcher.find()).as(output.toString()).isTrue();
        return matcher.group(1);
    }

    /** Stops a run and gives the savepoint that it leaves. */
    String stop(String id) throws IOException {
        Output output = cluster.flink(
                "stop", "--savepointPath", cluster.folder("savepoints").toString(), id);
        Matcher matcher = SAVEPOINT.matcher(LocalCluster.ok(output));
        assertThat(matcher.find()).as(output.toString()).isTrue();
        return matcher.group(1).strip();
    }

    /** What Flink says of a run. */
    String state(String id) throws Exception {
        return cluster.rest("/jobs/" + id).path("state").asText();
    }

    /** Whether Flink has ever started a run again by itself. */
    boolean wasRestarted(String id) throws Exception {
        return cluster.rest("/jobs/" + id).path("timestamps").path("RESTARTING").asLong() > 0;
    }

    /** Waits until something holds, and fails at once if the run has failed. */
    void await(String id, String what, LocalCluster.Condition condition) throws Exception {
        LocalCluster.await(what, () -> {
            JsonNode run = cluster.rest("/jobs/" + id);
            String state = run.path("state").asText();
            if (state.equals("FAILED") || state.equals("CANCELED")) {
                throw new IllegalStateException(state + ": "
                        + cluster.rest("/jobs/" + id + "/exceptions").toString());
            }
            return condition.holds();
        });
    }

    /** Waits until all that has been delivered is published. */
    void awaitPublished(String id) throws Exception {
        long all = sent();
        await(id, all + " records of " + name, () -> recordsPublished() == all);
    }

    /** Waits until so many more records are published than are now. */
    void awaitMore(String id, int records) throws Exception {
        long goal = recordsPublished() + records;
        await(id, goal + " records of " + name, () -> recordsPublished() >= goal);
    }

    // ----------------------------------------------------------------------------------------------------- warehouse

    String warehouse() {
        return cluster.warehouse(name.replace('-', '_'));
    }

    List<String> rows(String sql) throws SQLException {
        return cluster.rows(name.replace('-', '_'), sql);
    }

    long recordsPublished() throws SQLException {
        return Long.parseLong(rows("select coalesce(sum(records_read), 0) from tidemark.publications")
                .get(0));
    }

    /** The target's rows from a day on, all but what says when and why they were written. */
    List<String> target(String from) throws SQLException {
        return target(from, LAST);
    }

    /** The same of some days. */
    List<String> target(String from, String to) throws SQLException {
        return rows("select day, shop, sales, amount, _members, _fingerprint from shop.sales where day between '" + from
                + "' and '" + to + "' order by day, shop collate \"C\"");
    }

    /** Everything that a reader could compare: if nothing of it differs, nothing has happened. */
    List<String> everything() throws SQLException {
        List<String> all = new ArrayList<>(rows("select 'target', t::text, ctid, xmin from shop.sales t order by 2"));
        for (String table : List.of("publications", "late_ledger", "partitions", "rebuilds", "operations")) {
            all.addAll(rows("select '" + table + "', t::text from tidemark." + table + " t order by 2"));
        }
        return all;
    }

    // -------------------------------------------------------------------------------------------------------- oracle

    /** What a job with this lookback from the start would know by now. */
    synchronized Oracle oracle(int lookback) {
        JobPlan wider = lookback == plan.partition().lookback() ? plan : plan.withLookback(lookback);
        Oracle oracle = new Oracle(wider, Fingerprints.of(wider));
        new History(name, wider, List.copyOf(delivered)).records().forEach(oracle::accept);
        return oracle;
    }

    /** The rows from a day on that such a job would have in its window. */
    List<String> window(int lookback, String from) {
        return window(lookback, from, LAST);
    }

    /** The same of some days. */
    List<String> window(int lookback, String from, String to) {
        return oracle(lookback).window().stream()
                .filter(row ->
                        row.partition().compareTo(from) >= 0 && row.partition().compareTo(to) <= 0)
                .map(row -> row.partition() + " " + row.key().get(0) + " "
                        + row.values().get(0) + " " + row.values().get(1) + " " + row.members() + " "
                        + row.fingerprint())
                .toList();
    }
}
