package dev.tidemark.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.Change;
import dev.tidemark.change.avro.Decoders;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.flink.BoundSerializer;
import dev.tidemark.gate.flink.ChangeSerializer;
import dev.tidemark.gate.flink.StampOperator;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.kit.Plans;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.Warehouse;
import dev.tidemark.publish.flink.PartSerializer;
import dev.tidemark.source.SkippedFiles;
import dev.tidemark.source.flink.FilesSource;
import dev.tidemark.source.flink.SourceFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The folders of a source and the stamping operator chained to it, on Flink's own runtime. */
@Timeout(180)
class StampedFoldersTest {
    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(3)
            .build());

    private static final Queue<Change> SEEN = new ConcurrentLinkedQueue<>();
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final AtomicInteger FAILURES = new AtomicInteger();
    private static final long DAY = Duration.ofDays(1).toNanos() / 1000;

    @TempDir
    Path folder;

    /**
     * One log is long and days behind, one short, one ahead, one empty. The job fails twice when it is asked to, and may fail no
     * third time: not for a checkpoint either.
     */
    @Test
    void eachChangeIsStampedByItsOwnLogThroughFailures() throws Exception {
        days("slow", 1, 14, 300);
        days("short", 4, 4, 20);
        days("ahead", 4, 17, 300);
        Files.createDirectories(folder.resolve("empty"));
        run();
        List<String> wrong = new ArrayList<>();
        Map<String, Set<Long>> offsets = new TreeMap<>();
        for (Change change : SEEN) {
            offsets.computeIfAbsent(change.log(), log -> new TreeSet<>()).add(change.offset());
            if (change.frontier() != change.eventTime()) {
                wrong.add("frontier: " + change);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(FAILURES).hasValue(2);
        assertThat(offsets)
                .containsOnly(
                        Map.entry("slow", upTo(14 * 300)),
                        Map.entry("ahead", upTo(14 * 300)),
                        Map.entry("short", upTo(20)));
    }

    private static Set<Long> upTo(long count) {
        return LongStream.range(0, count).boxed().collect(Collectors.toSet());
    }

    private void run() throws Exception {
        SEEN.clear();
        COUNT.set(0);
        FAILURES.set(0);
        JobPlan plan = Plans.products().withLogsByFolder().plan();
        SourcePlan source = new SourcePlan(
                plan.source().schema(),
                plan.source().format(),
                folder.toString(),
                0,
                plan.source().logs(),
                plan.source().idleTimeoutMillis());
        Configuration settings = new Configuration();
        settings.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 2);
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(settings);
        FlinkSettings.require(environment, Duration.ofMillis(20));
        environment.configure(new Configuration().set(PipelineOptions.AUTO_GENERATE_UIDS, true));
        environment.setParallelism(3);
        environment
                .fromSource(
                        new FilesSource(source, new Nobody(), Gate.calendarOf(plan)),
                        WatermarkStrategy.noWatermarks(),
                        "read")
                .transform(
                        "stamp",
                        ChangeSerializer.TYPE,
                        new StampOperator(
                                plan,
                                new Decoders(),
                                new NothingPublished(),
                                Map.of(),
                                "submission",
                                FrontierResets.NONE,
                                new OutputTag<Part>("parts", PartSerializer.TYPE),
                                new OutputTag<Bound>("bounds", BoundSerializer.TYPE)))
                .map(new FailTwice(), ChangeSerializer.TYPE)
                .sinkTo(new DiscardingSink<>());
        environment.execute();
    }

    private void days(String log, int first, int last, int aDay) {
        StringBuilder text = new StringBuilder();
        for (long day = first; day <= last; day++) {
            for (int i = 0; i < aDay; i++) {
                text.append("{\"id\":\"" + log + day + "/" + i + "\",\"v\":1,\"at\":" + day * DAY + ",\"seen\":"
                        + day * DAY / 1000 + ",\"product\":\"A\"}\n");
            }
        }
        SourceFiles.put(folder.resolve(log).resolve("1.json"), text.toString());
    }

    private static final class Nobody implements SkippedFiles {
        private static final long serialVersionUID = 1L;

        @Override
        public void skipped(String log, String path) {}
    }

    private static final class NothingPublished implements Warehouse.PublishedPositions {
        private static final long serialVersionUID = 1L;

        @Override
        public Standing read() {
            return Standing.NONE;
        }
    }

    private static final class FailTwice implements MapFunction<Change, Change> {
        private static final long serialVersionUID = 1L;

        @Override
        public Change map(Change change) throws InterruptedException {
            SEEN.add(change);
            int seen = COUNT.incrementAndGet();
            if (seen % 20 == 0) {
                Thread.sleep(1);
            }
            if (seen % 2500 == 0 && FAILURES.get() < 2) {
                FAILURES.incrementAndGet();
                throw new IllegalStateException("a failure that was asked for");
            }
            return change;
        }
    }
}
