package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.Pace;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.flink.util.clock.ManualClock;
import org.jspecify.annotations.Nullable;

/**
 * The enumerator and all readers of a source, polled one by one by the test, on a clock of the test's. A record is a
 * number: the day of its mark, which is written back as a chained stamping operator would.
 */
final class ReadersInHand implements AutoCloseable {
    static final long DAY_MICROS = Duration.ofDays(1).toNanos() / 1000;

    /** What came out of a reader: a record's text is its day. */
    record Said(int reader, RawRecord.Kind kind, String log, String split, long offset, boolean begins, long day) {}

    /** All of the source's state. */
    record State(List<LogSplit> splits, FileEnumeratorState enumerator) {}

    final ManualClock clock = new ManualClock();
    final List<Said> said = new ArrayList<>();
    private final LogEnumerator enumerator;
    private final List<FilesReader> readers = new ArrayList<>();
    private final Map<Integer, ReaderInfo> registered = new TreeMap<>();
    private final Map<String, Long> reached = new HashMap<>();
    private final Deque<Runnable> events = new ArrayDeque<>();
    private final boolean isChained;
    private @Nullable Runnable discovery;

    ReadersInHand(SourcePlan plan, int parallelism, boolean isChained, @Nullable State restored) throws Exception {
        this.isChained = isChained;
        enumerator =
                new LogEnumerator(new Coordinator(parallelism), plan, restored == null ? null : restored.enumerator());
        enumerator.start();
        for (int i = 0; i < parallelism; i++) {
            int index = i;
            FilesReader reader =
                    new FilesReader(new Task(i), plan, (log, path) -> {}, new Pace(SourceFiles.DAYS), clock);
            readers.add(reader);
            if (restored != null) {
                reader.addSplits(restored.splits().stream()
                        .filter(split -> restored.splits().indexOf(split) % parallelism == index)
                        .toList());
            }
            reader.start();
            registered.put(i, new ReaderInfo(i, "here"));
            enumerator.addReader(i);
            deliver();
        }
    }

    /** Polls one reader once. */
    InputStatus poll(int reader) throws Exception {
        InputStatus status = readers.get(reader).pollNext(new Out(reader));
        deliver();
        return status;
    }

    /** Polls one reader until it has nothing more to give now. */
    InputStatus drain(int reader) throws Exception {
        while (true) {
            InputStatus status = poll(reader);
            if (status != InputStatus.MORE_AVAILABLE) {
                return status;
            }
        }
    }

    /** Polls all readers in turns until none has anything to give now; the clock goes on by a tick each round. */
    List<InputStatus> drain() throws Exception {
        InputStatus[] last = new InputStatus[readers.size()];
        int silent = 0;
        while (silent < 4) {
            silent++;
            for (int i = 0; i < readers.size(); i++) {
                last[i] = poll(i);
                silent = last[i] == InputStatus.MORE_AVAILABLE ? 0 : silent;
            }
            clock.advanceTime(Duration.ofMillis(silent > 0 ? 20 : 1));
        }
        return Arrays.asList(last);
    }

    /** Looks for new logs, as the enumerator does every now and then. */
    void discover() {
        if (discovery != null) {
            discovery.run();
        }
        deliver();
    }

    State snapshot() throws Exception {
        List<LogSplit> splits = new ArrayList<>();
        for (FilesReader reader : readers) {
            splits.addAll(reader.snapshotState(1));
        }
        return new State(splits, enumerator.snapshotState(1));
    }

    List<Said> of(RawRecord.Kind kind) {
        return said.stream().filter(it -> it.kind() == kind).toList();
    }

    /** Which reader has a log. */
    int readerOf(String log) {
        return of(RawRecord.Kind.TAKEN).stream()
                .filter(it -> it.log().equals(log))
                .findFirst()
                .orElseThrow()
                .reader();
    }

    @Override
    public void close() throws Exception {
        for (FilesReader reader : readers) {
            reader.close();
        }
    }

    private void deliver() {
        for (Runnable event = events.poll(); event != null; event = events.poll()) {
            event.run();
        }
    }

    private final class Out implements ReaderOutput<RawRecord> {
        private final int reader;

        private Out(int reader) {
            this.reader = reader;
        }

        @Override
        public void collect(RawRecord record) {
            long day = -1;
            if (record.kind == RawRecord.Kind.RECORD) {
                day = Long.parseLong(new String(record.bytes, record.start, record.length, StandardCharsets.UTF_8));
                if (isChained) {
                    record.frontier = reached.merge(record.log, day * DAY_MICROS, Math::max);
                }
            }
            said.add(new Said(reader, record.kind, record.log, record.split, record.offset, record.begins, day));
        }

        @Override
        public void collect(RawRecord record, long timestamp) {
            collect(record);
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            throw new IllegalStateException("no watermarks");
        }

        @Override
        public void markIdle() {}

        @Override
        public void markActive() {}

        @Override
        public SourceOutput<RawRecord> createOutputForSplit(String split) {
            return this;
        }

        @Override
        public void releaseOutputForSplit(String split) {}
    }

    private final class Task implements SourceReaderContext {
        private final int index;

        private Task(int index) {
            this.index = index;
        }

        @Override
        public SourceReaderMetricGroup metricGroup() {
            return UnregisteredMetricsGroup.createSourceReaderMetricGroup();
        }

        @Override
        public Configuration getConfiguration() {
            return new Configuration();
        }

        @Override
        public String getLocalHostName() {
            return "here";
        }

        @Override
        public int getIndexOfSubtask() {
            return index;
        }

        @Override
        public void sendSplitRequest() {}

        @Override
        public void sendSourceEventToCoordinator(SourceEvent event) {
            events.add(() -> enumerator.handleSourceEvent(index, event));
        }

        @Override
        public UserCodeClassLoader getUserCodeClassLoader() {
            throw new UnsupportedOperationException();
        }
    }

    private final class Coordinator implements SplitEnumeratorContext<LogSplit> {
        private final int parallelism;

        private Coordinator(int parallelism) {
            this.parallelism = parallelism;
        }

        @Override
        public SplitEnumeratorMetricGroup metricGroup() {
            return UnregisteredMetricsGroup.createSplitEnumeratorMetricGroup();
        }

        @Override
        public void sendEventToSourceReader(int reader, SourceEvent event) {
            events.add(() -> readers.get(reader).handleSourceEvents(event));
        }

        @Override
        public int currentParallelism() {
            return parallelism;
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
            return registered;
        }

        @Override
        public void assignSplits(SplitsAssignment<LogSplit> assignment) {
            assignment
                    .assignment()
                    .forEach((reader, splits) ->
                            events.add(() -> readers.get(reader).addSplits(splits)));
        }

        @Override
        public void signalNoMoreSplits(int reader) {
            events.add(() -> readers.get(reader).notifyNoMoreSplits());
        }

        @Override
        public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> void callAsync(
                Callable<T> callable, BiConsumer<T, Throwable> handler, long delayMillis, long periodMillis) {
            discovery = () -> call(callable, handler);
        }

        @SuppressWarnings("NullAway") // Flink hands null to the handler when nothing failed.
        private static <T> void call(Callable<T> callable, BiConsumer<T, Throwable> handler) {
            try {
                handler.accept(callable.call(), null);
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        }

        @Override
        public void runInCoordinatorThread(Runnable action) {
            action.run();
        }
    }
}
