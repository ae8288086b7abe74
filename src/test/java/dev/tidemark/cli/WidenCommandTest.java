package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.Tidemark.Result;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.FlinkServer;
import dev.tidemark.kit.History;
import dev.tidemark.kit.History.LogFile;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.pipeline.RemoteFlink;
import dev.tidemark.recovery.FlinkJobs;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Promise 4 at the real entry point: {@code widen} against a Flink that is spoken to by REST, while the source goes on. */
@Timeout(300)
class WidenCommandTest {
    private static final long PATIENCE_SECONDS = 120;
    private static final Duration OFTEN = Duration.ofMillis(200);

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final FlinkServer FLINK = new FlinkServer();

    @TempDir
    Path folder;

    @AfterEach
    void endJobs() throws Exception {
        for (Job job : jobs) {
            job.cancel();
        }
    }

    private final List<Job> jobs = new ArrayList<>();

    /** A job that watches its folder, on the cluster. */
    private final class Job {
        final String name;
        final Tidemark tidemark;
        final Map<String, LogFile> delivered = new TreeMap<>();

        Job(String name, String partition, String source) throws IOException {
            this.name = name;
            tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
            tidemark.write(
                    "sales.yaml",
                    Tidemark.JOB
                            .replace("job: sales", "job: " + name)
                            .replace("shop.sales_by_day", "shop." + name)
                            .replace("files: { path: data }", "files: { path: data, watch: 50ms }" + source)
                            .replace("zone: UTC, lookback: 1", "zone: UTC, " + partition));
            jobs.add(this);
        }

        Job(String name) throws IOException {
            this(name, "lookback: 1, retain: 4", "");
        }

        JobPlan plan() {
            return JobFiles.resolve(Path.of(tidemark.path("sales.yaml")), Map.of())
                    .plan();
        }

        /** Renames a file of these records into place. */
        void deliver(String file, String... lines) throws IOException {
            Path unfinished = folder.resolve("data").resolve(file + ".tmp");
            Files.writeString(unfinished, String.join("\n", lines) + "\n", StandardCharsets.UTF_8);
            Files.move(unfinished, folder.resolve("data").resolve(file), StandardCopyOption.ATOMIC_MOVE);
            delivered.put(
                    file,
                    new LogFile(
                            file,
                            Arrays.stream(lines)
                                    .map(line -> line.getBytes(StandardCharsets.UTF_8))
                                    .toList()));
        }

        Job start(int parallelism) throws Exception {
            Wiring wiring = new Wiring(POSTGRES.settings());
            wiring.prepare(plan());
            StreamExecutionEnvironment environment = FLINK.environment(parallelism);
            FlinkSettings.require(environment, OFTEN);
            wiring.topology(plan(), UUID.randomUUID().toString(), OFTEN, FrontierResets.NONE)
                    .build(environment);
            environment.executeAsync(FlinkSettings.jobName(name));
            return this;
        }

        Result widen(String... arguments) throws Exception {
            List<String> all = new ArrayList<>(List.of(arguments));
            if (!all.contains("--flink")) {
                all.addAll(List.of("--flink", FLINK.address().toString()));
            }
            if (!all.contains("--jar")) {
                all.addAll(List.of("--jar", FLINK.jar().toString()));
            }
            return tidemark.run("widen", all.toArray(String[]::new));
        }

        List<String> live() throws Exception {
            return new RemoteFlink(FLINK.address()).jobs().live(FlinkSettings.jobName(name));
        }

        FlinkJobs.Settings settings() throws Exception {
            return new RemoteFlink(FLINK.address()).jobs().settings(live().get(0));
        }

        void cancel() throws Exception {
            for (String id : live()) {
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(FLINK.address().resolve("/jobs/" + id))
                                        .method("PATCH", HttpRequest.BodyPublishers.noBody())
                                        .build(),
                                HttpResponse.BodyHandlers.discarding());
            }
        }

        /** Waits until all that was delivered is published. */
        void awaitPublished() throws Exception {
            int records = delivered.values().stream()
                    .mapToInt(file -> file.lines().size())
                    .sum();
            await(
                    records + " records are published",
                    () -> rows("select coalesce(sum(records_read), 0) from tidemark.publications where job = '" + name
                                    + "'")
                            .equals(List.of(String.valueOf(records))));
        }

