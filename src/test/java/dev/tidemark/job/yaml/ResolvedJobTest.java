package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobSpec;
import dev.tidemark.job.ResolvedJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The resolved job as people, the warehouse and the next run see it. */
class ResolvedJobTest {
    private static final Map<String, String> NO_VARIABLES = Map.of();

    @TempDir
    private Path folder;

    private JobText least;

    @BeforeEach
    void leastJob() {
        least = JobText.least(folder);
    }

    @Test
    void marksWhatNobodySaid() throws IOException {
        assertThat(least.resolved(NO_VARIABLES).text())
                .isEqualTo(Files.readString(JobText.RESOURCES.resolve("least.resolved.txt"))
                        .replace("FOLDER", folder.toString()));
    }

    @Test
    void printsEveryKeyAndEveryType() throws IOException {
        ResolvedJob job = JobFiles.resolve(JobText.RESOURCES.resolve("every-key.yaml"), Map.of("ORDERS", "/data"));

        assertThat(job.text()).isEqualTo(Files.readString(JobText.RESOURCES.resolve("every-key.resolved.txt")));
    }

    @Test
    void itsTextIsAJobFileWithTheSamePlan() throws IOException {
        String everyKey = Files.readString(JobText.RESOURCES.resolve("every-key.yaml"));
        for (JobText job : new JobText[] {
            least,
            new JobText(folder, everyKey),
            least.with("lookback: 3", "lookback: {partitions: 0, because: \"tab\\tquote\\\" # \\\\ : \\x07\"}"),
            least.with("mode: upsert", "mode: append").with("  id: [order_id, line_number]\n", ""),
            least.after("  id:", "  version: position\n  delete: \"status = 'it''s # gone'\""),
            least.after("  id:", "  delete: removed").after("  frontier:", "  maxFutureSkew: PT0.000001S"),
        }) {
            ResolvedJob resolved = job.resolved(NO_VARIABLES);

            assertThat(new JobText(folder, resolved.text()).plan()).isEqualTo(resolved.plan());
        }
    }

    @Test
    void showsNoPasswordAnywhere() {
        ResolvedJob job = least.with("path: orders", "path: \"sftp://me:hunter2@host/in\"")
                .resolved(NO_VARIABLES);

        assertThat(job.plan().source().path()).contains("hunter2");
        assertThat(job.text()).doesNotContain("hunter2").contains("sftp://me:***@host/in");
        assertThat(JobSpec.json(job.plan())).doesNotContain("hunter2").contains("sftp://me:***@host/in");
    }

    @Test
    void itsSpecIsCanonicalJson() throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        JobPlan plan = JobFiles.read(JobText.RESOURCES.resolve("every-key.yaml"), Map.of("ORDERS", "/data"));
        JsonNode spec = mapper.readTree(JobSpec.json(plan));
        String expected = Files.readString(JobText.RESOURCES.resolve("every-key.spec.json"));

        assertThat(spec.at("/source/schema/name").asText()).isEqualTo("OrderItem");
        ((ObjectNode) spec.path("source")).remove("schema");
        assertThat(mapper.writerWithDefaultPrettyPrinter().writeValueAsString(spec) + "\n")
                .isEqualTo(expected);
    }

    @Test
    void itsFingerprintNeverChangesByItself() {
        assertThat(JobSpec.fingerprint(least.plan()))
                .isEqualTo("77692f4a7863fdf858bf7c10633a84d8de56f2ce0c3eb13f295ef7b503b20df7");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            lookback: 3             | lookback: {partitions: 9, because: x}
            lookback: 3             | 'lookback: 3\n  retain: 4'
            files: { path: orders } | 'files: { path: elsewhere, watch: 2s }\n  idleTimeout: 2m'
            frontier: observed      | 'frontier: observed\n  maxFutureSkew: 1m\n  maxAdvance: 9'
            format: avro            | format: json
            key: product_id         | 'key: product_id\n  revisions: true'
            """)
    void whatActsOnLaterChangesOnlyKeepsTheFingerprint(String from, String to) {
        assertThat(JobSpec.fingerprint(least.with(from, to).plan())).isEqualTo(JobSpec.fingerprint(least.plan()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            job: product-days       | job: product-weeks
            mode: upsert            | mode: append
            [order_id, line_number] | order_id
            mode: upsert            | 'mode: upsert\n  version: updated_at'
            mode: upsert            | 'mode: upsert\n  delete: removed'
            event: ordered_at       | event: updated_at
            observed: ingested_at   | observed: updated_at
            frontier: observed      | frontier: event
            grain: day              | grain: month
            America/New_York        | UTC
            table: product_days     | table: sales.product_days
            key: product_id         | key: order_id
            changes:                | 'where: quantity > 0\nchanges:'
            changes:                | 'fields: { twice: quantity * 2 }\nchanges:'
            lines: { count: {} }    | 'lines: { count: {}, where: quantity > 0 }'
            lines: { count: {} }    | rows: { count: {} }
            lines: { count: {} }    | lines: { count: status }
            lines: { count: {} }    | lines: { runningCount: {} }
            lines: { count: {} }    | 'lines: { count: {} }\n    most: { max: quantity }'
            """)
    void whatTheStateDependsOnChangesTheFingerprint(String from, String to) {
        assertThat(JobSpec.fingerprint(least.with(from, to).plan())).isNotEqualTo(JobSpec.fingerprint(least.plan()));
    }

    @Test
    void thatGlobalColumnsAreWrittenAgainKeepsTheFingerprint() {
        JobText running = least.with("lines: { count: {} }", "lines: { runningCount: {} }");

        assertThat(JobSpec.fingerprint(
                        running.after("  key:", "  retroactive: true").plan()))
                .isEqualTo(JobSpec.fingerprint(running.plan()));
    }

    @Test
    void anotherTypeOfAFieldChangesTheFingerprint() throws IOException {
        String before = JobSpec.fingerprint(least.plan());
        Path schema = folder.resolve("order-item.avsc");
        Files.writeString(
                schema,
                Files.readString(schema)
                        .replace("\"product_id\", \"type\": \"long\"", "\"product_id\", \"type\": \"string\""));

        assertThat(JobSpec.fingerprint(least.plan())).isNotEqualTo(before);
    }
}
