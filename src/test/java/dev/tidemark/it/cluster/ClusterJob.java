package dev.tidemark.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.it.Published;
import dev.tidemark.it.Published.Publication;
import dev.tidemark.it.WarehouseAgreement;
import dev.tidemark.it.cluster.LocalCluster.Output;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.DealtHistory;
import dev.tidemark.kit.DealtHistory.Delivery;
import dev.tidemark.kit.History;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** One job over a topic of its own, with a database of its own, on the cluster, handled as people handle it. */
final class ClusterJob {
    private static final Pattern SUBMITTED = Pattern.compile("submitted \\S+ as Flink job ([0-9a-f]{32})");
    private static final Pattern SAVEPOINT = Pattern.compile("Savepoint completed\\. Path: (\\S.*)");

    private final LocalCluster cluster;
    private final String name;
    private final DealtHistory history;
    private final Path file;
    private final JobPlan plan;
    private int sent;

    private ClusterJob(LocalCluster cluster, String name, DealtHistory history, Path file, JobPlan plan) {
        this.cluster = cluster;
        this.name = name;
        this.history = history;
        this.file = file;
        this.plan = plan;
    }

    /** Makes topic, database and job file; nothing is sent or submitted yet. */
    static ClusterJob over(DealtHistory history, String name, LocalCluster cluster) throws Exception {
        // Generated clocks are not of today: nothing must expire, and no timestamp is too strange.
        cluster.kafka()
                .createTopic(
                        name,
                        history.partitions(),
                        Map.of("retention.ms", "-1", "message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE)));
        cluster.createDatabase(name.replace('-', '_'));
        Path file = JobText.write(
                cluster.folder(name), name, history.plan(), cluster.kafka().bootstrapServers(), Duration.ofSeconds(5));
        return new ClusterJob(cluster, name, history, file, JobFiles.read(file, Map.of()));
    }

    Path file() {
        return file;
    }

    String database() {
        return name.replace('-', '_');
    }

    String warehouse() {
        return cluster.warehouse(database());
    }

    JobPlan plan() {
        return plan;
    }

    // ------------------------------------------------------------------------------------------------------- records

    /** Sends the next records; all that are left if there are not so many. */
    synchronized void send(int count) throws Exception {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        int end = Math.min(history.deliveries().size(), sent + count);
        for (Delivery delivery : history.deliveries().subList(sent, end)) {
            records.add(new ProducerRecord<>(
                    name, delivery.partition(), delivery.timestamp().toEpochMilli(), null, delivery.payload()));
        }
        cluster.kafka().sendAll(records);
        sent = end;
    }

    /** Sends all that is left. */
    void sendTheRest() throws Exception {
        send(Integer.MAX_VALUE - history.deliveries().size());
    }

    synchronized int sent() {
        return sent;
    }

    /** A producer that sends a few records now and again, until it is closed; then what is left is sent at once. */
    Live live(int count, Duration pause) {
        return new Live(count, pause);
    }

    /** See {@link #live}. */
    final class Live implements AutoCloseable {
        private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        private volatile boolean closing;

        private Live(int count, Duration pause) {
            new Thread(() -> produce(count, pause), "producer of " + name).start();
        }

        private void produce(int count, Duration pause) {
            try {
                while (!closing) {
                    send(count);
                    Thread.sleep(pause.toMillis());
                }
                sendTheRest();
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

    /**
     * Submits the job with {@code flink run -d} and gives Flink's id of it.
     *
     * @param options further options of {@code tidemark run}
     */
    String submit(String... options) {
        return submitted(cluster.flink(arguments(List.of(), options)));
    }

    /** The same from a savepoint or a retained checkpoint, by Flink's own option. */
    String restore(String savepoint, String... options) {
        return submitted(cluster.flink(arguments(List.of("-s", savepoint), options)));
    }

    private String[] arguments(List<String> ofFlink, String... ofRun) {
        List<String> arguments = new ArrayList<>(List.of("run", "-d"));
        arguments.addAll(ofFlink);
        arguments.addAll(List.of(
                Path.of("target/tidemark.jar").toAbsolutePath().toString(),
                "run",
                "--job",
                file.toString(),
                "--warehouse",
                warehouse()));
        arguments.addAll(List.of(ofRun));
        return arguments.toArray(String[]::new);
    }

    private static String submitted(Output output) {
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

    /** Takes a savepoint of a run that goes on. */
    String savepoint(String id) throws IOException {
        Output output =
                cluster.flink("savepoint", id, cluster.folder("savepoints").toString());
        Matcher matcher = SAVEPOINT.matcher(LocalCluster.ok(output));
        assertThat(matcher.find()).as(output.toString()).isTrue();
        return matcher.group(1).strip();
    }

    void cancel(String id) throws Exception {
        LocalCluster.ok(cluster.flink("cancel", id));
        LocalCluster.await("the end of " + id, () -> state(id).equals("CANCELED"));
    }

    /** What Flink says of a run: RUNNING, RESTARTING, FAILED ... */
    String state(String id) throws Exception {
        return cluster.rest("/jobs/" + id).path("state").asText();
    }

    /** Why a run has failed last, as Flink tells it. */
    String failure(String id) throws Exception {
        return cluster.rest("/jobs/" + id + "/exceptions").toString();
    }

    /** How many times Flink has restored a run. */
    long restored(String id) throws Exception {
        return cluster.rest("/jobs/" + id + "/checkpoints")
                .path("counts")
                .path("restored")
                .asLong();
    }

    /** Whether Flink has ever started a run again by itself. */
    boolean wasRestarted(String id) throws Exception {
        return cluster.rest("/jobs/" + id).path("timestamps").path("RESTARTING").asLong() > 0;
    }

    /** How many checkpoints of a run are complete. */
    long checkpoints(String id) throws Exception {
        return cluster.rest("/jobs/" + id + "/checkpoints")
                .path("counts")
                .path("completed")
                .asLong();
    }

    /** How often a run makes a checkpoint. */
    Duration checkpointInterval(String id) throws Exception {
        return Duration.ofMillis(cluster.rest("/jobs/" + id + "/checkpoints/config")
                .path("interval")
                .asLong());
    }

    /** The number of the TaskManager that publishes: where the subtask of a run is that comes last. */
    int publishingTaskManager(String id) throws Exception {
        JsonNode vertices = cluster.rest("/jobs/" + id).path("vertices");
        String last = vertices.get(vertices.size() - 1).path("id").asText();
        JsonNode subtasks = cluster.rest("/jobs/" + id + "/vertices/" + last).path("subtasks");
        return LocalCluster.number(subtasks.get(0).path("taskmanager-id").asText());
    }

    /** Waits until a run does its work, all subtasks of it. */
    void awaitRunning(String id) throws Exception {
        LocalCluster.await("all subtasks of " + name + " running", () -> {
            JsonNode job = cluster.rest("/jobs/" + id);
            boolean all = job.path("state").asText().equals("RUNNING");
            for (JsonNode vertex : job.path("vertices")) {
                all &= vertex.path("status").asText().equals("RUNNING");
            }
            return all;
        });
    }

    /** Waits until so many more records are published than are now. */
    void awaitMore(String id, int records) throws Exception {
        long goal = recordsPublished() + records;
        awaitUnlessEnded(id, goal + " records of " + name, () -> recordsPublished() >= goal);
    }

    /** Waits until all that has been sent is published. */
    void awaitPublished(String id) throws Exception {
        long all = sent();
        awaitUnlessEnded(id, "all " + all + " records of " + name, () -> recordsPublished() == all);
    }

    private void awaitUnlessEnded(String id, String what, LocalCluster.Condition condition) throws Exception {
        LocalCluster.await(what, () -> {
            String state = state(id);
            if (state.equals("FAILED") || state.equals("CANCELED")) {
                throw new IllegalStateException(state + ": " + failure(id));
            }
            return condition.holds();
        });
    }

    // ----------------------------------------------------------------------------------------------------- warehouse

    List<String> rows(String sql) throws SQLException {
        return cluster.rows(database(), sql);
    }

    long recordsPublished() throws SQLException {
        return Long.parseLong(rows("select coalesce(sum(records_read), 0) from tidemark.publications")
                .get(0));
    }

    /** Everything that a reader could compare: if nothing of it differs, nothing has happened. */
    List<String> everything() throws SQLException {
        String target = plan.target().schema() + "." + plan.target().table();
        List<String> all =
                new ArrayList<>(rows("select 'target', t::text, ctid, xmin from " + target + " t order by 2"));
        all.addAll(rows("select 'revision', r::text from " + target + "_revisions r order by 2"));
        for (String table : List.of("publications", "late_ledger", "rejected_changes", "lateness", "partitions")) {
            all.addAll(rows("select '" + table + "', t::text from tidemark." + table + " t order by 2"));
        }
        return all;
    }

    /** Asserts that after each publication, and now, everything is as the oracle says. */
    List<Publication> agrees() throws Exception {
        History delivered = history.sent(name, plan, sent());
        try (Connection analyst = cluster.connect(database())) {
            Published published = new Published(analyst, plan);
            List<Publication> publications = published.publications();
            WarehouseAgreement.agree(delivered, published, publications);
            return publications;
        }
    }

    /** Asserts that a job that has been stopped leaves nothing: no staged rows, sessions, locks or prepared transactions. */
    void leavesNothing() throws Exception {
        try (Connection analyst = cluster.connect(database())) {
            assertThat(new Published(analyst, plan).staged()).as("staged").isEmpty();
        }
        String others = " where datname = '" + database() + "' and pid <> pg_backend_pid()";
        LocalCluster.await(
                "the end of all sessions of " + name,
                () -> rows("select pid from pg_stat_activity" + others).isEmpty());
        assertThat(rows("select locktype, mode from pg_locks where pid <> pg_backend_pid() and database ="
                        + " (select oid from pg_database where datname = '" + database() + "')"))
                .isEmpty();
        assertThat(rows("select gid from pg_prepared_xacts")).isEmpty();
    }
}
