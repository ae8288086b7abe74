package dev.tidemark.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.RawRecord;
import dev.tidemark.gate.Gate;
import dev.tidemark.job.HistoryPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.job.KafkaPlan;
import dev.tidemark.job.KafkaPlan.Framing;
import dev.tidemark.job.KafkaPlan.Startup;
import dev.tidemark.kit.KafkaBroker;
import dev.tidemark.kit.MemoryStartPositions;
import dev.tidemark.kit.Plans;
import dev.tidemark.publish.AsOf;
import dev.tidemark.publish.LogCut;
import dev.tidemark.source.EventRange;
import dev.tidemark.source.HistoryReach;
import dev.tidemark.source.SourceException;
import dev.tidemark.source.StartPositions;
import dev.tidemark.source.kafka.KafkaLogsSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A topic, read in parallel from its first record to its last, gives what the stream has read of it. */
@Timeout(600)
class TopicHistoryTest {
    @RegisterExtension
    static final KafkaBroker KAFKA = new KafkaBroker();

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    private static final String SCHEMA =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"id\",\"type\":\"string\"}]}";

    private static KafkaPlan topic(String topic, Startup startup, Framing... framing) {
        return new KafkaPlan(
                KAFKA.bootstrapServers(),
                topic,
                framing.length == 0 ? null : framing[0],
                null,
                Map.of(7L, SCHEMA),
                null,
                startup,
                0,
                Map.of(),
                200);
    }

    private static JobPlan job(KafkaPlan topic) {
        JobPlan plan = Plans.products().plan();
        return new JobPlan(
                plan.job(),
                new SourcePlan(
                        plan.source().schema(), topic.framing() == null ? Format.JSON : Format.AVRO, 300, null, topic),
                List.of(),
                null,
                plan.changes(),
                plan.time(),
                plan.partition(),
                plan.target());
    }

    private static List<String> read(JobPlan plan, AsOf asOf, int parallelism) throws Exception {
        try (HistoryReading history = HistoryReading.begin(plan, asOf, EventRange.ALL)) {
            return HistoryRecords.read(history, parallelism);
        }
    }

