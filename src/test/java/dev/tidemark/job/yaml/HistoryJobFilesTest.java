package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Field;
import dev.tidemark.job.HistoryPlan;
import dev.tidemark.job.HistoryPlan.Kind;
import dev.tidemark.job.JdbcPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.job.JobSpec;
import dev.tidemark.job.KafkaPlan;
import dev.tidemark.job.ResolvedJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a job file says of where whole partitions are recomputed from. */
class HistoryJobFilesTest {
    private static final String ROWS = "history: { jdbc: { url: \"jdbc:postgresql://a/b\", table: t } }";

    @TempDir
    Path folder;

    private JobText least;

    @BeforeEach
    void leastJob() {
        least = JobText.least(folder);
    }

    private JobText history(String written) {
        return new JobText(folder, least.text() + written + "\n");
    }

    private static JobPlan plan(String resource) {
        return JobFiles.read(JobText.RESOURCES.resolve(resource), Map.of());
    }

    @Test
    void isTheSourceUnlessSomethingElseIsSaid() {
        JobPlan plan = least.plan();

        assertThat(plan.history()).isEqualTo(HistoryPlan.SAME);
        assertThat(plan.overHistory()).isSameAs(plan);
        assertThat(plan.history().hasPositionsOf(plan.source())).isTrue();
        assertThat(history("history: same").plan()).isEqualTo(plan);
        assertThat(history("history: { kind: same }").plan()).isEqualTo(plan);
    }

    @Test
    void everyKeyOfFilesIsRead() {
        JobPlan plan = plan("history-files.yaml");

        SourcePlan source = Objects.requireNonNull(plan.history().source());
        assertThat(plan.history().kind()).isEqualTo(Kind.CHANGES);
        assertThat(source.path()).endsWith("/archive");
        assertThat(source.logs()).isEqualTo(Logs.FOLDER);
        assertThat(source.format()).isEqualTo(Format.JSON);
        assertThat(source.isBounded()).isTrue();
        assertThat(plan.history().wholeFrom()).isEqualTo("2026-01-31");
        assertThat(plan.history().hasPositionsOf(plan.source())).isFalse();
        assertThat(plan.overHistory().source()).isEqualTo(source);
        assertThat(plan.overHistory().partition().wholeFrom()).isEqualTo("2026-01-31");
        assertThat(plan.overHistory().changes()).isEqualTo(plan.changes());
    }

    @Test
    void everyKeyOfATopicIsRead() {
        JobPlan plan = plan("history-topic.yaml");

        KafkaPlan kafka = Objects.requireNonNull(
                Objects.requireNonNull(plan.history().source()).kafka());
        assertThat(kafka.bootstrapServers()).isEqualTo("two:9092");
        assertThat(kafka.topic()).isEqualTo("order-items-archive");
        assertThat(kafka.framing()).isEqualTo(KafkaPlan.Framing.CONFLUENT);
        assertThat(kafka.registry()).isEqualTo("https://me:hunter2@registry:8081");
        assertThat(kafka.properties()).containsOnlyKeys("sasl.jaas.config");
        assertThat(plan.history().hasPositionsOf(plan.source())).isFalse();
    }

    @Test
    void everyKeyOfRowsIsRead() {
        JobPlan plan = plan("history-rows.yaml");

        JdbcPlan rows = Objects.requireNonNull(plan.history().jdbc());
        assertThat(plan.history().kind()).isEqualTo(Kind.TABLE);
        assertThat(rows.url()).isEqualTo("jdbc:postgresql://me:hunter2@archive:5432/sales");
        assertThat(rows.table()).isEqualTo("sales.order_lines");
        assertThat(rows.query()).isNull();
        assertThat(rows.splitBy()).isEqualTo("order_id");
        assertThat(rows.splits()).isEqualTo(16);
        assertThat(rows.position()).isEqualTo(new JdbcPlan.Position("kafka_partition", "kafka_offset", "kafka_time"));
        assertThat(rows.properties()).containsOnlyKeys("sslmode", "sslpassword");
        assertThat(rows.millis()).contains("ordered_at").doesNotContain("order_id");
        assertThat(plan.history().hasPositionsOf(plan.source())).isTrue();
        assertThat(plan.overHistory().source().format()).isEqualTo(Format.JSON);
        assertThat(plan.overHistory().source().name()).isEqualTo("rows");
    }

