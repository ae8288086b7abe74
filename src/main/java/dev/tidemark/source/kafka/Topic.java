package dev.tidemark.source.kafka;

import dev.tidemark.source.SourceException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.flink.connector.kafka.source.enumerator.subscriber.KafkaSubscriber;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The topic of one enumerator: which partitions it has now, and whether it is still the one that the job began with. Asked by
 * the connector at the start and then as often as the plan says, in one thread of Flink's.
 *
 * <p>At the start the broker must answer. Later a broker that does not, or does not know the topic once, changes nothing.
 */
final class Topic implements KafkaSubscriber {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final String job;
    private volatile @Nullable String id;
    private transient @Nullable Set<TopicPartition> last;
    private transient boolean isMissed;

    /** @param id which topic of that name the job has begun to read; null: it has not begun */
    Topic(String name, String job, @Nullable String id) {
        this.name = name;
        this.job = job;
        this.id = id;
    }

    /** Which topic of that name it is; null before the first answer. */
    @Nullable
    String id() {
        return id;
    }

    @Override
    public Set<TopicPartition> getSubscribedTopicPartitions(AdminClient admin) {
        Set<TopicPartition> known = last;
        try {
            TopicDescription found = Objects.requireNonNull(
                    admin.describeTopics(Set.of(name)).allTopicNames().get().get(name), "an answer for each topic");
            isMissed = false;
            requireSame(found.topicId().toString());
            Set<TopicPartition> partitions = found.partitions().stream()
                    .map(partition -> new TopicPartition(name, partition.partition()))
                    .collect(Collectors.toSet());
            last = partitions;
            return partitions;
        } catch (ExecutionException failure) {
            Throwable cause = failure.getCause();
            if (cause instanceof UnknownTopicOrPartitionException) {
                if (id == null) {
                    throw new SuppressRestartsException(new SourceException(
                            "the topic " + name + " does not exist; create it, or correct source.kafka.topic"));
                }
                if (known == null || isMissed) {
                    throw new SourceException("the topic " + name + ", which the job " + job
                            + " has begun to read, does not exist any more; if it is gone for good, give the job and its"
                            + " target other names so that it starts anew with another topic");
                }
                isMissed = true;
                return known;
            }
            if (known != null && cause instanceof RetriableException) {
                return known;
            }
            throw new SourceException(
                    "the topic " + name + " cannot be described: " + (cause == null ? failure : cause).getMessage()
                            + "; see that source.kafka.bootstrapServers names brokers that answer");
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new SourceException("interrupted while asking for the topic " + name);
        }
    }

    /** The topic must be the one of which positions are known. */
    void requireSame(String now) {
        String before = id;
        if (before != null && !before.equals(now)) {
            throw new SuppressRestartsException(new SourceException(LostRecords.createdAnew(job, name, before, now)));
        }
        id = now;
    }
}
