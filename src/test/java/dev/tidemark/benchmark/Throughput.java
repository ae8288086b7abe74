package dev.tidemark.benchmark;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.KafkaBroker;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Product days from files, from files with expressions, and from a topic, beside a loop that only decodes: in one run. */
@Command(
        name = "scripts/benchmark",
        mixinStandardHelpOptions = true,
        description =
                "Measures product days of generated order items, from files and from Kafka to PostgreSQL, beside a"
                        + " plain Java loop that only decodes the same changes.")
final class Throughput implements Runnable {
    private static final int DAYS = 60;
    private static final int SEED = 1;
    private static final String TOPIC = "order-items";

    @Option(names = "--changes", paramLabel = "N", description = "How many, about; default: ${DEFAULT-VALUE}.")
    private long changes = 6_700_000;

    @Option(names = "--parallelism", paramLabel = "N", description = "Of the jobs; default: ${DEFAULT-VALUE}.")
    private int parallelism = 2;

    @Option(names = "--partitions", paramLabel = "N", description = "Of the topic; default: ${DEFAULT-VALUE}.")
    private int partitions = 4;

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "DURATION",
            description = "How often the jobs publish; default: ${DEFAULT-VALUE}.")
    private String interval = "10s";

    @Option(
            names = "--profile",
            description = "Record where the jobs' time goes, and show it; this costs them a few hundredths.")
    private boolean profile;

    @Option(names = "--root", hidden = true, required = true)
    private Path root = Path.of("");

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final Map<String, String> profiles = new LinkedHashMap<>();

    /** Ends with 0 when everything was measured. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Throughput()).execute(arguments));
    }

    @Override
    public void run() {
        Path scratch = folder().resolve("run");
        try {
            remove(scratch);
            Files.createDirectories(scratch);
            measure(scratch);
            remove(scratch);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (Exception e) {
            throw new IllegalStateException("not measured; what is left is in " + scratch, e);
        }
    }

    private Path folder() {
        return root.resolve(".local").resolve("benchmark");
    }

    private void measure(Path scratch) throws Exception {
        Path data = data();
        JobPlan plan = JobFiles.read(job("jobs/product-days.yaml"), Map.of("ORDER_ITEMS", data.toString()));
        List<Figure> figures = new ArrayList<>();
        DecodeLoop loop = new DecodeLoop(plan);
        Figure decoded = loop.decodeOnly();
        figures.add(decoded);
        figures.add(loop.andStamp());
        try (EmbeddedPostgres postgres = postgres(scratch);
                Connection warehouse = DriverManager.getConnection(
                        "jdbc:postgresql://localhost:" + postgres.getPort() + "/postgres?user=postgres")) {
            Jobs jobs = new Jobs(scratch, warehouse, postgres.getPort(), decoded.changes());
            Map<String, String> files = Map.of("ORDER_ITEMS", data.toString());
            figures.add(jobs.run("files", "product-days", "jobs/product-days.yaml", files));
            figures.add(jobs.run(
                    "files, where and a derived field",
                    "product-days-expressions",
                    "src/test/resources/benchmark/product-days-expressions.yaml",
                    files));
            figures.add(fromTopic(jobs, data));
        }
        out.println();
        out.println(Figure.header());
        figures.forEach(each -> out.println(each.line(decoded)));
        out.printf(
                "Jobs: parallelism %d, a publication every %s, PostgreSQL and the broker (%d partitions) on the same machine.%n"
                        + "Seconds: from the start of the job to its last publication; a topic's waits for the next checkpoint.%n"
                        + "When warm: without the first and the last publication. The loops: one thread, best of three.%n",
                parallelism, interval, partitions);
        profiles.forEach((name, text) -> out.printf("%nWhere the processors' time went, %s:%n%s", name, text));
    }

    private Path job(String file) {
        return root.resolve(file);
    }

    private Path data() throws IOException {
        Path data = folder().resolve("order-items-" + changes);
        if (!Files.exists(data.resolve(OrderItems.FILE))) {
            OrderItems.main(new String[] {
                data.toString(),
                Long.toString(changes),
                Integer.toString(DAYS),
                Integer.toString(SEED),
                root.resolve("schemas/order-item.avsc").toString()
            });
        }
        return data;
    }

    /** Durable, as in production. */
    private static EmbeddedPostgres postgres(Path scratch) throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(scratch.resolve("postgres").toAbsolutePath())
                .setLocaleConfig("locale", "C")
                .setServerConfig("fsync", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("shared_buffers", "256MB")
                .setServerConfig("max_wal_size", "4GB")
                .start();
    }

    private Figure fromTopic(Jobs jobs, Path data) throws Exception {
        KafkaBroker broker = new KafkaBroker();
        Thread end = new Thread(() -> stop(broker));
        Runtime.getRuntime().addShutdownHook(end);
        broker.beforeAll(null);
        try {
            long started = System.nanoTime();
            long sent =
                    OrderItemsTopic.fill(broker.bootstrapServers(), TOPIC, partitions, data.resolve(OrderItems.FILE));
            out.printf("filled the topic with %,d changes in %.1f s%n", sent, (System.nanoTime() - started) / 1e9);
            return jobs.run(
                    "Kafka, " + partitions + " partitions",
                    "product-days-kafka",
                    "jobs/product-days-kafka.yaml",
                    Map.of("KAFKA_BOOTSTRAP_SERVERS", broker.bootstrapServers(), "ORDER_LINES_TOPIC", TOPIC));
        } finally {
            stop(broker);
            Runtime.getRuntime().removeShutdownHook(end);
        }
    }

    private static void stop(KafkaBroker broker) {
        try {
            broker.afterAll(null);
        } catch (Exception e) {
            throw new IllegalStateException("The broker could not be stopped", e);
        }
    }

    /** A folder and all that is in it. */
    private static void remove(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Runs jobs one after the other against one warehouse. */
    private final class Jobs {
        private final Path scratch;
        private final Connection warehouse;
        private final int port;
        private final long records;

        Jobs(Path scratch, Connection warehouse, int port, long records) {
            this.scratch = scratch;
            this.warehouse = warehouse;
            this.port = port;
            this.records = records;
        }

        Figure run(String name, String job, String file, Map<String, String> settings)
                throws IOException, SQLException, InterruptedException {
            try (Statement statement = warehouse.createStatement()) {
                statement.execute("checkpoint");
            }
            Path local = scratch.resolve(job);
            Path recording = scratch.resolve(job + ".jfr");
            Map<String, String> environment = new HashMap<>(settings);
            environment.put("TIDEMARK_LOCAL", local.toString());
            if (profile) {
                environment.put(
                        "TIDEMARK_JAVA_OPTIONS",
                        "-XX:MaxRAMPercentage=60 -XX:+UseParallelGC -Xlog:jfr*=off -XX:StartFlightRecording=settings=profile,"
                                + "dumponexit=true,filename=" + recording);
            }
            ProgramRun run =
                    new ProgramRun(root.resolve("scripts/tidemark"), scratch.resolve(job + ".log"), warehouse, job);
            Figure figure = run.until(
                    records,
                    name,
                    environment,
                    List.of(
                            "--job",
                            job(file).toString(),
                            "--warehouse",
                            "postgresql://postgres@localhost:" + port + "/postgres",
                            "--parallelism",
                            Integer.toString(parallelism),
                            "--checkpoint-interval",
                            interval));
            out.printf("%s: %,.0f changes a second%n", name, figure.rate());
            if (profile) {
                profiles.put(name, TimeByRoom.of(recording));
            }
            remove(local);
            return figure;
        }
    }
}
