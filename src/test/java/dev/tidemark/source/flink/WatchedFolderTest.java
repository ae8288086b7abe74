package dev.tidemark.source.flink;

import static dev.tidemark.source.flink.SourceFiles.DAYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.SkippedFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class WatchedFolderTest {
    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(2)
            .build());

    private static final ConcurrentLinkedQueue<String> ARRIVED = new ConcurrentLinkedQueue<>();
    private static final ConcurrentLinkedQueue<String> SKIPPED = new ConcurrentLinkedQueue<>();

    @TempDir
    Path temporary;

    @BeforeEach
    void forget() {
        ARRIVED.clear();
        SKIPPED.clear();
    }

    @Test
    void logsGoOnWhereASavepointLeftThemWhenTheJobIsRescaled() throws Exception {
        Path folder = temporary.resolve("logs");
        List<String> expected = new ArrayList<>();
        for (String log : List.of("a", "b", "c")) {
            SourceFiles.put(folder.resolve(log).resolve("2.json"), "1\n2\n");
            expected.add(log + "/2.json 0 0 1");
            expected.add(log + "/2.json 1 1 2");
        }
        SourcePlan plan = SourceFiles.folders(folder, 20);
        JobClient first = run(plan, 2, null);
        await(6);
        SourceFiles.put(folder.resolve("d/1.json"), "3\n");
        expected.add("d/1.json 0 0 3");
        await(7);
        String savepoint = first.stopWithSavepoint(
                        false, temporary.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);

        SourceFiles.put(folder.resolve("b/1.json"), "late\n");
        SourceFiles.put(folder.resolve("b/3.json"), "4\n");
        expected.add("b/3.json 0 2 4");
        SourceFiles.put(folder.resolve("e/1.json"), "5\n");
        expected.add("e/1.json 0 0 5");
        JobClient second = run(plan, 1, savepoint);
        await(9);
        SourceFiles.put(folder.resolve("a/3.json"), "6\n");
        expected.add("a/3.json 0 2 6");
        await(10);
        second.cancel().get(30, TimeUnit.SECONDS);
        assertThat(ARRIVED).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(SKIPPED).containsExactly("b b/1.json");
    }

    @Test
    void aBegunFileThatChangesStopsTheJob() throws Exception {
        Path folder = temporary.resolve("one");
        SourceFiles.put(folder.resolve("1.json"), "1\n");
        JobClient job = run(SourceFiles.watched(folder, Format.JSON, 20), 1, null);
        await(1);
        Files.writeString(folder.resolve("1.json"), "1\n2\n");
        assertThatThrownBy(() -> job.getJobExecutionResult().get(60, TimeUnit.SECONDS))
                .hasStackTraceContaining("1.json has changed since the job began to read it");
        assertThat(ARRIVED).hasSize(1);
    }

    @Test
    void aFileCannotBeWatched() throws Exception {
        Path file = temporary.resolve("1.json");
        SourceFiles.put(file, "1\n");
        JobClient job = run(SourceFiles.watched(file, Format.JSON, 20), 1, null);
        assertThatThrownBy(() -> job.getJobExecutionResult().get(60, TimeUnit.SECONDS))
                .hasStackTraceContaining("only a folder can be watched");
    }

    private static JobClient run(SourcePlan plan, int parallelism, @Nullable String savepoint) throws Exception {
        Configuration settings = new Configuration();
        settings.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
        settings.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(settings);
        env.setParallelism(parallelism);
        env.getConfig().enableObjectReuse();
        env.fromSource(new FilesSource(plan, new Note(), DAYS), WatermarkStrategy.noWatermarks(), "files")
                .uid("files")
                .filter(new SourceFiles.OnlyRecords())
                .uid("records")
                .map(new Keep())
                .uid("keep")
                .sinkTo(new DiscardingSink<>())
                .uid("discard");
        StreamGraph graph = env.getStreamGraph();
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        return env.executeAsync(graph);
    }

    private static void await(int records) throws InterruptedException {
        while (ARRIVED.size() < records) {
            Thread.sleep(10);
        }
    }

    private static final class Note implements SkippedFiles {
        private static final long serialVersionUID = 1L;

        @Override
        public void skipped(String log, String path) {
            SKIPPED.add(log + " " + path);
        }
    }

    private static final class Keep implements MapFunction<RawRecord, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String map(RawRecord record) {
            String text = record.split + " " + record.offset + " " + record.sequence + " "
                    + new String(record.bytes, record.start, record.length, StandardCharsets.UTF_8);
            ARRIVED.add(text);
            return text;
        }
    }
}
