package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.KafkaBroker;
import dev.tidemark.kit.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that read a topic, on real parts: a broker, Flink, PostgreSQL. */
@Timeout(180)
class KafkaTest {
    private static final Duration OFTEN = Duration.ofMillis(100);

    private static final String SCHEMA = """
            {"type": "record", "name": "Sale", "fields": [
              {"name": "id", "type": "string"},
              {"name": "v", "type": "long"},
              {"name": "shop", "type": "string"},
              {"name": "amount", "type": "int"},
              {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
              {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}
            """;

    @RegisterExtension
    static final KafkaBroker KAFKA = new KafkaBroker();

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    @TempDir
    Path folder;

    /** A job of JSON sales over the topic of its name. */
    private WholeJob job(String name, String kafka) throws Exception {
        Files.writeString(folder.resolve("sale.avsc"), SCHEMA);
        Path file = folder.resolve(name + ".yaml");
        Files.writeString(file, """
                formatVersion: 1
                job: NAME
                source:
                  schema: sale.avsc
                  format: json
                  idleTimeout: 500ms
                  kafka: { bootstrapServers: "BROKER", topic: NAME, discover: 300ms KAFKA }
                changes: { mode: upsert, id: id, version: v }
                time: { event: at, observed: seen, frontier: observed }
                partition: { grain: day, zone: UTC, lookback: 1 }
                target:
                  table: kafka.TABLE
                  key: shop
                  columns: { sales: { count: {} }, amount: { sum: amount } }
                """.replace("NAME", name)
                .replace("TABLE", name.replace('-', '_'))
                .replace("BROKER", KAFKA.bootstrapServers())
                .replace("KAFKA", kafka));
        JobPlan plan = JobFiles.read(file, Map.of());
        return WholeJob.of(plan, POSTGRES, folder);
    }

    private static String sale(String id, int version, String shop, int amount, String at) {
        return """
                {"id": "%s", "v": %d, "shop": "%s", "amount": %d, "at": "%s", "seen": "%s"}""".formatted(id, version, shop, amount, at, at);
    }

    @Test
    void aTopicOfJsonIsPublished() throws Exception {
        KAFKA.createTopic("plain", 3);
        KAFKA.send("plain", 0, "a", sale("a", 1, "north", 3, "2026-11-01T10:00:00Z"));
        KAFKA.send("plain", 1, "b", sale("b", 1, "north", 4, "2026-11-01T11:00:00Z"));
        KAFKA.send("plain", 1, "c", sale("c", 1, "south", 5, "2026-11-02T11:00:00Z"));
        WholeJob job = job("plain", "");
        JobClient run = job.submit(4, OFTEN);
        WholeJob.await(run, "3 records", () -> job.recordsPublished() == 3);
        KAFKA.send("plain", 0, "a", sale("a", 2, "north", 30, "2026-11-01T10:00:00Z"));
        WholeJob.await(run, "4 records", () -> job.recordsPublished() == 4);
        WholeJob.cancel(run);

        assertThat(job.targetRows("day, shop, sales, amount"))
                .containsExactly("2026-11-01 north 2 34", "2026-11-02 south 1 5");
        assertThat(job.rows("select start_positions from tidemark.jobs where job = 'plain'")
                        .get(0))
                .contains("\"plain-0\": 0", "\"plain-1\": 0", "\"plain-2\": 0");
    }
}
