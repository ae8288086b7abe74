package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Observed;
import dev.tidemark.job.JobSpec;
import dev.tidemark.job.KafkaPlan;
import dev.tidemark.job.KafkaPlan.Framing;
import dev.tidemark.job.KafkaPlan.Startup;
import dev.tidemark.job.ResolvedJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a job file says of a topic. */
class KafkaJobFilesTest {
    private static final String FILES = "files: { path: orders }";
    private static final String LEAST = "bootstrapServers: a:1, topic: t, framing: raw";

    @TempDir
    Path folder;

    private JobText topic;

    @BeforeEach
    void writeAJobThatReadsATopic() {
        topic = JobText.least(folder).after("  id:", "  version: updated_at").with(FILES, "kafka: { " + LEAST + " }");
    }

    private static JobPlan plan(String resource) {
        return JobFiles.read(JobText.RESOURCES.resolve(resource), Map.of());
    }

    private static KafkaPlan kafka(JobPlan plan) {
        return Objects.requireNonNull(plan.source().kafka());
    }

    @Test
    void everyKeyIsRead() {
        JobPlan plan = plan("kafka-registry.yaml");

        KafkaPlan kafka = kafka(plan);
        assertThat(kafka.bootstrapServers()).isEqualTo("one:9092,two:9092");
        assertThat(kafka.topic()).isEqualTo("order-items");
        assertThat(kafka.framing()).isEqualTo(Framing.CONFLUENT);
        assertThat(kafka.registry()).isEqualTo("https://me:hunter2@registry:8081");
        assertThat(kafka.startup()).isEqualTo(Startup.TIMESTAMP);
        assertThat(Instant.ofEpochMilli(kafka.startupMillis())).isEqualTo("2026-10-31T23:00:00Z");
        assertThat(kafka.discoverMillis()).isEqualTo(5000);
        assertThat(kafka.properties())
                .containsExactly(
                        Map.entry("security.protocol", "SASL_SSL"),
                        Map.entry("sasl.jaas.config", "login password=hunter2"),
                        Map.entry("max.poll.records", "100"));
        assertThat(plan.source().isBounded()).isFalse();
        assertThat(plan.time().observed()).isEqualTo(Observed.KAFKA_TIMESTAMP);
    }

    @Test
    void schemasOfAFolderAreKnownByFingerprintOrById() throws IOException {
        String text = Files.readString(JobText.RESOURCES.resolve("order-item.avsc"));
        long fingerprint = SchemaNormalization.parsingFingerprint64(new Schema.Parser().parse(text));

        assertThat(kafka(plan("kafka-folder.yaml")).schemas())
                .containsKey(fingerprint)
                .hasSize(2);
        Files.createDirectories(folder.resolve("ids"));
        Files.writeString(folder.resolve("ids/17.avsc"), text);
        Files.writeString(folder.resolve("ids/18.avsc"), "\"string\"");
        assertThat(kafka(topic.with("raw", "confluent, schemas: ids").plan()).schemas())
                .containsOnlyKeys(17L, 18L)
                .containsEntry(18L, "\"string\"");
    }

