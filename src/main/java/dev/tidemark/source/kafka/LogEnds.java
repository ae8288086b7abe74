package dev.tidemark.source.kafka;

import dev.tidemark.job.KafkaPlan;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Asks the broker where partitions end, without waiting for the answer. Connects when first asked. */
final class LogEnds implements AutoCloseable {
    private final KafkaPlan plan;
    private final int subtask;
    private final Runnable onAnswer;
    private @Nullable Admin admin;
    private volatile @Nullable Map<TopicPartition, Long> answer;
    private volatile boolean isAsking;

    /** @param onAnswer called, by another thread, when an answer or the news that there is none has come */
    LogEnds(KafkaPlan plan, int subtask, Runnable onAnswer) {
        this.plan = plan;
        this.subtask = subtask;
        this.onAnswer = onAnswer;
    }

    /** Whether a question is still open. */
    boolean isAsking() {
        return isAsking;
    }

    /** Asks for the offsets behind the last committed records. */
    void ask(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        partitions.forEach(partition -> ends.put(partition, OffsetSpec.latest()));
        isAsking = true;
        ListOffsetsResult result = admin().listOffsets(ends, new ListOffsetsOptions(ClientProperties.ISOLATION));
        KafkaFuture<?> unused = result.all().whenComplete((found, failure) -> {
            if (failure == null) {
                Map<TopicPartition, Long> offsets = new HashMap<>();
                found.forEach((partition, end) -> offsets.put(partition, end.offset()));
                answer = offsets;
            }
            isAsking = false;
            onAnswer.run();
        });
    }

    /** The answer that has come since the last call; null: none. A broker that does not answer says nothing. */
    @Nullable
    Map<TopicPartition, Long> answer() {
        Map<TopicPartition, Long> now = answer;
        answer = null;
        return now;
    }

    /** Which topic of its name it is now, waited for; null: the broker does not say. */
    @Nullable
    String topicId() {
        try {
            TopicDescription found = admin().describeTopics(Set.of(plan.topic()))
                    .allTopicNames()
                    .get()
                    .get(plan.topic());
            return found == null ? null : found.topicId().toString();
        } catch (ExecutionException failure) {
            return null;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** The first and the next offset of a partition, waited for; null: the broker does not say. */
    long @Nullable [] range(TopicPartition partition) {
        try {
            long first = offset(partition, OffsetSpec.earliest());
            return new long[] {first, offset(partition, OffsetSpec.latest())};
        } catch (ExecutionException failure) {
            return null;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public void close() {
        Admin open = admin;
        if (open != null) {
            open.close(Duration.ZERO);
        }
    }

    private long offset(TopicPartition partition, OffsetSpec which) throws ExecutionException, InterruptedException {
        return admin().listOffsets(Map.of(partition, which))
                .partitionResult(partition)
                .get()
                .offset();
    }

    private Admin admin() {
        Admin open = admin;
        if (open == null) {
            open = Admin.create(ClientProperties.forAdmin(plan, subtask));
            admin = open;
        }
        return open;
    }
}
