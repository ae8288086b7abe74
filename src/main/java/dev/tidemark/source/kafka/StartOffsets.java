package dev.tidemark.source.kafka;

import dev.tidemark.job.KafkaPlan;
import dev.tidemark.source.SourceException;
import dev.tidemark.source.StartPositions;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

/**
 * Where the partitions that are there at the start are read from: where the job's first submission fixed it. A partition
 * that has come since then begins with its first record.
 */
final class StartOffsets implements OffsetsInitializer {
    private static final long serialVersionUID = 1L;

    private final KafkaPlan plan;
    private final String job;
    private final Topic topic;
    private final StartPositions positions;

    StartOffsets(KafkaPlan plan, String job, Topic topic, StartPositions positions) {
        this.plan = plan;
        this.job = job;
        this.topic = topic;
        this.positions = positions;
    }

    @Override
    public Map<TopicPartition, Long> getPartitionOffsets(
            Collection<TopicPartition> partitions, PartitionOffsetsRetriever broker) {
        String id = Objects.requireNonNull(topic.id(), "the topic has been described");
        StartPositions.Fixed fixed = positions.fixed();
        if (fixed == null) {
            Map<String, Long> proposed = new HashMap<>();
            resolve(partitions, broker).forEach((partition, offset) -> proposed.put(partition.toString(), offset));
            fixed = positions.fix(new StartPositions.Fixed(id, proposed));
        }
        new Topic(plan.topic(), job, fixed.topicId()).requireSame(id);
        Map<TopicPartition, Long> first = broker.beginningOffsets(partitions);
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (TopicPartition partition : partitions) {
            long least = first.getOrDefault(partition, 0L);
            long wanted = fixed.offsets().getOrDefault(partition.toString(), least);
            if (wanted < least) {
                throw new SuppressRestartsException(new SourceException(
                        LostRecords.message(job, partition, wanted, "the job began to read at", least)));
            }
            offsets.put(partition, wanted);
        }
        return offsets;
    }

    private Map<TopicPartition, Long> resolve(Collection<TopicPartition> partitions, PartitionOffsetsRetriever broker) {
        return switch (plan.startup()) {
            case EARLIEST -> broker.beginningOffsets(partitions);
            case LATEST -> broker.endOffsets(partitions);
            case TIMESTAMP -> {
                // The ends first: what comes between the two questions is then not passed over.
                Map<TopicPartition, Long> offsets = new HashMap<>(broker.endOffsets(partitions));
                Map<TopicPartition, Long> instants = new HashMap<>();
                partitions.forEach(partition -> instants.put(partition, plan.startupMillis()));
                for (Map.Entry<TopicPartition, OffsetAndTimestamp> found :
                        broker.offsetsForTimes(instants).entrySet()) {
                    if (found.getValue() != null) {
                        offsets.put(found.getKey(), found.getValue().offset());
                    }
                }
                yield offsets;
            }
        };
    }

    /** A position that is gone stops the job; it never goes on somewhere else. */
    @Override
    @SuppressWarnings("deprecation") // the connector's interface still speaks of it
    public OffsetResetStrategy getAutoOffsetResetStrategy() {
        return OffsetResetStrategy.NONE;
    }
}
