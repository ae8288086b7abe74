package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.CommandLineInterface;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.KafkaBroker;
import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Example data that {@code generate} sends to a topic, read by the job that is made for it. */
@Timeout(240)
class ExampleTopicTest {
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

    private record Output(int status, String out, String err) {}

    private static Output generate(String... where) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] arguments = Stream.concat(
                        Stream.of("generate", "kestrel", "--days", "4", "--scale", "0.01"), Stream.of(where))
                .toArray(String[]::new);
        int status = new CommandLineInterface(new PrintWriter(out, true), new PrintWriter(err, true), Map.of())
                .run(arguments);
        return new Output(status, out.toString(), err.toString());
    }

    @Test
    void orderLinesFromATopicStandAsThoseOfTheFiles() throws Exception {
        Output files = generate("--out", folder.resolve("files").toString());
        Output sent = generate("--topic", "order-lines", "--bootstrap-servers", KAFKA.bootstrapServers());
        assertThat(sent.err()).isEmpty();
        assertThat(sent.status()).isZero();
        Map<List<Object>, GenericRecord> standing = new HashMap<>();
        long records = 0;
        try (Stream<Path> list = Files.list(folder.resolve("files"))) {
            for (Path file : list.filter(each -> !each.getFileName().toString().startsWith("_"))
                    .sorted()
                    .toList()) {
                records += take(file, standing);
            }
        }
        standing.values().removeIf(record -> record.get("op").toString().equals("d"));
        long quantity = standing.values().stream()
                .mapToLong(record -> (int) record.get("quantity"))
                .sum();
        assertThat(sent.out()).contains(String.format("topic           order-lines, %,d records", records));
        assertThat(files.out()).contains(String.format("changes         %,d", records));

        JobPlan plan = JobFiles.read(
                Path.of("jobs/order-lines-kafka.yaml"), Map.of("KAFKA_BOOTSTRAP_SERVERS", KAFKA.bootstrapServers()));
        WholeJob job = WholeJob.of(plan, POSTGRES, folder.resolve("job"));
        JobClient run = job.submit(2, Duration.ofMillis(500));
        long all = records;
        WholeJob.await(run, all + " records", () -> job.recordsPublished() == all);
        WholeJob.cancel(run);
        assertThat(job.rows("select count(*), sum(quantity) from gold.fct_order_item_stream"))
                .containsExactly(standing.size() + " " + quantity);

        Output again = generate("--topic", "order-lines", "--bootstrap-servers", KAFKA.bootstrapServers());
        assertThat(again.status()).isEqualTo(3);
        assertThat(again.err()).contains("the topic order-lines is not empty; name another, or delete it first");
    }

    private static long take(Path file, Map<List<Object>, GenericRecord> newest) throws IOException {
        long records = 0;
        try (DataFileReader<GenericRecord> in =
                new DataFileReader<>(file.toFile(), new GenericDatumReader<GenericRecord>())) {
            for (GenericRecord record : in) {
                records++;
                newest.merge(
                        List.of(record.get("order_id"), record.get("line_number")),
                        record,
                        (old, next) -> (long) next.get("updated_at") > (long) old.get("updated_at") ? next : old);
            }
        }
        return records;
    }
}
