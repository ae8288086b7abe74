package dev.tidemark.generate.kafka;

import dev.tidemark.generate.RecordSink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A topic that takes the records, each with its key as text and the time of its arrival as timestamp. It is created if it is
 * not there, so that it keeps records of any age and takes those of times to come; it must be empty.
 */
public final class TopicRecords implements RecordSink {
    private static final int CLIENT_SECONDS = 30;

    private final String topic;
    private final byte[] header;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private long records;

    private TopicRecords(String topic, byte[] header, KafkaProducer<byte[], byte[]> producer) {
        this.topic = topic;
        this.header = header;
        this.producer = producer;
    }

    /**
     * Opens a topic.
     *
     * @param partitions of the topic if it has to be created
     * @param header what stands before each value
     */
    public static TopicRecords open(String bootstrapServers, String topic, int partitions, byte[] header)
            throws IOException {
        prepare(bootstrapServers, topic, partitions);
        Map<String, Object> settings = new HashMap<>();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 20);
        settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 1 << 18);
        return new TopicRecords(
                topic, header, new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()));
    }

    private static void prepare(String bootstrapServers, String topic, int partitions) throws IOException {
        try (Admin admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                CLIENT_SECONDS * 1_000,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                CLIENT_SECONDS * 1_000 / 2))) {
            if (within(admin.listTopics().names()).contains(topic)) {
                requireEmpty(admin, topic);
            } else {
                NewTopic created = new NewTopic(topic, Optional.of(partitions), Optional.empty());
                created.configs(
                        Map.of("retention.ms", "-1", "message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE)));
                within(admin.createTopics(List.of(created)).all());
            }
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(
                    "the topic " + topic + " at " + bootstrapServers + " cannot be made ready: " + reason(e)
                            + "; check the address, and that the broker runs",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the topic " + topic + " was made ready", e);
        }
    }

    private static void requireEmpty(Admin admin, String topic)
            throws IOException, ExecutionException, TimeoutException, InterruptedException {
        TopicDescription description =
                within(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic);
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        if (description != null) {
            description
                    .partitions()
                    .forEach(each -> ends.put(new TopicPartition(topic, each.partition()), OffsetSpec.latest()));
        }
        boolean empty = within(admin.listOffsets(ends).all()).values().stream().allMatch(end -> end.offset() == 0);
        if (!empty) {
            throw new IOException("the topic " + topic + " is not empty; name another, or delete it first");
        }
    }

    private static <T> T within(KafkaFuture<T> future)
            throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(CLIENT_SECONDS, TimeUnit.SECONDS);
    }

    private static String reason(Exception failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    public String topic() {
        return topic;
    }

    /** How many records were given. */
    public long records() {
        return records;
    }

    @Override
    public void accept(long key, long arrivedAt, byte[] record) throws IOException {
        requireNoFailure();
        byte[] value = record;
        if (header.length > 0) {
            value = new byte[header.length + record.length];
            System.arraycopy(header, 0, value, 0, header.length);
            System.arraycopy(record, 0, value, header.length, record.length);
        }
        Future<RecordMetadata> unused = producer.send(
                new ProducerRecord<>(
                        topic,
                        null,
                        Math.floorDiv(arrivedAt, 1_000L),
                        Long.toString(key).getBytes(StandardCharsets.UTF_8),
                        value),
                (metadata, failed) -> {
                    if (failed != null) {
                        failure.compareAndSet(null, failed);
                    }
                });
        records++;
    }

    private void requireNoFailure() throws IOException {
        Exception failed = failure.get();
        if (failed != null) {
            throw new IOException("the topic " + topic + " does not take the records: " + reason(failed), failed);
        }
    }

    @Override
    public void close() throws IOException {
        producer.flush();
        producer.close(Duration.ofSeconds(CLIENT_SECONDS));
        requireNoFailure();
    }
}
