package dev.tidemark.source.flink;

import static dev.tidemark.source.flink.SourceFiles.DAYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.RawRecord;
import dev.tidemark.change.avro.OrderItems;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.SkippedFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class FilesSourceTest {
    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(2)
            .build());

    private static final AtomicInteger FAILURES = new AtomicInteger();
    private static final AtomicInteger SEEN = new AtomicInteger();

    @TempDir
    Path folder;

    @BeforeEach
    void forget() {
        FAILURES.set(0);
        SEEN.set(0);
    }

    @Test
    void jsonRecordsArriveOnceAndInOrderThroughFailures() throws Exception {
        List<String> expected = new ArrayList<>();
        long sequence = 0;
        for (int file = 0; file < 6; file++) {
            StringBuilder text = new StringBuilder();
            for (int line = 0; line < 200; line++) {
                text.append(file).append('/').append(line).append("\n\n");
                expected.add("part-" + file + (file % 2 == 0 ? ".json" : ".json.gz") + " " + line + " " + sequence++
                        + " " + file + "/" + line);
            }
            if (file % 2 == 0) {
                SourceFiles.put(folder.resolve("part-" + file + ".json"), text.toString());
            } else {
                SourceFiles.putGzip(folder.resolve("part-" + file + ".json.gz"), text.toString());
            }
        }
        assertThat(collect(SourceFiles.bounded(folder, Format.JSON), expected.size()))
                .containsExactlyElementsOf(expected);
        assertThat(FAILURES).hasValue(3);
    }

    @Test
    void avroRecordsArriveOnceAndInOrderThroughFailures() throws Exception {
        Random random = new Random(4);
        for (int file = 0; file < 4; file++) {
            List<GenericRecord> items = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                items.add(OrderItems.random(random));
            }
            SourceFiles.put(
                    folder.resolve("part-" + file + ".avro"),
                    SourceFiles.container(OrderItems.SCHEMA, "deflate", 70, items));
        }
        List<String> arrived = collect(SourceFiles.bounded(folder, Format.AVRO), 1200);
        assertThat(arrived).hasSize(1200);
        for (int i = 0; i < 1200; i++) {
            assertThat(arrived.get(i)).startsWith("part-" + i / 300 + ".avro " + i % 300 + " " + i + " ");
        }
        assertThat(FAILURES).hasValue(3);
    }

    @Test
    void eachFolderIsALogOfItsOwnThroughFailures() throws Exception {
        Set<String> expected = new TreeSet<>();
        for (String log : List.of("east", "north", "west")) {
            for (int file = 0; file < 2; file++) {
                StringBuilder text = new StringBuilder();
                for (int line = 0; line < 100; line++) {
                    text.append(log).append(line).append('\n');
                    expected.add(log + "/" + file + ".json " + line + " " + (100 * file + line) + " " + log + line);
                }
                SourceFiles.put(folder.resolve(log).resolve(file + ".json"), text.toString());
            }
        }
        List<String> arrived = collect(SourceFiles.folders(folder, 0), 600);
        assertThat(arrived).hasSize(600);
        assertThat(new TreeSet<>(arrived)).isEqualTo(expected);
        for (String log : List.of("east", "north", "west")) {
            assertThat(arrived.stream()
                            .filter(line -> line.startsWith(log))
                            .map(line -> Integer.parseInt(line.split(" ", -1)[2])))
                    .isSorted();
        }
    }

    @Test
    void aMissingPathStopsTheJobWithItsName() {
        SourcePlan plan = SourceFiles.bounded(folder.resolve("nowhere"), Format.JSON);
        assertThatThrownBy(() -> collect(plan, 1))
                .hasStackTraceContaining("nowhere does not exist. Correct `source.files.path` in the job file");
    }

    /** Runs the source with frequent checkpoints; the job fails three times on the way. */
    private static List<String> collect(SourcePlan plan, int records) throws Exception {
        Configuration settings = new Configuration();
        settings.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(20));
        settings.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        settings.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS,
                plan.path().endsWith("nowhere") ? 0 : 5);
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(settings);
        env.setParallelism(2);
        env.getConfig().enableObjectReuse();
        DataStream<String> lines = env.fromSource(
                        new FilesSource(plan, new NoListener(), DAYS), WatermarkStrategy.noWatermarks(), "files")
                .filter(new SourceFiles.OnlyRecords())
                .map(new Describe(records / 4));
        List<String> arrived = new ArrayList<>();
        try (CloseableIterator<String> iterator = lines.executeAndCollect()) {
            iterator.forEachRemaining(arrived::add);
        }
        return arrived;
    }

    private static final class NoListener implements SkippedFiles {
        private static final long serialVersionUID = 1L;

        @Override
        public void skipped(String log, String path) {
            throw new IllegalStateException(path);
        }
    }

    private static final class Describe implements MapFunction<RawRecord, String> {
        private static final long serialVersionUID = 1L;
        private final int failEvery;

        private Describe(int failEvery) {
            this.failEvery = failEvery;
        }

        @Override
        public String map(RawRecord record) throws InterruptedException {
            int seen = SEEN.incrementAndGet();
            if (seen % 10 == 0) {
                Thread.sleep(2);
            }
            if (seen % failEvery == 0 && FAILURES.get() < 3) {
                FAILURES.incrementAndGet();
                throw new IllegalStateException("a failure that was asked for");
            }
            return record.split + " " + record.offset + " " + record.sequence + " "
                    + new String(record.bytes, record.start, record.length, StandardCharsets.ISO_8859_1);
        }
    }
}
