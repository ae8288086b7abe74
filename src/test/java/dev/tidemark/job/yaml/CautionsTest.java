package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Caution;
import dev.tidemark.job.Cautions;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.avro.AvroSchemas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CautionsTest {
    private static final String JOB = """
            formatVersion: 1
            job: shipments
            source: { schema: shipment.avsc, format: json, files: { path: data } }
            changes: { mode: append }
            time: { event: at, observed: seen, frontier: observed }
            partition: { grain: day, zone: UTC, lookback: { partitions: 3, because: "measured" } }
            target: { table: shipments, key: carrier, columns: { shipments: { count: {} } } }
            """;

    @TempDir
    Path folder;

    @Test
    void appendWithALookbackAndNoIdIsAMachineForDuplicates() throws IOException {
        assertThat(paths(JOB, "")).containsExactly("changes.id");
        assertThat(paths(JOB.replace("append }", "append, id: shipment_id }"), ""))
                .isEmpty();
        assertThat(paths(JOB.replace("partitions: 3", "partitions: 0"), "")).isEmpty();
    }

    @Test
    void appendOfRecordsThatChangeIsToldWithTheFieldsThatSaySo() throws IOException {
        String job = JOB.replace("append }", "append, id: shipment_id }");

        List<Caution> cautions = cautions(
                job,
                ", " + time("last_updated_at") + ", " + time("modifiedOn") + ", "
                        + "{\"name\": \"row_version\", \"type\": \"long\"}, {\"name\": \"is_deleted\", \"type\": \"boolean\"}");

        assertThat(cautions).hasSize(1);
        assertThat(cautions.get(0).toString())
                .startsWith("changes.mode: append counts every record")
                .contains(
                        "last_updated_at: when it was changed",
                        "modifiedOn: when it was changed",
                        "row_version: which version it is",
                        "is_deleted: what was done to it");
        assertThat(paths(job.replace("mode: append", "mode: upsert"), ", " + time("updated_at")))
                .isEmpty();
    }

    @Test
    void namesThatOnlySoundLikeAChangeAreLeftAlone() throws IOException {
        String job = JOB.replace("append }", "append, id: shipment_id }");

        assertThat(paths(
                        job,
                        ", {\"name\": \"operator\", \"type\": \"string\"}, {\"name\": \"conversion\", \"type\": \"long\"}, "
                                + "{\"name\": \"options\", \"type\": \"string\"}, {\"name\": \"user_op_count\", \"type\": \"string\"}, "
                                + "{\"name\": \"updated\", \"type\": \"boolean\"}"))
                .isEmpty();
    }

    @Test
    void theTimeOfTheEventItselfIsNoSignOfChange() throws IOException {
        assertThat(paths(
                        JOB.replace("append }", "append, id: shipment_id }").replace("event: at", "event: updated_at"),
                        ", " + time("updated_at")))
                .isEmpty();
    }

    @Test
    void countDistinctThatHidesCopiesIsTold() throws IOException {
        assertThat(paths(JOB.replace("{ count: {} }", "{ countDistinct: shipment_id }"), ""))
                .containsExactly("changes.id", "target.columns");
    }

    @Test
    void whatCannotBeMeasuredOrWasNotIsTold() throws IOException {
        String job = JOB.replace("append }", "append, id: shipment_id }");

        assertThat(paths(job.replace("lookback: { partitions: 3, because: \"measured\" }", "lookback: 3"), ""))
                .containsExactly("partition.lookback");
        assertThat(paths(job.replace("observed: seen, frontier: observed", "observed: none, frontier: event"), ""))
                .containsExactly("time.observed");
    }

    @Test
    void aFutureOfMoreThanAPartitionIsTold() throws IOException {
        String job = JOB.replace("append }", "append, id: shipment_id }");

        assertThat(paths(job.replace("frontier: observed", "frontier: observed, maxFutureSkew: 25h"), ""))
                .containsExactly("time.maxFutureSkew");
        assertThat(paths(job.replace("frontier: observed", "frontier: observed, maxFutureSkew: 24h"), ""))
                .isEmpty();
    }

    private static String time(String name) {
        return "{\"name\": \"" + name + "\", \"type\": {\"type\": \"long\", \"logicalType\": \"timestamp-millis\"}}";
    }

    private List<String> paths(String job, String moreFields) throws IOException {
        return cautions(job, moreFields).stream().map(Caution::path).toList();
    }

    private List<Caution> cautions(String job, String moreFields) throws IOException {
        Files.writeString(
                folder.resolve("shipment.avsc"),
                "{\"type\": \"record\", \"name\": \"Shipment\", \"fields\": [{\"name\": \"shipment_id\", \"type\": \"string\"}, "
                        + "{\"name\": \"carrier\", \"type\": \"string\"}, " + time("at") + ", " + time("seen")
                        + moreFields
                        + "]}");
        Path file = folder.resolve("job.yaml");
        Files.writeString(file, job);
        JobPlan plan = JobFiles.read(file, Map.of());
        return Cautions.of(plan, AvroSchemas.parse(plan.source().schema()));
    }
}
