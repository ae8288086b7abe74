package dev.tidemark.source.kafka;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.KafkaPlan;
import dev.tidemark.source.Extent;
import dev.tidemark.source.HistoryReach;
import dev.tidemark.source.SourceException;
import dev.tidemark.source.StartPositions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * What a topic holds at one moment: each partition from its first record to the last committed one, or to where an extent
 * ends. The offsets are asked for once, so that what is read does not depend on how long reading takes; records that expire
 * until they are read stop the job.
 */
public final class TopicHistory {
    private final KafkaPlan plan;
    private final Map<TopicPartition, Long> starts;
    private final Map<TopicPartition, Long> ends;

    private TopicHistory(KafkaPlan plan, Map<TopicPartition, Long> starts, Map<TopicPartition, Long> ends) {
        this.plan = plan;
        this.starts = starts;
        this.ends = ends;
    }

    /**
     * Asks the broker.
     *
     * @param job for what is said of it
     * @param fixed which topic the job has begun to read, if the positions of the extent are the topic's own; null: it is not
     *     known, or another topic
     * @throws SourceException if the broker does not answer, or the topic is not that one or shorter than the extent
     */
    public static TopicHistory of(KafkaPlan plan, String job, Extent extent, StartPositions.@Nullable Fixed fixed) {
        try (Admin admin = Admin.create(properties(plan))) {
            TopicDescription found = admin.describeTopics(Set.of(plan.topic()))
                    .allTopicNames()
                    .get()
                    .get(plan.topic());
            if (found == null) {
                throw unknown(plan);
            }
            String id = found.topicId().toString();
            if (fixed != null && !fixed.topicId().equals(id)) {
                throw new SourceException(LostRecords.createdAnew(job, plan.topic(), fixed.topicId(), id));
            }
            Map<TopicPartition, OffsetSpec> first = new HashMap<>();
            Map<TopicPartition, OffsetSpec> last = new HashMap<>();
            found.partitions().forEach(partition -> {
                first.put(new TopicPartition(plan.topic(), partition.partition()), OffsetSpec.earliest());
                last.put(new TopicPartition(plan.topic(), partition.partition()), OffsetSpec.latest());
            });
            ListOffsetsOptions committed = new ListOffsetsOptions(ClientProperties.ISOLATION);
            // The ends first: what expires between the two questions is then seen to be gone.
            Map<TopicPartition, Long> ends =
                    offsets(admin.listOffsets(last, committed).all().get());
            Map<TopicPartition, Long> starts =
                    offsets(admin.listOffsets(first, committed).all().get());
            for (Map.Entry<TopicPartition, Long> each : ends.entrySet()) {
                long end = extent.end(each.getKey().toString());
                if (end == Extent.UNLIMITED) {
                    continue;
                }
                if (end > each.getValue()) {
                    throw new SourceException(LostRecords.shorter(job, each.getKey(), end, each.getValue()));
                }
                each.setValue(end);
            }
            return new TopicHistory(plan, starts, ends);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof UnknownTopicOrPartitionException) {
                throw unknown(plan);
            }
            throw new SourceException("the topic " + plan.topic() + " cannot be described: "
                    + (failure.getCause() == null ? failure : failure.getCause()).getMessage()
                    + "; see that bootstrapServers names brokers that answer");
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new SourceException("interrupted while asking for the topic " + plan.topic());
        }
    }

    /** Which partitions have lost their first records. */
    public HistoryReach reach() {
        Map<String, Long> behindBeginning = new HashMap<>();
        starts.forEach((partition, start) -> {
            if (start > 0) {
                behindBeginning.put(partition.toString(), start);
            }
        });
        return new HistoryReach(behindBeginning);
    }

    /** The records, each partition by one reader in the order of offsets. The emitted record is reused. */
    @SuppressWarnings("deprecation") // the connector's interface still speaks of the reset strategy
    public Source<RawRecord, ?, ?> source() {
        return KafkaSource.<RawRecord>builder()
                .setProperties(properties(plan))
                .setPartitions(new HashSet<>(starts.keySet()))
                .setStartingOffsets(OffsetsInitializer.offsets(starts, OffsetResetStrategy.NONE))
                .setBounded(OffsetsInitializer.offsets(ends, OffsetResetStrategy.NONE))
                .setDeserializer(new HistoryIntake(plan))
                .build();
    }

    private static Map<TopicPartition, Long> offsets(Map<TopicPartition, ListOffsetsResultInfo> found) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        found.forEach((partition, info) -> offsets.put(partition, info.offset()));
        return offsets;
    }

    /** Beside those of a running job the clients have names of their own. */
    private static Properties properties(KafkaPlan plan) {
        Properties properties = ClientProperties.of(plan);
        properties.setProperty(KafkaSourceOptions.CLIENT_ID_PREFIX.key(), "tidemark-history-" + plan.topic());
        return properties;
    }

    private static SourceException unknown(KafkaPlan plan) {
        return new SourceException("the topic " + plan.topic()
                + ", which is the history, does not exist; create it, or correct its name in the job file");
    }
}
