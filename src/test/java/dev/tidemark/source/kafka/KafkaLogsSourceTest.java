package dev.tidemark.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.RawRecord;
import dev.tidemark.job.Grain;
import dev.tidemark.job.KafkaPlan;
import dev.tidemark.job.KafkaPlan.Startup;
import dev.tidemark.kit.KafkaBroker;
import dev.tidemark.kit.MemoryStartPositions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the source says of its logs is true, and in its order. */
@Timeout(120)
class KafkaLogsSourceTest {
    @RegisterExtension
    static final KafkaBroker KAFKA = new KafkaBroker();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    /** What the source says, as text. */
    private static final class Said implements MapFunction<RawRecord, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String map(RawRecord raw) {
            return switch (raw.kind) {
                case RECORD ->
                    raw.split + "@" + raw.offset + " "
                            + new String(raw.bytes, raw.start, raw.length, StandardCharsets.UTF_8);
                case TAKEN ->
                    "taken " + raw.log + "@" + raw.offset + (raw.begins ? " begins" : "") + (raw.whole ? " whole" : "");
                case QUIET -> "quiet " + raw.log;
                case READY -> "ready";
            };
        }
    }

    /** A source that runs, and what it has said so far. */
    private static final class Run implements AutoCloseable {
        private final CloseableIterator<String> words;
        private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
        private final List<String> said = new ArrayList<>();
        private final Thread reader;

        Run(KafkaPlan plan, Duration idleTimeout, int parallelism) throws Exception {
            StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
            environment.setParallelism(parallelism);
            words = environment
                    .fromSource(
                            new KafkaLogsSource(
                                    plan,
                                    "job",
                                    idleTimeout.toMillis(),
                                    new MemoryStartPositions(),
                                    new Calendar(Grain.DAY, ZoneId.of("UTC"))),
                            WatermarkStrategy.noWatermarks(),
                            "topic")
                    .map(new Said())
                    .returns(Types.STRING)
                    .executeAndCollect();
            reader = new Thread(() -> {
                try {
                    words.forEachRemaining(arrived::add);
                } catch (RuntimeException closed) {
                    arrived.add("ended: " + closed);
                }
            });
            reader.setDaemon(true);
            reader.start();
        }

        /** Waits until so many words of a kind have been said. */
        List<String> await(int count, Predicate<String> kind) throws InterruptedException {
            while (said.stream().filter(kind).count() < count) {
                String word = arrived.poll(60, TimeUnit.SECONDS);
                assertThat(word).as("after %s", said).isNotNull().doesNotStartWith("ended");
                said.add(word);
            }
            return said.stream().filter(kind).toList();
        }

        List<String> saidSoFar(Duration wait) throws InterruptedException {
            Thread.sleep(wait.toMillis());
            arrived.drainTo(said);
            return said;
        }

        @Override
        public void close() throws Exception {
            words.close();
        }
    }

    private static KafkaPlan plan(String topic, Startup startup, long millis) {
        return new KafkaPlan(
                KAFKA.bootstrapServers(), topic, null, null, Map.of(), null, startup, millis, Map.of(), 200);
    }

    private static Predicate<String> is(String kind) {
        return word -> word.startsWith(kind);
    }

    @Test
    void saysWhatItTakesThenThatItIsAllThenWhatIsAtItsEnd() throws Exception {
        KAFKA.createTopic("words", 3);
        KAFKA.send("words", 0, "k", "a");
        KAFKA.send("words", 0, "k", "b");
        try (KafkaProducer<byte[], byte[]> producer = KAFKA.producer(Map.of("transactional.id", "words"))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("words", 1, null, "committed".getBytes(StandardCharsets.UTF_8)))
                    .get();
            producer.commitTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("words", 1, null, "aborted".getBytes(StandardCharsets.UTF_8)))
                    .get();
            producer.abortTransaction();
        }

        try (Run run = new Run(plan("words", Startup.EARLIEST, 0), Duration.ofMillis(300), 1)) {
            List<String> quiet = run.await(3, is("quiet"));

            assertThat(quiet).containsExactlyInAnyOrder("quiet words-0", "quiet words-1", "quiet words-2");
            assertThat(run.said)
                    .containsSubsequence("ready", "words-0@0 a", "words-0@1 b", "quiet words-0")
                    .containsSubsequence("ready", "words-1@0 committed", "quiet words-1")
                    .noneMatch(word -> word.contains("aborted"));
            assertThat(run.said.subList(0, 4))
                    .containsExactlyInAnyOrder(
                            "taken words-0@0 begins whole",
                            "taken words-1@0 begins whole",
                            "taken words-2@0 begins whole",
                            "ready");
            KAFKA.send("words", 2, "k", "awake");
            run.await(1, is("words-2@0 awake"));
            run.await(4, is("quiet"));
        }
    }

    @Test
    void everyReaderSaysThatItIsAllAlsoThoseWithoutPartitions() throws Exception {
        KAFKA.createTopic("few", 2);

        try (Run run = new Run(plan("few", Startup.EARLIEST, 0), Duration.ofMillis(300), 4)) {
            run.await(4, is("ready"));
            assertThat(run.await(2, is("taken")))
                    .containsExactlyInAnyOrder("taken few-0@0 begins whole", "taken few-1@0 begins whole");
        }
    }

    @Test
    void aPartitionThatIsAddedBeginsAtItsFirstRecord() throws Exception {
        KAFKA.createTopic("grows", 1);
        KAFKA.send("grows", 0, "k", "old");

        try (Run run = new Run(plan("grows", Startup.LATEST, 0), Duration.ofMinutes(1), 2)) {
            run.await(2, is("ready"));
            assertThat(run.await(1, is("taken"))).containsExactly("taken grows-0@1 begins");
            KAFKA.growTo("grows", 2);
            KAFKA.send("grows", 1, "k", "new");
            run.await(1, is("grows-1@0 new"));
            assertThat(run.said)
                    .containsSubsequence("taken grows-1@0 begins whole", "grows-1@0 new")
                    .noneMatch(word -> word.contains("old"));
        }
    }

    @Test
    void anInstantPicksTheFirstRecordThatIsNotBeforeIt() throws Exception {
        KAFKA.createTopic("times", 2);
        long first = Instant.parse("2026-11-01T00:00:00Z").toEpochMilli();
        for (int hour = 0; hour < 3; hour++) {
            KAFKA.send(new ProducerRecord<>(
                    "times", 0, first + hour * 3_600_000L, null, ("h" + hour).getBytes(StandardCharsets.UTF_8)));
        }
        KAFKA.send(new ProducerRecord<>("times", 1, first, null, "before".getBytes(StandardCharsets.UTF_8)));

        try (Run run = new Run(plan("times", Startup.TIMESTAMP, first + 3_600_000L), Duration.ofMillis(300), 1)) {
            run.await(2, is("quiet"));
            assertThat(run.said)
                    .contains("taken times-0@1 begins", "times-0@1 h1", "times-0@2 h2", "taken times-1@1 begins")
                    .noneMatch(word -> word.contains("h0") || word.contains("before"));
        }
    }

    @Test
    void aBrokerThatIsDownMakesNoLogQuietAndLosesNothing() throws Exception {
        KafkaBroker broker = new KafkaBroker();
        broker.beforeAll(null);
        try {
            broker.createTopic("down", 1);
            broker.send("down", 0, "k", "a");
            KafkaPlan plan = new KafkaPlan(
                    broker.bootstrapServers(),
                    "down",
                    null,
                    null,
                    Map.of(),
                    null,
                    Startup.EARLIEST,
                    0,
                    Map.of("default.api.timeout.ms", "2000", "request.timeout.ms", "1500"),
                    200);
            try (Run run = new Run(plan, Duration.ofMillis(1500), 1)) {
                run.await(1, is("down-0@0"));
                broker.stop();
                assertThat(run.saidSoFar(Duration.ofMillis(4500))).noneMatch(is("quiet"));
                broker.start();
                run.await(1, is("quiet"));
                broker.send("down", 0, "k", "b");
                run.await(1, is("down-0@1 b"));
            }
        } finally {
            broker.afterAll(null);
        }
    }
}
