package dev.tidemark.source.kafka;

import dev.tidemark.job.KafkaPlan;
import dev.tidemark.source.Backlog;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** The records of a topic behind a job's positions, by what the broker says within a few seconds. */
public final class TopicBacklog {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private TopicBacklog() {}

    /**
     * Asks for them. Marks of transactions count as records, because they take offsets.
     *
     * @param positions partition to next offset; one that is not in it is counted from its first record
     */
    public static Backlog read(KafkaPlan plan, Map<String, Long> positions) {
        Properties properties = ClientProperties.forAdmin(plan, 0);
        String millis = Long.toString(PATIENCE.toMillis());
        properties.setProperty(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        properties.setProperty(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        try (Ending ending = new Ending(Admin.create(properties))) {
            return read(ending.admin(), plan.topic(), positions);
        } catch (KafkaException failure) {
            return unknown(plan, failure);
        } catch (ExecutionException failure) {
            return unknown(plan, failure.getCause() == null ? failure : failure.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return unknown(plan, stop);
        }
    }

    private static Backlog read(Admin admin, String topic, Map<String, Long> positions)
            throws ExecutionException, InterruptedException {
        TopicDescription found = Objects.requireNonNull(
                admin.describeTopics(Set.of(topic)).allTopicNames().get().get(topic), "an answer for each topic");
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        Map<TopicPartition, OffsetSpec> firsts = new HashMap<>();
        found.partitions().forEach(partition -> {
            TopicPartition named = new TopicPartition(topic, partition.partition());
            ends.put(named, OffsetSpec.latest());
            if (!positions.containsKey(named.toString())) {
                firsts.put(named, OffsetSpec.earliest());
            }
        });
        ListOffsetsOptions committed = new ListOffsetsOptions(ClientProperties.ISOLATION);
        Map<TopicPartition, ListOffsetsResultInfo> last =
                admin.listOffsets(ends, committed).all().get();
        Map<TopicPartition, ListOffsetsResultInfo> first =
                admin.listOffsets(firsts, committed).all().get();
        long records = 0;
        long partitions = 0;
        for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end : last.entrySet()) {
            ListOffsetsResultInfo begin = first.get(end.getKey());
            long position = begin == null ? positions.getOrDefault(end.getKey().toString(), 0L) : begin.offset();
            long left = Math.max(0, end.getValue().offset() - position);
            records += left;
            partitions += left > 0 ? 1 : 0;
        }
        return new Backlog.Records(records, partitions);
    }

    private static Backlog unknown(KafkaPlan plan, Throwable failure) {
        String message = failure.getMessage();
        return new Backlog.Unknown("the brokers " + plan.bootstrapServers() + " do not say: "
                + (message == null ? failure.getClass().getSimpleName() : message));
    }

    /** An admin client that is not waited for at the end: it may be asking a broker that does not answer. */
    private record Ending(Admin admin) implements AutoCloseable {
        @Override
        public void close() {
            admin.close(Duration.ZERO);
        }
    }
}