    @Test
    void aTableHasNoDeletesAndNeedsNotWhatOnlyTheyAreToldBy() {
        JobText text = history(ROWS.replace("{ jdbc", "{ kind: table, jdbc")).after("  id:", "  delete: op = 'd'");

        assertThat(text.plan().overHistory().changes().delete()).isNull();
        assertThat(text.plan().overHistory().sourceFields())
                .extracting(Field::name)
                .doesNotContain("op");
        assertThat(text.plan().sourceFields()).extracting(Field::name).contains("op");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            history: soon | 23: history: 'soon' is not allowed; expected same, or a mapping with the kind changes or table
            history: table | 23: history: names no place; expected one of files, kafka and jdbc, or `history: same`
            history: { } | 23: history: names no place; expected one of files, kafka and jdbc, or `history: same`
            history: { fils: {path: a} } | 23: history.fils: unknown key 'fils'; did you mean 'files'? keys: kind, schema, format, files, kafka, jdbc, wholeFrom
            history: { kind: same, files: {path: a}, format: json } | 23: history: is the source itself, and files, format say more; remove them, or choose the kind changes or table
            history: { files: {path: a}, jdbc: {url: "postgresql://a/b", table: t} } | 23: history: names files and jdbc; expected one of files, kafka and jdbc, or `history: same`
            history: { files: {path: a}, schema: none.avsc } | 23: history.schema: 'none.avsc' does not exist
            history: { files: {path: a}, wholeFrom: 2026-02-30 } | 23: history.wholeFrom: '2026-02-30' is not allowed; expected a date such as 2026-01-31
            history: { files: {path: a, watch: 2s} } | 23: history.files.watch: unknown key 'watch'; did you mean 'path'? keys: path, logs
            history: { files: {logs: folder} } | 23: history.files.path: is missing; expected the path of a file or folder, relative to the job file
            history: { kafka: {bootstrapServers: "a:1", topic: t} } | 23: history.kafka.framing: is missing; expected raw, single-object or confluent
            history: { kafka: {bootstrapServers: "a:1", topic: t, framing: raw, properties: {isolation.level: x}} } | 23: history.kafka.properties.isolation.level: is not for a job file to set; remove it: only committed records are read
            history: { jdbc: {url: "mysql://me:hunter2@a/b", table: t} } | 23: history.jdbc.url: 'mysql://me:***@a/b' is no address; expected the address of a PostgreSQL, such as jdbc:postgresql://host:5432/database
            history: { jdbc: {url: "postgresql://a/b"} } | 23: history.jdbc: names no rows; write one of table and query
            history: { jdbc: {url: "postgresql://a/b", table: t, query: select} } | 23: history.jdbc: has a table and a query; write one of table and query
            history: { jdbc: {url: "postgresql://a/b", table: t, splits: 4} } | 23: history.jdbc.splits: only the ranges of a column are counted; name the column as splitBy
            history: { jdbc: {url: "postgresql://a/b", table: t, splitBy: a, splits: 0} } | 23: history.jdbc.splits: is 0; expected 1 to 10000
            history: { jdbc: {url: "postgresql://a/b", table: t, position: {split: a}} } | 23: history.jdbc.position.offset: is missing; expected the column with the ordinal in the file, or with the offset
            history: { jdbc: {url: "postgresql://a/b", table: t, properties: {options: x}} } | 23: history.jdbc.properties.options: is not for a job file to set; remove it: the reader has session settings of its own
            history: { format: json, jdbc: {url: "postgresql://a/b", table: t} } | 23: history.format: rows have no format; remove it
            history: { schema: order-item.avsc, jdbc: {url: "postgresql://a/b", table: t} } | 23: history.schema: rows are read by the source's schema; remove it
            """)
    void whatIsWrongIsSaidWithTheWayOut(String written, String problem) {
        assertThat(history(written).problems()).contains(problem);
    }

    @Test
    void everythingIsSaidAtOnce() {
        assertThat(history("history: { jdbc: { url: x, splits: -1 } }")
                        .with("grain: day", "grain: fortnight")
                        .problems())
                .hasSize(5);
    }

    @Test
    void aHistoryMustHoldWhatTheJobReads() throws IOException {
        Files.writeString(folder.resolve("less.avsc"), """
                {"type": "record", "name": "Less", "fields": [
                  {"name": "order_id", "type": "string"}, {"name": "line_number", "type": "long"},
                  {"name": "product_id", "type": "long"},
                  {"name": "ordered_at", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}
                """);

        assertThat(history("history: { files: {path: a}, schema: less.avsc }").problems())
                .containsExactlyInAnyOrder(
                        "23: history.schema: field 'line_number' is a long; expected integer, as in source.schema",
                        "23: history.schema: has no field 'ingested_at', which the job reads; fields: order_id,"
                                + " line_number, product_id, ordered_at");
    }

    @Test
    void changesThatAreOrderedByPositionNeedOne() {
        assertThat(history(ROWS).problems())
                .containsExactly("23: history.jdbc: the changes of a record are ordered by position, and its rows have"
                        + " none; name the columns that keep it as position, or fields as changes.version");
        assertThat(history(ROWS).after("  id:", "  version: updated_at").plan().history())
                .isNotNull();
        assertThat(history(ROWS.replace("table: t", "table: t, position: {split: p, offset: o}"))
                        .plan()
                        .history())
                .isNotNull();
    }

    @Test
    void rowsHoldNoFieldsInsideOfRecords() {
        assertThat(history(ROWS)
                        .after("  id:", "  version: updated_at")
                        .with("key: product_id", "key: address.city")
                        .problems())
                .containsExactly("24: history.jdbc: the job reads address.city, a field inside of a record, and rows"
                        + " have none; choose files or a topic as history".replace("24:", "25:"));
    }

    @Test
    void aTimestampOfKafkaMustBeKept() throws IOException {
        String topic = Files.readString(JobText.RESOURCES.resolve("kafka-raw.yaml"));
        assertThat(topic).contains("kafka-timestamp");
        Files.createDirectories(folder.resolve("schemas"));
        Files.copy(JobText.RESOURCES.resolve("schemas/17.avsc"), folder.resolve("schemas/17.avsc"));

        assertThat(new JobText(folder, topic + "history: { files: { path: archive } }\n").problems())
                .singleElement()
                .asString()
                .endsWith(
                        "history: its records have no timestamp of Kafka, which time.observed asks for; choose a topic,"
                                + " or keep the timestamp in a column and name it as jdbc.position.timestamp");
    }

    @Test
    void noSecretIsShownOrStored() {
        for (String resource : new String[] {"history-topic.yaml", "history-rows.yaml"}) {
            ResolvedJob job = JobFiles.resolve(JobText.RESOURCES.resolve(resource), Map.of());

            for (String shown : new String[] {job.text(), JobSpec.json(job.plan())}) {
                assertThat(shown).doesNotContain("hunter2").contains("***");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "history-files.yaml",
                "history-topic.yaml",
                "history-raw.yaml",
                "history-folder.yaml",
                "history-rows.yaml",
                "history-query.yaml"
            })
    void theResolvedJobIsAJobFileWithTheSamePlan(String resource) throws IOException {
        Files.createDirectories(folder.resolve("schemas"));
        Files.copy(JobText.RESOURCES.resolve("schemas/17.avsc"), folder.resolve("schemas/17.avsc"));
        Files.copy(JobText.RESOURCES.resolve("schemas/18.avsc"), folder.resolve("schemas/18.avsc"));
        JobText text = new JobText(folder, Files.readString(JobText.RESOURCES.resolve(resource)));
        ResolvedJob job = text.resolved(Map.of("REGISTRY_PASSWORD", "***", "JAAS", "***", "HISTORY_PASSWORD", "***"));

        JobPlan again = new JobText(folder, job.text().replace("hunter2", "***")).plan();

        assertThat(JobSpec.json(again)).isEqualTo(JobSpec.json(job.plan()));
        assertThat(again.history().source()).isEqualTo(job.plan().history().source());
        assertThat(again.history().kind()).isEqualTo(job.plan().history().kind());
    }

    @Test
    void isNoPartOfWhatTheStateMeans() {
        assertThat(JobSpec.fingerprint(
                        history("history: { files: { path: archive } }").plan()))
                .isEqualTo(JobSpec.fingerprint(least.plan()));
    }

    @Test
    void theSameFilesOrTopicHaveTheSamePositions() {
        JobPlan live = least.plan();

        assertThat(history("history: { files: { path: orders } }")
                        .plan()
                        .history()
                        .hasPositionsOf(live.source()))
                .isTrue();
        assertThat(history("history: { files: { path: orders, logs: folder } }")
                        .plan()
                        .history()
                        .hasPositionsOf(live.source()))
                .isFalse();
    }
}