    /** What the live source reads until all of its logs are at their end. */
    private static List<String> live(JobPlan plan, int partitions) throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(2);
        List<String> records = new ArrayList<>();
        try (CloseableIterator<String> words = environment
                .fromSource(
                        new KafkaLogsSource(
                                Objects.requireNonNull(plan.source().kafka()),
                                plan.job(),
                                plan.source().idleTimeoutMillis(),
                                new MemoryStartPositions(),
                                Gate.calendarOf(plan)),
                        WatermarkStrategy.noWatermarks(),
                        "live")
                .map(new HistoryRecords.Show(), Types.STRING)
                .executeAndCollect()) {
            for (int quiet = 0; quiet < partitions; ) {
                String word = words.next();
                if (word.startsWith(RawRecord.Kind.RECORD.toString())) {
                    records.add(word);
                } else if (word.startsWith(RawRecord.Kind.QUIET.toString())) {
                    quiet++;
                }
            }
        }
        return records;
    }

    private static LogCut cut(String topic, int partition, long next) {
        String log = topic + "-" + partition;
        return new LogCut(log, log, next, log, 0, LogCut.UNKNOWN);
    }

    private static Predicate<String> before(String topic, int partition, long next) {
        return record -> {
            String[] words = record.split(" ", -1);
            return words[1].equals("log=" + topic + "-" + partition)
                    && Long.parseLong(words[3].substring("offset=".length())) < next;
        };
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, int partition, String value) {
        return new ProducerRecord<>(
                topic,
                partition,
                1_700_000_000_000L + value.length(),
                ("k" + value).getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8));
    }

    /** Values, tombstones, and transactions that were committed and aborted, over some partitions; the last one is empty. */
    private static void fill(String topic, int partitions) throws Exception {
        KAFKA.createTopic(topic, partitions);
        try (KafkaProducer<byte[], byte[]> producer = KAFKA.producer(Map.of("transactional.id", topic))) {
            producer.initTransactions();
            for (int round = 0; round < 6; round++) {
                for (int partition = 0; partition < partitions - 1; partition++) {
                    KAFKA.send(record(topic, partition, "plain " + round));
                    KAFKA.send(topic, partition, "k" + round, null);
                    KAFKA.send(topic, partition, (byte[]) null, new byte[] {0, 0, 0, 0, (byte) (6 + round % 2), 2});
                }
                producer.beginTransaction();
                for (int partition = 0; partition < partitions - 1; partition++) {
                    producer.send(record(topic, partition, "transaction " + round))
                            .get();
                }
                if (round % 2 == 0) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
            }
        }
    }

    @Test
    void isReadInParallelAsTheStreamReadsIt() throws Exception {
        fill("whole", 4);
        JobPlan plan = job(topic("whole", Startup.EARLIEST));
        List<String> live = live(plan, 4);
        assertThat(live).hasSize(3 * (6 * 3 + 3)).anyMatch(record -> record.contains("tombstone"));

        for (int parallelism = 1; parallelism <= 4; parallelism++) {
            assertThat(read(plan, AsOf.END, parallelism))
                    .as("parallelism %d", parallelism)
                    .containsExactlyInAnyOrderElementsOf(live);
        }
    }

    @ParameterizedTest
    @EnumSource(Framing.class)
    void isFramedAsTheStreamFramesIt(Framing framing) throws Exception {
        String name = "framed-" + framing.toString().toLowerCase(Locale.ROOT);
        fill(name, 2);
        JobPlan plan = job(topic(name, Startup.EARLIEST, framing));
        List<String> live = live(plan, 2);
        assertThat(live).hasSizeGreaterThan(10);
        if (framing == Framing.CONFLUENT) {
            assertThat(live).anyMatch(record -> record.contains("schema=" + SCHEMA.hashCode()));
            assertThat(live).anyMatch(record -> !record.contains("damage=null"));
        }

        assertThat(read(plan, AsOf.END, 2)).containsExactlyInAnyOrderElementsOf(live);
    }

    @Test
    void isReadUpToThePublishedOffsets() throws Exception {
        fill("published", 4);
        JobPlan plan = job(topic("published", Startup.EARLIEST));
        List<String> live = live(plan, 4);
        // Offset 4 is the marker of the first transaction.
        AsOf asOf = AsOf.of(List.of(cut("published", 0, 5), cut("published", 1, 13), cut("published", 3, 0)));

        assertThat(read(plan, asOf, 2))
                .containsExactlyInAnyOrderElementsOf(live.stream()
                        .filter(before("published", 0, 5).or(before("published", 1, 13)))
                        .toList());
        assertThat(read(plan, AsOf.of(List.of()), 2)).isEmpty();
    }

    @Test
    void beginsAtItsFirstRecordWhereverTheJobBegan() throws Exception {
        KAFKA.createTopic("latest", 1);
        KAFKA.send("latest", 0, "k", "before the job");

        assertThat(read(job(topic("latest", Startup.LATEST)), AsOf.END, 1)).hasSize(1);
    }

    @Test
    void whatComesAfterItWasBegunIsNotRead() throws Exception {
        KAFKA.createTopic("later", 2);
        KAFKA.send("later", 0, "k", "one");
        try (HistoryReading history =
                HistoryReading.begin(job(topic("later", Startup.EARLIEST)), AsOf.END, EventRange.ALL)) {
            KAFKA.send("later", 0, "k", "two");
            KAFKA.send("later", 1, "k", "three");
            KAFKA.growTo("later", 3);

            assertThat(HistoryRecords.read(history, 2))
                    .singleElement()
                    .asString()
                    .endsWith("6f6e65");
        }
    }

    @Test
    void anOpenTransactionIsNotWaitedFor() throws Exception {
        KAFKA.createTopic("open", 1);
        KAFKA.send("open", 0, "k", "one");
        try (KafkaProducer<byte[], byte[]> producer = KAFKA.producer(Map.of("transactional.id", "open"))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(record("open", 0, "not yet")).get();

            assertThat(read(job(topic("open", Startup.EARLIEST)), AsOf.END, 1)).hasSize(1);
            producer.abortTransaction();
        }
    }

    @Test
    void saysWhichLogsHaveLostTheirBeginning() throws Exception {
        KAFKA.createTopic("expired", 3);
        for (int i = 0; i < 5; i++) {
            KAFKA.send("expired", 0, "k", "a" + i);
            KAFKA.send("expired", 1, "k", "b" + i);
        }
        KAFKA.expire("expired", 1, 3);
        JobPlan plan = job(topic("expired", Startup.EARLIEST));

        try (HistoryReading history = HistoryReading.begin(plan, AsOf.END, EventRange.ALL)) {
            assertThat(history.reach()).isEqualTo(new HistoryReach(Map.of("expired-1", 3L)));
            assertThat(history.reach().isWhole()).isFalse();
            assertThat(history.reach().isWhole("expired-0")).isTrue();
            assertThat(history.reach().isWhole("expired-1")).isFalse();
            assertThat(HistoryRecords.read(history, 2)).containsExactlyInAnyOrderElementsOf(live(plan, 3));
        }
        // All that was published has expired.
        try (HistoryReading history = HistoryReading.begin(
                plan, AsOf.of(List.of(cut("expired", 0, 5), cut("expired", 1, 2))), EventRange.ALL)) {
            assertThat(history.reach().isWhole("expired-1")).isFalse();
            assertThat(HistoryRecords.read(history, 1)).hasSize(5);
        }
    }

    @Test
    void whatExpiresUntilItIsReadStopsTheReading() throws Exception {
        KAFKA.createTopic("expiring", 1);
        for (int i = 0; i < 5; i++) {
            KAFKA.send("expiring", 0, "k", "a" + i);
        }
        try (HistoryReading history =
                HistoryReading.begin(job(topic("expiring", Startup.EARLIEST)), AsOf.END, EventRange.ALL)) {
            KAFKA.expire("expiring", 0, 3);

            assertThatThrownBy(() -> HistoryRecords.read(history, 1)).hasStackTraceContaining("expiring-0");
        }
    }

    @Test
    void aTopicThatIsNotTheOneOfTheJobIsRefused() throws Exception {
        KAFKA.createTopic("anew", 1);
        KAFKA.send("anew", 0, "k", "a");
        JobPlan plan = job(topic("anew", Startup.EARLIEST));
        StartPositions positions = new MemoryStartPositions();
        positions.fix(new StartPositions.Fixed("another", Map.of()));

        assertThatThrownBy(() -> HistoryReading.begin(plan, AsOf.END, EventRange.ALL, positions))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("the topic anew has been created anew (its id was another");
        assertThatThrownBy(() -> HistoryReading.begin(plan, AsOf.of(List.of(cut("anew", 0, 2))), EventRange.ALL))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("has read partition 0 of the topic anew up to offset 2")
                .hasMessageContaining("now it has the partition up to 1");
    }

    @Test
    void aTopicThatIsNotThereIsNamed() {
        assertThatThrownBy(
                        () -> HistoryReading.begin(job(topic("nowhere", Startup.EARLIEST)), AsOf.END, EventRange.ALL))
                .isInstanceOf(SourceException.class)
                .hasMessage("the topic nowhere, which is the history, does not exist; create it, or correct its name in"
                        + " the job file");
    }

    @Test
    void anotherTopicIsReadToItsEndWhateverIsPublished() throws Exception {
        KAFKA.createTopic("stream", 1);
        KAFKA.createTopic("archive", 1);
        KAFKA.send("archive", 0, "k", "a");
        KAFKA.send("archive", 0, "k", "b");
        JobPlan live = job(topic("stream", Startup.EARLIEST));
        JobPlan archive = job(topic("archive", Startup.EARLIEST));
        JobPlan plan = new JobPlan(
                live.job(),
                live.source(),
                List.of(),
                null,
                live.changes(),
                live.time(),
                live.partition(),
                live.target(),
                new HistoryPlan(HistoryPlan.Kind.CHANGES, archive.source(), null, null));

        assertThat(read(plan, AsOf.of(List.of(cut("stream", 0, 1))), 1)).hasSize(2);
    }
}
