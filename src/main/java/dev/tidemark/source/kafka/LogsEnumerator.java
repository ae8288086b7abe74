package dev.tidemark.source.kafka;

import dev.tidemark.source.flink.AllLogsGiven;
import dev.tidemark.source.flink.LeastReached;
import dev.tidemark.source.flink.ReaderProgress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * The connector's enumerator, which tells each reader when it has been given all partitions that were there at the start: as
 * soon as the first discovery, after a restore too, has been gone through to the end. Keeps the readers in step.
 */
final class LogsEnumerator implements SplitEnumerator<KafkaPartitionSplit, KafkaLogsState> {
    private final SplitEnumeratorContext<KafkaPartitionSplit> context;
    private final Topic topic;
    private final ReaderProgress progress;
    private final SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> inner;
    private int open;
    private boolean isDiscovered;
    private boolean isAllGiven;

    LogsEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context,
            Topic topic,
            Function<
                            SplitEnumeratorContext<KafkaPartitionSplit>,
                            SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState>>
                    inner) {
        this.context = context;
        this.topic = topic;
        this.progress = new ReaderProgress(context);
        this.inner = inner.apply(new Attentive());
    }

    @Override
    public void start() {
        inner.start();
    }

    @Override
    public void addReader(int subtask) {
        inner.addReader(subtask);
        if (isAllGiven) {
            tell(subtask);
        }
        progress.start(subtask);
    }

    @Override
    public void addSplitsBack(List<KafkaPartitionSplit> splits, int subtask) {
        inner.addSplitsBack(splits, subtask);
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        inner.handleSplitRequest(subtask, host);
    }

    @Override
    public void handleSourceEvent(int subtask, SourceEvent event) {
        if (event instanceof LeastReached said) {
            progress.hear(subtask, said);
        } else {
            inner.handleSourceEvent(subtask, event);
        }
    }

    @Override
    public KafkaLogsState snapshotState(long checkpoint) throws Exception {
        String id = topic.id();
        return new KafkaLogsState(id == null ? "" : id, inner.snapshotState(checkpoint));
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) throws Exception {
        inner.notifyCheckpointComplete(checkpoint);
    }

    @Override
    public void close() throws IOException {
        inner.close();
    }

    /** One answer of the broker has been gone through; a discovery that finds something takes two. */
    private void answered() {
        if (isDiscovered && open == 0 && !isAllGiven) {
            isAllGiven = true;
            context.registeredReaders().keySet().forEach(this::tell);
        }
    }

    private void tell(int reader) {
        String id = topic.id();
        if (id != null) {
            context.sendEventToSourceReader(reader, new TopicNamed(id));
        }
        context.sendEventToSourceReader(reader, new AllLogsGiven());
    }

    /** The context as the connector sees it. */
    private final class Attentive implements SplitEnumeratorContext<KafkaPartitionSplit> {
        @Override
        public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
            open++;
            context.callAsync(callable, (T result, Throwable failure) -> {
                handler.accept(result, failure);
                open--;
                answered();
            });
        }

        @Override
        public <T> void callAsync(
                Callable<T> callable, BiConsumer<T, Throwable> handler, long initialDelayMillis, long periodMillis) {
            context.callAsync(
                    callable,
                    (T result, Throwable failure) -> {
                        handler.accept(result, failure);
                        isDiscovered = true;
                        answered();
                    },
                    initialDelayMillis,
                    periodMillis);
        }

        /** A partition that was added while the job ran begins with its first record, by number, so that a gap is seen. */
        @Override
        public void assignSplits(SplitsAssignment<KafkaPartitionSplit> assignment) {
            Map<Integer, List<KafkaPartitionSplit>> numbered = new HashMap<>();
            assignment.assignment().forEach((reader, splits) -> {
                List<KafkaPartitionSplit> of = new ArrayList<>();
                for (KafkaPartitionSplit split : splits) {
                    of.add(
                            split.getStartingOffset() == KafkaPartitionSplit.EARLIEST_OFFSET
                                    ? new KafkaPartitionSplit(split.getTopicPartition(), 0)
                                    : split);
                }
                numbered.put(reader, of);
            });
            context.assignSplits(new SplitsAssignment<>(numbered));
        }

        @Override
        public SplitEnumeratorMetricGroup metricGroup() {
            return context.metricGroup();
        }

        @Override
        public void sendEventToSourceReader(int subtask, SourceEvent event) {
            context.sendEventToSourceReader(subtask, event);
        }

        @Override
        public int currentParallelism() {
            return context.currentParallelism();
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
            return context.registeredReaders();
        }

        @Override
        public void signalNoMoreSplits(int subtask) {
            context.signalNoMoreSplits(subtask);
        }

        @Override
        public void runInCoordinatorThread(Runnable runnable) {
            context.runInCoordinatorThread(runnable);
        }
    }
}
