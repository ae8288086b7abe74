package dev.tidemark.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.kit.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JobManager, two TaskManagers, a broker and a database on this machine, started and stopped by the scripts that people
 * use, on free ports, in {@code target/test cluster} (the space is meant), where their logs stay. Started once, when the first
 * test needs it; ended after the last one.
 */
final class LocalCluster implements BeforeAllCallback {
    private static final Path ROOT = Path.of("").toAbsolutePath();
    private static final Path FOLDER = ROOT.resolve("target").resolve("test cluster");
    /** For whatever is waited for; machines may be slow. */
    static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final Pattern REPORTS_AT = Pattern.compile("Started PrometheusReporter HTTP server on port (\\d+)");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final LocalCluster SHARED = new LocalCluster();

    private final int flinkPort = freePort();
    private final int flinkRpcPort = freePort();
    private final int kafkaPort = freePort();
    private final int kafkaControllerPort = freePort();
    private final int postgresPort = freePort();
    private final KafkaBroker kafka = KafkaBroker.at(kafkaPort);
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    /** What a script or the program has said. */
    record Output(int status, String out, String err) {}

    private LocalCluster() {}

    /** The one cluster of all tests; to be registered as an extension. */
    static LocalCluster shared() {
        return SHARED;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getRoot()
                .getStore(ExtensionContext.Namespace.create(LocalCluster.class))
                .getOrComputeIfAbsent("running", key -> new Running(), Running.class);
    }

    /** From its making to its end the processes run. */
    private final class Running implements AutoCloseable {
        Running() {
            try {
                deleteAll(FOLDER);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            // not to outlive tests that are broken off
            Runtime.getRuntime().addShutdownHook(new Thread(LocalCluster.this::stop));
            ok(script("postgres", "start"));
            ok(script("kafka", "start"));
            // A loss is noticed within seconds, and the job starts again soon.
            ok(script(
                    "cluster",
                    "start",
                    "-D",
                    "heartbeat.interval=1s",
                    "-D",
                    "heartbeat.timeout=6s",
                    "-D",
                    "restart-strategy.exponential-delay.max-backoff=5s",
                    "-D",
                    "execution.checkpointing.interval=1s",
                    "-D",
                    "execution.checkpointing.min-pause=100ms"));
        }

        @Override
        public void close() {
            LocalCluster.this.stop();
        }
    }

    private void stop() {
        kafka.closeClients();
        script("cluster", "stop");
        script("kafka", "stop");
        script("postgres", "stop");
    }

    // ------------------------------------------------------------------------------------------------------- scripts

    /** Runs one of the project's scripts on this cluster and gives what it says. */
    Output script(String name, String... arguments) {
        return script(Map.of(), name, arguments);
    }