        /** What the target holds from a day on. */
        List<String> target(String from) throws SQLException {
            return rows("select day, shop, sales, amount, note, _members, _fingerprint from shop." + name
                    + " where day >= '" + from + "' order by 1, 2");
        }

        /** What a job with this lookback would have, had it had it from the start: its window. */
        List<String> oracle(int lookback) {
            JobPlan wide = plan().withLookback(lookback);
            Oracle oracle = new Oracle(wide, Fingerprints.of(wide));
            new History(name, wide, List.copyOf(delivered.values())).records().forEach(oracle::accept);
            return oracle.window().stream()
                    .map(row -> row.partition() + " " + row.key().get(0) + " "
                            + row.values().get(0) + " "
                            + row.values().get(1) + " " + row.values().get(2) + " " + row.members() + " "
                            + row.fingerprint())
                    .toList();
        }
    }

    private static String sale(String id, int amount, String day, String seen) {
        return "{\"id\": \"%s\", \"shop\": \"north\", \"amount\": %d, \"at\": \"2024-03-%sT10:00:00Z\", \"seen\": \"2024-03-%sZ\"}"
                .formatted(id, amount, day, seen);
    }

    private static List<String> rows(String sql) throws SQLException {
        try (Connection analyst = POSTGRES.connect();
                Statement statement = analyst.createStatement()) {
            statement.execute("set datestyle = 'ISO'");
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

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String what, Condition condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("waiting until %s", what).isLessThan(end);
            Thread.sleep(20);
        }
    }

    /** Four days, and changes to the first two that come on the fourth. */
    private static Job withLateChanges(Job job) throws Exception {
        job.deliver("1.json", sale("a", 1, "10", "10T10:00:01"), sale("b", 2, "11", "11T10:00:01"));
        job.deliver("2.json", sale("c", 4, "12", "12T10:00:01"), sale("d", 8, "13", "13T10:00:01"));
        job.start(2).awaitPublished();
        job.deliver(
                "3.json",
                sale("e", 16, "10", "13T11:00:00"),
                sale("b", 32, "11", "13T12:00:00"),
                sale("b", 64, "11", "13T13:00:00"));
        job.awaitPublished();
        return job;
    }

    @Test
    void widensWhileTheSourceGoesOnAndComesBackWithWhatItRanWith() throws Exception {
        Job job = withLateChanges(new Job("lively"));
        FlinkJobs.Settings before = job.settings();
        assertThat(job.target("2024-03-10")).isNotEqualTo(job.oracle(3));
        AtomicBoolean over = new AtomicBoolean();
        Thread source = new Thread(() -> {
            try {
                for (int i = 0; i < 500 && !over.get(); i++) {
                    String hour = "13T14:%02d:%02d".formatted(i / 60, i % 60);
                    job.deliver("4-%03d.json".formatted(i), sale("x" + i % 7, i, "1" + i % 4, hour));
                    Thread.sleep(40);
                }
            } catch (IOException | InterruptedException failure) {
                throw new IllegalStateException(failure);
            }
        });
        source.start();

        Result result = job.widen("--lookback", "3");
        over.set(true);
        source.join();

        assertThat(result.err()).contains("reopened        2024-03-10 to 2024-03-11, 2 partitions");
        assertThat(result.status()).as(result.err()).isZero();
        job.awaitPublished();
        assertThat(job.target("2024-03-10")).isEqualTo(job.oracle(3));
        assertThat(rows("select distinct status from tidemark.late_ledger where job = 'lively'"))
                .containsExactly("incorporated");
        assertThat(job.live()).hasSize(1);
        assertThat(job.settings()).isEqualTo(before);
        assertThat(rows("select step, error, finished_at is not null from tidemark.operations where job = 'lively'"))
                .containsExactly("done null t");
        assertThat(job.widen("--lookback", "3").out()).isEqualTo("nothing to do: the lookback is 3 already\n");
    }

    @Test
    void narrowsAgainWhenThatIsAskedFor() throws Exception {
        Job job = withLateChanges(new Job("narrowed"));

        Result result = job.widen("--lookback", "3", "--then-narrow");

        assertThat(result.status()).as(result.err()).isZero();
        assertThat(job.target("2024-03-10")).isEqualTo(job.oracle(3));
        assertThat(rows("select lookback from tidemark.jobs where job = 'narrowed'"))
                .containsExactly("1");
        job.deliver("4.json", sale("f", 128, "11", "13T14:00:00"), sale("g", 256, "12", "13T14:00:01"));
        job.awaitPublished();
        assertThat(rows("select partition, status from tidemark.late_ledger where job = 'narrowed' order by 1, 2"))
                .containsExactly(
                        "2024-03-10 incorporated",
                        "2024-03-11 incorporated",
                        "2024-03-11 incorporated",
                        "2024-03-11 open");

        // What it is now can be widened again.
        Result again = job.widen("--lookback", "2", "--then-narrow");
        assertThat(again.status()).as(again.err()).isZero();
        assertThat(job.target("2024-03-10")).isEqualTo(job.oracle(3));
    }

    @Test
    void widensOverARebuiltPartition() throws Exception {
        Job job = withLateChanges(new Job("rebuilt"));
        Result rebuilt = job.tidemark.run("rebuild", "--from", "2024-03-10", "--to", "2024-03-10");
        assertThat(rebuilt.status()).as(rebuilt.err()).isZero();
        List<String> brought = rows("select partition, status, resolved_by from tidemark.late_ledger"
                + " where job = 'rebuilt' and partition = '2024-03-10'");
        assertThat(brought).hasSize(1).first().asString().contains("incorporated");
        job.deliver("4.json", sale("f", 128, "10", "13T14:00:00"), sale("a", 256, "12", "13T14:00:01"));
        job.awaitPublished();

        Result result = job.widen("--lookback", "3");

        assertThat(result.status()).as(result.err()).isZero();
        assertThat(job.target("2024-03-10")).isEqualTo(job.oracle(3));
        assertThat(rows("select distinct status from tidemark.late_ledger where job = 'rebuilt'"))
                .containsExactly("incorporated");
        assertThat(rows("select partition, status, resolved_by from tidemark.late_ledger"
                        + " where job = 'rebuilt' and partition = '2024-03-10'"))
                .containsAll(brought);
    }

    @Test
    void refusesWhatTheStateCannotAnswerAndStopsNothing() throws Exception {
        Job job = withLateChanges(new Job("refused", "lookback: 1, retain: 4", ", wholeFrom: 2024-03-11"));
        List<String> live = job.live();

        Result result = job.widen("--lookback", "4");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err()).contains("""
                tidemark: nothing was stopped: the state cannot answer for all that a lookback of 4 opens again:
                  2024-03-09: the source is not held whole from its start on
                  2024-03-10: the source is not held whole from its start on, 2 ledger rows are before-start, so not in the state
                rebuild these partitions instead, or restore with a smaller lookback
                """);
        assertThat(job.live()).isEqualTo(live);
        assertThat(rows("select count(*) from tidemark.operations where job = 'refused'"))
                .containsExactly("0");
        assertThat(job.widen("--lookback", "2").status()).isZero();
    }

    @Test
    void wrongUseIsSaidAndStopsNothing() throws Exception {
        Job job = withLateChanges(new Job("misused"));
        assertThat(job.widen("--lookback", "5").status()).isEqualTo(2);
        assertThat(job.widen("--lookback", "5").err()).contains("more than the 4 partitions that the state remembers");
        assertThat(job.widen("--lookback", "0").status()).isEqualTo(2);
        assertThat(job.widen().err()).contains("name the new lookback with --lookback N");
        assertThat(job.widen("--lookback", "2", "--flink", "http://localhost:1").status())
                .isEqualTo(3);
        assertThat(job.widen("--lookback", "2", "--flink", "http://localhost:1").err())
                .contains("no Flink answers at http://localhost:1");
        assertThat(job.widen("--lookback", "2", "--flink", "localhost").status())
                .isEqualTo(2);
        assertThat(job.widen("--lookback", "2", "--jar", "/nowhere.jar").status())
                .isEqualTo(2);
        assertThat(job.widen("--abandon").err()).contains("no widening of the job misused is open");
        Result tried = job.widen("--lookback", "3", "--dry-run");
        assertThat(tried.status()).as(tried.err()).isZero();
        assertThat(tried.err()).contains("2024-03-10 to 2024-03-11").contains("3 open rows");
        assertThat(rows("select count(*) from tidemark.operations where job = 'misused'"))
                .containsExactly("0");
        assertThat(job.live()).hasSize(1);
        job.cancel();
        await("the job is gone", () -> job.live().isEmpty());
        assertThat(job.widen("--lookback", "3").err()).contains("the job misused does not run at");
    }
}
