package dev.tidemark.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.History;
import dev.tidemark.kit.History.LogFile;
import dev.tidemark.kit.Oracle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The program {@code widen}, killed without warning at each of its steps and started again, against a real cluster. */
@Tag("cluster")
@Timeout(900)
class WidenOnAClusterTest {
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
            job: killed-widening
            source: { schema: sale.avsc, format: json, files: { path: data, watch: 100ms } }
            changes: { mode: upsert, id: id, version: seen }
            time: { event: at, observed: seen, frontier: observed }
            partition: { grain: day, zone: UTC, lookback: 1, retain: 4 }
            target:
              table: shop.sales
              key: shop
              columns:
                sales:  { count: {} }
                amount: { sum: amount }
            """;
    private static final String DATABASE = "killed_widening";

    /** What the record of the operation shows when the program is killed: a step that is done, or an effect that is due. */
    private static final List<String> MOMENTS = List.of(
            "step = 'checked'",
            "progress -> 'wider' ->> 'trigger' is not null",
            "step = 'stopped'",
            "progress -> 'wider' ->> 'flinkJob' is not null",
            "step = 'restored'",
            "step = 'widened'",
            "progress -> 'narrower' ->> 'trigger' is not null",
            "step = 'stopped-again'",
            "progress -> 'narrower' ->> 'flinkJob' is not null",
            "step = 'restored-again'");

    @RegisterExtension
    static final LocalCluster CLUSTER = LocalCluster.shared();

    private final Map<String, LogFile> delivered = new TreeMap<>();

    private static Path folder() throws Exception {
        return CLUSTER.folder("killed-widening");
    }

    private static String sale(String id, int amount, String day, String seen) {
        return "{\"id\": \"%s\", \"shop\": \"north\", \"amount\": %d, \"at\": \"2024-03-%sT10:00:00Z\", \"seen\": \"2024-03-%sZ\"}"
                .formatted(id, amount, day, seen);
    }

    /** Renames a file of these records into place. */
    private void deliver(String name, String... lines) throws Exception {
        Path data = Files.createDirectories(folder().resolve("data"));
        Path unfinished = Files.writeString(data.resolve(name + ".tmp"), String.join("\n", lines) + "\n");
        Files.move(unfinished, data.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        delivered.put(
                name,
                new LogFile(
                        name,
                        Arrays.stream(lines)
                                .map(line -> line.getBytes(StandardCharsets.UTF_8))
                                .toList()));
    }

    private void awaitPublished() throws Exception {
        int records = delivered.values().stream()
                .mapToInt(file -> file.lines().size())
                .sum();
        LocalCluster.await(
                records + " records published",
                () -> rows("select coalesce(sum(records_read), 0) from tidemark.publications")
                        .equals(List.of(String.valueOf(records))));
    }

    private static List<String> rows(String sql) throws SQLException {
        return CLUSTER.rows(DATABASE, sql);
    }

    /** What a job with this lookback would have in its window, had it had it from the start. */
    private List<String> oracle(JobPlan plan) {
        Oracle oracle = new Oracle(plan, Fingerprints.of(plan));
        new History("killed", plan, List.copyOf(delivered.values())).records().forEach(oracle::accept);
        return oracle.window().stream()
                .map(row -> row.partition() + " " + row.key().get(0) + " "
                        + row.values().get(0) + " " + row.values().get(1) + " " + row.members() + " "
                        + row.fingerprint())
                .toList();
    }

    private static boolean holds(String moment) throws SQLException {
        return !rows("select 1 from tidemark.operations where " + moment).isEmpty();
    }

    /** Starts the program and kills it as soon as it has come to a moment; it may have gone further by then. */
    private static void killAt(String moment, String... command) throws Exception {
        Path output = folder().resolve("killed.txt");
        Process program = CLUSTER.start(output, command);
        try {
            LocalCluster.await(moment, () -> {
                assertThat(program.isAlive()).as(Files.readString(output)).isTrue();
                return holds(moment);
            });
        } finally {
            program.destroyForcibly().waitFor(60, TimeUnit.SECONDS);
        }
    }

    private static List<String> flinkJobs() throws Exception {
        List<String> states = new ArrayList<>();
        for (JsonNode job : CLUSTER.rest("/jobs/overview").path("jobs")) {
            if (job.path("name").asText().equals("tidemark killed-widening")) {
                states.add(job.path("state").asText());
            }
        }
        states.sort(null);
        return states;
    }

    @Test
    void killedAtEachStepAndRepeatedItEndsAsIfNothingHadBeen() throws Exception {
        CLUSTER.createDatabase(DATABASE);
        Files.writeString(folder().resolve("sale.avsc"), SCHEMA);
        Path file = Files.writeString(folder().resolve("job.yaml"), JOB);
        deliver("1.json", sale("a", 1, "10", "10T10:00:01"), sale("b", 2, "11", "11T10:00:01"));
        deliver("2.json", sale("c", 4, "12", "12T10:00:01"), sale("d", 8, "13", "13T10:00:01"));
        LocalCluster.ok(CLUSTER.flink(
                "run",
                "-d",
                Path.of("target/tidemark.jar").toAbsolutePath().toString(),
                "run",
                "--job",
                file.toString(),
                "--warehouse",
                CLUSTER.warehouse(DATABASE),
                "--parallelism",
                "2",
                "--checkpoint-interval",
                "500ms"));
        awaitPublished();
        deliver("3.json", sale("e", 16, "10", "13T11:00:00"), sale("b", 32, "11", "13T12:00:00"));
        awaitPublished();

        String[] widen = {
            "widen",
            "--job",
            file.toString(),
            "--warehouse",
            CLUSTER.warehouse(DATABASE),
            "--flink",
            CLUSTER.flinkAddress().toString(),
            "--savepoint-dir",
            CLUSTER.folder("savepoints").toUri().toString(),
            "--lookback",
            "3",
            "--then-narrow"
        };
        int kills = 0;
        for (String moment : MOMENTS) {
            if (!holds(moment) && !holds("finished_at is not null")) {
                killAt(moment, widen);
                kills++;
            }
        }
        assertThat(kills).as("times that it was killed").isGreaterThanOrEqualTo(4);
        if (!holds("finished_at is not null")) {
            LocalCluster.ok(CLUSTER.tidemark(widen));
        }

        assertThat(rows("select step, error from tidemark.operations")).containsExactly("done null");
        assertThat(flinkJobs()).containsExactly("FINISHED", "FINISHED", "RUNNING");
        assertThat(rows("select count(*) from tidemark.publications where kind = 'widen'"))
                .containsExactly("1");
        assertThat(rows("select distinct status from tidemark.late_ledger")).containsExactly("incorporated");
        JobPlan plan = JobFiles.read(file, Map.of());
        assertThat(rows("select day, shop, sales, amount, _members, _fingerprint from shop.sales order by 1, 2"))
                .isEqualTo(oracle(plan.withLookback(3)));
        deliver("4.json", sale("f", 64, "11", "13T14:00:00"), sale("g", 128, "12", "13T14:00:01"));
        awaitPublished();
        assertThat(rows("select partition from tidemark.late_ledger where status = 'open'"))
                .containsExactly("2024-03-11");
        CLUSTER.cancelAll();
    }
}