    /** The same with more of an environment. */
    Output script(Map<String, String> environment, String name, String... arguments) {
        try {
            Path out = Files.createTempFile("script", ".out");
            Path err = Files.createTempFile("script", ".err");
            ProcessBuilder builder = builder(environment, name, arguments)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            Process process = builder.start();
            if (!process.waitFor(600, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException(builder.command() + " does not end");
            }
            Output output = new Output(process.exitValue(), Files.readString(out), Files.readString(err));
            Files.delete(out);
            Files.delete(err);
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The program, started directly and left to itself; what it says goes to a file. */
    Process start(Path output, String... arguments) throws IOException {
        return builder(Map.of(), "tidemark", arguments)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private ProcessBuilder builder(Map<String, String> environment, String name, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(ROOT.resolve("scripts").resolve(name).toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> variables = builder.environment();
        variables.keySet().removeIf(variable -> variable.startsWith("TIDEMARK_"));
        variables.put("TIDEMARK_LOCAL", FOLDER.toString());
        variables.put("TIDEMARK_FLINK_PORT", Integer.toString(flinkPort));
        variables.put("TIDEMARK_FLINK_RPC_PORT", Integer.toString(flinkRpcPort));
        variables.put("TIDEMARK_KAFKA_PORT", Integer.toString(kafkaPort));
        variables.put("TIDEMARK_KAFKA_CONTROLLER_PORT", Integer.toString(kafkaControllerPort));
        variables.put("TIDEMARK_POSTGRES_PORT", Integer.toString(postgresPort));
        variables.putAll(environment);
        return builder;
    }

    /** What a script has said if all went well; fails with all that it said if not. */
    static String ok(Output output) {
        assertThat(output.status()).as(output.out() + output.err()).isZero();
        return output.out();
    }

    /** Flink's command line. */
    Output flink(String... arguments) {
        return script("flink", arguments);
    }

    /** The program, started directly. */
    Output tidemark(String... arguments) {
        return script("tidemark", arguments);
    }

    // --------------------------------------------------------------------------------------------------------- Flink

    /** Kills a TaskManager, as a machine dies. */
    void killTaskManager(int number) throws Exception {
        kill(FOLDER.resolve("cluster/run/taskmanager-" + number + ".pid"));
    }

    /** Starts a TaskManager, if it does not run, and waits until it has reported to the JobManager. */
    void startTaskManager(int number) {
        ok(script("cluster", "taskmanager", "start", Integer.toString(number)));
    }

    /** Holds a TaskManager in mid-air: it is there, and does nothing. */
    void holdTaskManager(int number) throws Exception {
        signal("STOP", FOLDER.resolve("cluster/run/taskmanager-" + number + ".pid"));
    }

    /** Lets it go on as if nothing had been. */
    void releaseTaskManager(int number) throws Exception {
        signal("CONT", FOLDER.resolve("cluster/run/taskmanager-" + number + ".pid"));
    }

    /** The name by which the JobManager knows the running TaskManager of this number. */
    String taskManagerName(int number) throws IOException {
        return Files.readString(FOLDER.resolve("cluster/run/taskmanager-" + number + ".name"))
                .strip();
    }

    /** The number of the TaskManager of this name. */
    static int number(String taskManager) {
        return Integer.parseInt(taskManager.substring(2, taskManager.indexOf('-')));
    }

    /** The names of those that the JobManager takes for alive. */
    List<String> taskManagers() throws Exception {
        return StreamSupport.stream(rest("/taskmanagers").path("taskmanagers").spliterator(), false)
                .map(each -> each.path("id").asText())
                .toList();
    }

    void killJobManager() throws Exception {
        kill(FOLDER.resolve("cluster/run/jobmanager.pid"));
    }

    /** Starts the JobManager again, if it does not run, and waits until the TaskManagers have come back to it. */
    void startJobManager(int taskManagers) throws Exception {
        ok(script("cluster", "jobmanager", "start"));
        await(taskManagers + " TaskManagers", () -> taskManagers().size() == taskManagers);
    }

    /** Flink's REST interface. */
    URI flinkAddress() {
        return URI.create("http://localhost:" + flinkPort);
    }

    /** What Flink's REST interface answers. */
    JsonNode rest(String path) throws Exception {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(flinkAddress().resolve(path))
                        .timeout(Duration.ofSeconds(60))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return JSON.readTree(answer.body());
    }

    /**
     * What Prometheus would read of all TaskManagers that run: the lines of the text format, without comments. Their logs say at
     * which ports.
     */
    List<String> scrape() throws Exception {
        List<String> lines = new ArrayList<>();
        try (var logs = Files.newDirectoryStream(FOLDER.resolve("cluster/log"), "taskmanager-*.log")) {
            for (Path log : logs) {
                Matcher told = REPORTS_AT.matcher(Files.readString(log));
                String port = null;
                while (told.find()) {
                    port = told.group(1);
                }
                assertThat(port).as("the port of the reporter in %s", log).isNotNull();
                HttpResponse<String> answer = http.send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/metrics"))
                                .timeout(Duration.ofSeconds(60))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                answer.body().lines().filter(line -> !line.startsWith("#")).forEach(lines::add);
            }
        }
        return lines;
    }

    /** Cancels whatever runs. */
    void cancelAll() throws Exception {
        for (JsonNode job : rest("/jobs/overview").path("jobs")) {
            if (job.path("end-time").asLong() < 0) {
                flink("cancel", job.path("jid").asText());
            }
        }
    }

    /** Where the newest checkpoint of a run is that is complete: as one finds it when nobody is left to ask. */
    String newestCheckpoint(String id) throws IOException {
        Path newest = null;
        long most = -1;
        try (var entries =
                Files.newDirectoryStream(FOLDER.resolve("cluster/checkpoints").resolve(id), "chk-*")) {
            for (Path entry : entries) {
                long number = Long.parseLong(entry.getFileName().toString().substring(4));
                if (number > most && Files.exists(entry.resolve("_metadata"))) {
                    most = number;
                    newest = entry;
                }
            }
        }
        assertThat(newest).as("a complete checkpoint of " + id).isNotNull();
        return String.valueOf(newest);
    }

    /** A folder that TaskManagers and tests see. */
    Path folder(String name) throws IOException {
        return Files.createDirectories(FOLDER.resolve("tests").resolve(name));
    }

    // --------------------------------------------------------------------------------------------- broker and database

    KafkaBroker kafka() {
        return kafka;
    }

    /** Kills the database, as a machine dies: what was being done is in its log only. */
    void killPostgres() throws Exception {
        kill(FOLDER.resolve("run/postgres.pid"));
    }

    void startPostgres() {
        ok(script("postgres", "start"));
    }

    /** Makes a database; its zone is an odd one, so that whoever relies on the session's zone is found out. */
    void createDatabase(String name) throws SQLException {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
            statement.execute("alter database " + name + " set timezone = 'Asia/Kathmandu'");
        }
    }

    /** A database as the command line names it. */
    String warehouse(String database) {
        return "postgresql://postgres@localhost:" + postgresPort + "/" + database;
    }

    /** A connection of the driver's own making, autocommit on: an analyst's. */
    Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://localhost:" + postgresPort + "/" + database + "?user=postgres");
    }

    /** The rows of a query as text, columns with a space in between. */
    List<String> rows(String database, String sql) throws SQLException {
        try (Connection analyst = connect(database);
                Statement statement = analyst.createStatement()) {
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

    /** Ends a number of the sessions that others have in a database. */
    int terminateSessions(String database, int most) throws SQLException {
        return rows(
                        "postgres",
                        "select pg_terminate_backend(pid) from (select pid from pg_stat_activity where datname = '"
                                + database + "' order by md5(pid::text) limit " + most + ") a")
                .size();
    }

    // -------------------------------------------------------------------------------------------------------- waiting

    /** Something that may come true. What it throws on the way counts as not yet. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    /** Waits until something holds; while a server is away the question cannot be asked. */
    static void await(String what, Condition condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Exception last = null;
        while (true) {
            try {
                if (condition.holds()) {
                    return;
                }
            } catch (IOException | SQLException away) {
                last = away;
            } catch (InterruptedException interrupted) {
                throw interrupted;
            } catch (Exception failure) {
                throw new IllegalStateException("waiting for " + what, failure);
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("waited in vain for " + what, last);
            }
            Thread.sleep(100);
        }
    }

    private static void kill(Path pidFile) throws Exception {
        ProcessHandle process = ProcessHandle.of(pid(pidFile)).orElseThrow();
        process.destroyForcibly();
        process.onExit().get(60, TimeUnit.SECONDS);
    }

    private static void signal(String signal, Path pidFile) throws Exception {
        int status = new ProcessBuilder("kill", "-s", signal, Long.toString(pid(pidFile)))
                .start()
                .waitFor();
        assertThat(status).isZero();
    }

    private static long pid(Path pidFile) throws IOException {
        return Long.parseLong(Files.readString(pidFile).split(" ", 2)[0]);
    }

    private static void deleteAll(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    String freePortText() {
        return Integer.toString(freePort());
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