    @Test
    void whatIsNotSaidIsTheEarliestAndHalfAMinute() {
        KafkaPlan kafka = kafka(topic.plan());

        assertThat(kafka.startup()).isEqualTo(Startup.EARLIEST);
        assertThat(kafka.discoverMillis()).isEqualTo(30_000);
        assertThat(kafka.writerSchema()).isNull();
        assertThat(kafka.properties()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            framing: raw | framing: wild | 6: source.kafka.framing: 'wild' is not allowed; expected raw, single-object or confluent
            , framing: raw | '' | 6: source.kafka.framing: is missing; expected raw, single-object or confluent
            topic: t | topic: 'a b' | 6: source.kafka.topic: 'a b' is no name of a topic; expected at most 249 letters, digits, dots, underscores and hyphens
            bootstrapServers: a:1, | '' | 6: source.kafka.bootstrapServers: is missing; expected host:port, several with commas between
            raw | raw, startup: soon | 6: source.kafka.startup: 'soon' is not allowed; expected earliest, latest or an instant such as 2026-11-01T00:00:00Z
            raw | raw, startup: 2026-11-01 | 6: source.kafka.startup: '2026-11-01' is not allowed; expected earliest, latest or an instant such as 2026-11-01T00:00:00Z
            raw | raw, schemas: . | 6: source.kafka.schemas: values without a framing name no schema; remove it
            raw | raw, registry: "http://a" | 6: source.kafka.registry: only framing confluent has a registry; remove it, or choose framing confluent
            raw | confluent | 6: source.kafka: framing confluent needs a registry, or a folder with its schemas; write one of registry and schemas
            raw | confluent, registry: "ftp://u:p@a" | 6: source.kafka.registry: 'ftp://u:***@a' is no address; expected the address of a schema registry, such as http://registry:8081
            raw | single-object, schemas: none | 6: source.kafka.schemas: 'none' does not exist
            raw | single-object, writerSchema: order-item.avsc | 6: source.kafka.writerSchema: only framing raw has one writer schema for all values; remove it, or choose framing raw
            raw | confluent, schemas: . | 6: source.kafka.schemas: 'order-item.avsc' names no schema id; with framing confluent the files are called after the ids, such as 17.avsc
            raw | raw, discover: 1ms | 6: source.kafka.discover: is out of range; expected 100ms to 36500d
            raw | 'raw, properties: {enable.auto.commit: true}' | 6: source.kafka.properties.enable.auto.commit: is not for a job file to set; remove it: positions rest in checkpoints and in the warehouse
            raw | 'raw, properties: {isolation.level: read_uncommitted}' | 6: source.kafka.properties.isolation.level: is not for a job file to set; remove it: only committed records are read
            raw | 'raw, properties: {ssl: {a: b}}' | 6: source.kafka.properties.ssl: is a mapping; expected a value
            """)
    void whatIsWrongIsSaidWithTheWayOut(String from, String to, String problem) {
        assertThat(topic.with(from, to).problems()).containsExactly(problem);
    }

    @Test
    void jsonHasNoFraming() {
        assertThat(topic.with("format: avro", "format: json").problems())
                .containsExactly(
                        "6: source.kafka.framing: JSON values have no framing; remove framing, or choose format avro");
        assertThat(kafka(topic.with("format: avro", "format: json")
                                .with(", framing: raw", "")
                                .plan())
                        .framing())
                .isNull();
    }

    @Test
    void aTopicAndFilesAreTooMuch() {
        assertThat(topic.after("  kafka:", "  " + FILES).problems())
                .containsExactly("3: source: names files and a topic; expected one of files and kafka");
    }

    @Test
    void ordersByPositionOnlyWhenToldSo() {
        assertThat(topic.with("  version: updated_at\n", "").problems())
                .containsExactly(
                        "7: changes.version: is missing; name the fields that order the changes of a record, or"
                                + " say `version: position` if all changes of a record are in one partition of the topic");
        assertThat(topic.with("version: updated_at", "version: position")
                        .plan()
                        .changes()
                        .version())
                .isEmpty();
    }

    @Test
    void aSchemaThatIsNoneIsNamed() throws IOException {
        Files.createDirectories(folder.resolve("broken"));
        Files.writeString(folder.resolve("broken/1.avsc"), "{}");

        assertThat(topic.with("raw", "single-object, schemas: broken").problems())
                .singleElement()
                .asString()
                .startsWith("6: source.kafka.schemas: 'broken/1.avsc' is not an Avro schema");
    }

    @Test
    void twoSchemasOfOneFingerprintAreRefused() throws IOException {
        Files.createDirectories(folder.resolve("two"));
        String schema = "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"t\",\"type\":%s}]}";
        Files.writeString(folder.resolve("two/a.avsc"), schema.formatted("\"long\""));
        Files.writeString(
                folder.resolve("two/b.avsc"),
                schema.formatted("{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}"));

        assertThat(topic.with("raw", "single-object, schemas: two").problems())
                .containsExactly(
                        "6: source.kafka.schemas: 'a.avsc' and 'b.avsc' differ, but have one fingerprint; Avro's"
                                + " fingerprint knows no logical types, defaults and aliases: keep the one that was written with");
    }

    @Test
    void noSecretIsShownOrStored() {
        ResolvedJob job = JobFiles.resolve(JobText.RESOURCES.resolve("kafka-registry.yaml"), Map.of());

        for (String shown : new String[] {job.text(), JobSpec.json(job.plan())}) {
            assertThat(shown)
                    .doesNotContain("hunter2")
                    .contains("https://me:***@registry:8081", "SASL_SSL", "***", "100");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kafka-folder.yaml", "kafka-raw.yaml"})
    void theResolvedJobIsAJobFileWithTheSamePlan(String resource) throws IOException {
        ResolvedJob job = JobFiles.resolve(JobText.RESOURCES.resolve(resource), Map.of());
        Files.createDirectories(folder.resolve("schemas"));
        for (String schema : new String[] {"schemas/17.avsc", "schemas/18.avsc"}) {
            Files.copy(JobText.RESOURCES.resolve(schema), folder.resolve(schema));
        }

        assertThat(new JobText(folder, job.text()).plan()).isEqualTo(job.plan());
    }

    @Test
    void whereTheTopicLiesIsNoPartOfWhatTheStateMeans() {
        JobPlan plan = topic.plan();

        assertThat(JobSpec.fingerprint(
                        topic.with("a:1", "b:1").with("topic: t", "topic: u").plan()))
                .isEqualTo(JobSpec.fingerprint(plan));
        assertThat(JobSpec.fingerprint(
                        topic.with("kafka: { " + LEAST + " }", FILES).plan()))
                .isNotEqualTo(JobSpec.fingerprint(plan));
    }
}
