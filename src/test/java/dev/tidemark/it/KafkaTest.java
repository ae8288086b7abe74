package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.KafkaBroker;
import dev.tidemark.kit.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.kafka.clients.producer.ProducerRecord;
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
        return job(name, kafka, "json");
    }

    private WholeJob job(String name, String kafka, String format) throws Exception {
        return job(name, kafka, format, "seen");
    }

    private WholeJob job(String name, String kafka, String format, String observed) throws Exception {
        Files.writeString(folder.resolve("sale.avsc"), SCHEMA);
        Path file = folder.resolve(name + ".yaml");
        Files.writeString(file, """
                formatVersion: 1
                job: NAME
                source:
                  schema: sale.avsc
                  format: FORMAT
                  idleTimeout: 500ms
                  kafka: { bootstrapServers: "BROKER", topic: NAME, discover: 300ms KAFKA }
                changes: { mode: upsert, id: id, version: v }
                time: { event: at, observed: OBSERVED, frontier: observed }
                partition: { grain: day, zone: UTC, lookback: 1 }
                target:
                  table: kafka.TABLE
                  key: shop
                  columns: { sales: { count: {} }, amount: { sum: amount } }
                """.replace("NAME", name)
                .replace("TABLE", name.replace('-', '_'))
                .replace("BROKER", KAFKA.bootstrapServers())
                .replace("KAFKA", kafka)
                .replace("FORMAT", format)
                .replace("OBSERVED", observed));
        JobPlan plan = JobFiles.read(file, Map.of());
        return WholeJob.of(plan, POSTGRES, folder.resolve(name));
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

    @Test
    void aSavepointGoesOnWithOtherParallelismAndWithPartitionsThatCameMeanwhile() throws Exception {
        KAFKA.createTopic("rescaled", 2);
        WholeJob job = job("rescaled", "");
        JobClient run = job.submit(4, OFTEN);
        for (int i = 0; i < 20; i++) {
            KAFKA.send("rescaled", i % 2, "k" + i, sale("k" + i, 1, "north", 1, "2026-11-01T10:00:00Z"));
        }
        WholeJob.await(run, "20 records", () -> job.recordsPublished() == 20);
        String savepoint = run.stopWithSavepoint(false, job.savepoints(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
        KAFKA.growTo("rescaled", 5);
        for (int i = 20; i < 40; i++) {
            KAFKA.send("rescaled", i % 5, "k" + i, sale("k" + i, 1, "north", 1, "2026-11-01T11:00:00Z"));
        }

        JobClient restored = job.submit(2, OFTEN, savepoint);
        WholeJob.await(restored, "40 records", () -> job.recordsPublished() == 40);
        WholeJob.cancel(restored);

        assertThat(job.targetRows("day, shop, sales, amount")).containsExactly("2026-11-01 north 40 40");
        assertThat(job.publications("positions").get(job.publications("1").size() - 1))
                .contains("\"rescaled-0\": 14", "\"rescaled-1\": 14", "\"rescaled-4\": 4");
    }

    @Test
    void aCrashBeforeTheFirstCheckpointLosesNoStartPosition() throws Exception {
        KAFKA.createTopic("latest", 1);
        KAFKA.send("latest", 0, "old", sale("old", 1, "north", 100, "2026-11-01T09:00:00Z"));
        WholeJob job = job("latest", ", startup: latest");
        JobClient run = job.submit(1, WholeJob.AT_THE_END);
        String positions = "select start_positions -> 'offsets' ->> 'latest-0' from tidemark.jobs where job = 'latest'";
        WholeJob.await(run, "start positions", () -> job.rows(positions).equals(List.of("1")));
        KAFKA.send("latest", 0, "a", sale("a", 1, "north", 1, "2026-11-05T10:00:00Z"));
        WholeJob.cancel(run);
        assertThat(job.recordsPublished()).isZero();

        JobClient again = job.submit(1, OFTEN);
        WholeJob.await(again, "1 record", () -> job.recordsPublished() == 1);
        WholeJob.cancel(again);

        assertThat(job.rows(positions)).containsExactly("1");
        assertThat(job.publications("positions")).allMatch(at -> at.equals("{\"latest-0\": 2}"));
        // The job has not seen the whole of the day in which it began.
        assertThat(job.ledger("record_id, reason")).containsExactly("a before-start");
    }

    @Test
    void whatHasExpiredStopsTheJobWithTheGapAndTheWayOutIsOne() throws Exception {
        KAFKA.createTopic("expired", 1);
        WholeJob job = job("expired", "");
        for (int i = 0; i < 6; i++) {
            KAFKA.send("expired", 0, "k" + i, sale("k" + i, 1, "north", 1, "2026-11-01T10:00:00Z"));
        }
        JobClient run = job.submit(1, OFTEN);
        WholeJob.await(run, "6 records", () -> job.recordsPublished() == 6);
        String savepoint = run.stopWithSavepoint(false, job.savepoints(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
        for (int i = 6; i < 10; i++) {
            KAFKA.send("expired", 0, "k" + i, sale("k" + i, 1, "north", 1, "2026-11-07T10:00:00Z"));
        }
        KAFKA.expire("expired", 0, 8);

        JobClient restored = job.submit(1, OFTEN, savepoint);
        assertThatThrownBy(() -> WholeJob.end(restored))
                .hasStackTraceContaining("the records 6 to 7 of partition 0 of the topic expired are gone: the job goes"
                        + " on at offset 6, and the first that the broker has is 8");
        JobClient fresh = job.submit(1, OFTEN);
        assertThatThrownBy(() -> WholeJob.end(fresh))
                .hasStackTraceContaining(
                        "the records 0 to 7 of partition 0 of the topic expired are gone: the job began"
                                + " to read at offset 0, and the first that the broker has is 8");

        try (Connection person = POSTGRES.connect();
                Statement statement = person.createStatement()) {
            statement.execute("update tidemark.jobs set start_positions = null where job = 'expired'");
        }
        JobClient later = job.submit(1, OFTEN);
        WholeJob.await(later, "8 records", () -> job.recordsPublished() == 8);
        WholeJob.cancel(later);
        assertThat(job.publications("positions")).last().isEqualTo("{\"expired-0\": 10}");
        assertThat(job.ledger("record_id, reason")).containsExactly("k8 before-start", "k9 before-start");
        assertThat(job.targetRows("day, shop, sales")).containsExactly("2026-11-01 north 6");
    }

    @Test
    void aTopicThatWasCreatedAnewStopsTheJob() throws Exception {
        KAFKA.createTopic("anew", 1);
        WholeJob job = job("anew", "");
        KAFKA.send("anew", 0, "a", sale("a", 1, "north", 1, "2026-11-01T10:00:00Z"));
        JobClient run = job.submit(1, OFTEN);
        WholeJob.await(run, "1 record", () -> job.recordsPublished() == 1);
        String savepoint = run.stopWithSavepoint(false, job.savepoints(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
        JobClient running = job.submit(1, OFTEN, savepoint);
        WholeJob.await(
                running, "a restored job", () -> !job.checkpoints(running).isEmpty());

        KAFKA.deleteTopic("anew");
        KAFKA.createTopic("anew", 1);
        KAFKA.send("anew", 0, "b", sale("b", 1, "north", 1, "2026-11-01T10:00:00Z"));

        assertThatThrownBy(() -> WholeJob.end(running)).hasStackTraceContaining("the topic anew ");
        for (String from : Arrays.asList(savepoint, null)) {
            JobClient later = job.submit(1, OFTEN, from);
            assertThatThrownBy(() -> WholeJob.end(later))
                    .hasStackTraceContaining("the topic anew has been created anew (its id was")
                    .hasStackTraceContaining("give the job and its target other names");
        }
        assertThat(job.recordsPublished()).isEqualTo(1);
    }

    @Test
    void aTombstoneWithdrawsWhatItsKeyNamesInTheOrderOfTheLog() throws Exception {
        KAFKA.createTopic("tombs", 1);
        WholeJob job = job("tombs", "");
        KAFKA.send("tombs", 0, "a", sale("a", 5, "north", 1, "2026-11-01T10:00:00Z"));
        KAFKA.send("tombs", 0, "b", sale("b", 5, "north", 10, "2026-11-01T10:00:00Z"));
        KAFKA.send("tombs", 0, "c", sale("c", 5, "north", 100, "2026-11-01T10:00:00Z"));
        KAFKA.send("tombs", 0, "a", null);
        KAFKA.send("tombs", 0, "{\"id\": \"b\", \"more\": [1]}", null);
        KAFKA.send("tombs", 0, "a", sale("a", 4, "north", 1000, "2026-11-01T10:00:00Z"));
        KAFKA.send("tombs", 0, "b", sale("b", 6, "south", 10, "2026-11-01T10:00:00Z"));
        KAFKA.send("tombs", 0, "never", null);
        KAFKA.send("tombs", 0, (byte[]) null, null);
        KAFKA.send("tombs", 0, new byte[] {(byte) 0xff}, null);

        JobClient run = job.submit(2, OFTEN);
        WholeJob.await(run, "10 records", () -> job.recordsPublished() == 10);
        WholeJob.cancel(run);

        assertThat(job.targetRows("day, shop, sales, amount"))
                .containsExactly("2026-11-01 north 1 100", "2026-11-01 south 1 10");
        assertThat(
                        job.rows(
                                "select \"offset\", reason, error from tidemark.rejected_changes where job = 'tombs' order by 1"))
                .containsExactly(
                        "8 no-id the key of a record without value gives no id: the record has neither value nor key",
                        "9 no-id the key of a record without value gives no id: it is not UTF-8");
        assertThat(job.ledger("\"offset\", record_id, reason")).containsExactly("7 never unknown-record");
        assertThat(job.rows("select sum(applied), sum(superseded), sum(late), sum(rejected) from tidemark.publications"
                        + " where job = 'tombs'"))
                .containsExactly("6 1 1 2");
        assertThat(new Verifying(job.plan(), POSTGRES).run(null, 2, folder).differences())
                .as("a topic is a history, and tombstones mean the same in it")
                .isEmpty();
    }

    @Test
    void poisonOnEveryFramingIsRejectedAndStopsNothing() throws Exception {
        Schema schema = new Schema.Parser().parse(SCHEMA);
        byte[] datum = datum(schema, "good");
        Path schemas = Files.createDirectories(folder.resolve("ids"));
        Files.writeString(schemas.resolve("7.avsc"), SCHEMA);
        Map<String, byte[]> headers = Map.of(
                "raw", new byte[0],
                "single-object",
                        ByteBuffer.allocate(10)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .put((byte) 0xc3)
                                .put((byte) 1)
                                .putLong(SchemaNormalization.parsingFingerprint64(schema))
                                .array(),
                "confluent", new byte[] {0, 0, 0, 0, 7});
        for (Map.Entry<String, byte[]> framing : headers.entrySet()) {
            String topic = "poison-" + framing.getKey();
            byte[] header = framing.getValue();
            byte[] good = ByteBuffer.allocate(header.length + datum.length)
                    .put(header)
                    .put(datum)
                    .array();
            KAFKA.createTopic(topic, 1);
            KAFKA.send(topic, 0, null, good);
            KAFKA.send(topic, 0, null, new byte[0]);
            KAFKA.send(topic, 0, null, new byte[] {1, 2, 3});
            KAFKA.send(topic, 0, null, Arrays.copyOf(good, good.length - 1));
            byte[] other = good.clone();
            other[header.length == 0 ? 0 : header.length - 1] ^= 0x55;
            KAFKA.send(topic, 0, null, other);
            KAFKA.send(
                    topic,
                    0,
                    null,
                    ByteBuffer.allocate(header.length + datum.length)
                            .put(header)
                            .put(datum(schema, "last"))
                            .array());
            WholeJob job = job(
                    topic,
                    ", framing: " + framing.getKey() + (framing.getKey().equals("confluent") ? ", schemas: ids" : ""),
                    "avro");

            JobClient run = job.submit(1, OFTEN);
            WholeJob.await(run, "6 records of " + topic, () -> job.recordsPublished() == 6);
            WholeJob.cancel(run);

            assertThat(job.rows("select sum(applied), sum(rejected) from tidemark.publications where job = '" + topic
                            + "'"))
                    .as(topic)
                    .containsExactly("2 4");
            assertThat(job.rows("select distinct reason from tidemark.rejected_changes where job = '" + topic + "'"))
                    .as(topic)
                    .containsExactly("undecodable");
        }
    }

    private static byte[] datum(Schema schema, String id) throws IOException {
        GenericData.Record record = new GenericData.Record(schema);
        record.put("id", id);
        record.put("v", 1L);
        record.put("shop", "north");
        record.put("amount", 3);
        record.put("at", Instant.parse("2026-11-01T10:00:00Z").toEpochMilli());
        record.put("seen", Instant.parse("2026-11-01T10:00:00Z").toEpochMilli());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
        new GenericDatumWriter<GenericData.Record>(schema).write(record, encoder);
        encoder.flush();
        return out.toByteArray();
    }

    @Test
    void theTimestampInKafkaIsAnObservationOrJudgesOne() throws Exception {
        long noon = Instant.parse("2026-11-01T12:00:00Z").toEpochMilli();
        KAFKA.createTopic("stamped", 1);
        KAFKA.createTopic("judged", 1);
        for (String topic : List.of("stamped", "judged")) {
            for (String at : List.of("2026-11-01T11:59:00Z", "2026-11-01T12:04:00Z", "2026-11-01T12:06:00Z")) {
                KAFKA.send(new ProducerRecord<>(
                        topic,
                        0,
                        noon,
                        null,
                        sale("at " + at, 1, "north", 1, at).getBytes(StandardCharsets.UTF_8)));
            }
        }
        Map<String, String> reasons = Map.of("stamped", "future-dated", "judged", "observed-in-future");
        for (Map.Entry<String, String> each : reasons.entrySet()) {
            WholeJob job = job(each.getKey(), "", "json", each.getKey().equals("judged") ? "seen" : "kafka-timestamp");

            JobClient run = job.submit(1, OFTEN);
            WholeJob.await(run, "3 records", () -> job.recordsPublished() == 3);
            WholeJob.cancel(run);

            assertThat(job.rows("select \"offset\", reason from tidemark.rejected_changes where job = '" + each.getKey()
                            + "'"))
                    .containsExactly("2 " + each.getValue());
            if (each.getKey().equals("stamped")) {
                assertThat(job.publications("frontier_least")).last().isEqualTo("2026-11-01 12:00:00+00");
            }
        }
    }

    @Test
    void anIdleAndAnEmptyPartitionDoNotHoldTheBoundAndOneThatIsAddedIsRead() throws Exception {
        KAFKA.createTopic("skewed", 3);
        KAFKA.send("skewed", 0, "a", sale("a", 1, "north", 1, "2026-11-05T10:00:00Z"));
        KAFKA.send("skewed", 1, "b", sale("b", 1, "north", 1, "2026-11-02T10:00:00Z"));
        WholeJob job = job("skewed", "");
        JobClient run = job.submit(4, OFTEN);
        WholeJob.await(run, "2 records", () -> job.recordsPublished() == 2);
        AtomicInteger sent = new AtomicInteger();
        WholeJob.await(run, "the bound of the partition that is read", () -> {
            String id = "c" + sent.incrementAndGet();
            KAFKA.send("skewed", 0, id, sale(id, 1, "north", 1, "2026-11-05T11:00:00Z"));
            Thread.sleep(150);
            List<String> closed = job.publications("closed_before");
            return closed.get(closed.size() - 1).equals("2026-11-04");
        });
        KAFKA.growTo("skewed", 4);
        KAFKA.send("skewed", 3, "d", sale("d", 1, "south", 7, "2026-11-05T12:00:00Z"));
        WholeJob.await(run, "the added partition", () -> job.recordsPublished() == 3 + sent.get());
        WholeJob.cancel(run);

        assertThat(job.publications("closed_before"))
                .isSortedAccordingTo(Comparator.comparing(bound -> bound.equals("null") ? "" : bound))
                .isSubsetOf("null", "2026-11-01", "2026-11-04");
        assertThat(job.targetRows("day, shop, amount"))
                .containsExactly("2026-11-02 north 1", "2026-11-05 north " + (1 + sent.get()), "2026-11-05 south 7");
    }

    @Test
    void aTopicThatIsNotThereIsNamed() throws Exception {
        WholeJob job = job("missing", "");

        JobClient run = job.submit(1, OFTEN);

        assertThatThrownBy(() -> WholeJob.end(run))
                .hasStackTraceContaining("the topic missing does not exist; create it, or correct source.kafka.topic");
    }
}
