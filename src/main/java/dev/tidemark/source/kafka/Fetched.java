package dev.tidemark.source.kafka;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * How far a reader's consumer has fetched each partition. Its position runs ahead of the records: the marks of
 * transactions and what was aborted take offsets too. The consumer's thread writes, the reader's reads.
 */
final class Fetched {
    /** The property under which the consumer finds it. */
    static final String PROPERTY = "tidemark.fetched";

    private final Map<TopicPartition, Place> places = new ConcurrentHashMap<>();

    /**
     * One partition.
     *
     * @param next the position of the consumer
     * @param records the offset behind the last record; -1: there was none
     */
    private record Place(long next, long records) {}

    /**
     * Whether everything before {@code end} has been fetched and emitted.
     *
     * @param emitted the offset behind the last record that was emitted, or where reading began
     */
    boolean isRead(TopicPartition partition, long emitted, long end) {
        Place place = places.get(partition);
        return place == null ? emitted >= end : place.next >= end && emitted >= place.records;
    }

    private void advance(TopicPartition partition, long next, @Nullable ConsumerRecord<?, ?> last) {
        places.compute(
                partition,
                (same, before) ->
                        new Place(next, last != null ? last.offset() + 1 : before == null ? -1 : before.records));
    }

    /** Tells of each fetch. Made by the consumer, hence public. */
    public static final class Interceptor implements ConsumerInterceptor<byte[], byte[]> {
        private @Nullable Fetched fetched;

        @Override
        public void configure(Map<String, ?> configs) {
            fetched = (Fetched) configs.get(PROPERTY);
        }

        @Override
        public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
            Fetched target = fetched;
            if (target != null) {
                records.nextOffsets().forEach((partition, next) -> {
                    List<ConsumerRecord<byte[], byte[]>> some = records.records(partition);
                    target.advance(partition, next.offset(), some.isEmpty() ? null : some.get(some.size() - 1));
                });
            }
            return records;
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

        @Override
        public void close() {}
    }
}
