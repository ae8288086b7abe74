package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.SkippedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.util.clock.SystemClock;
import org.jspecify.annotations.Nullable;

/**
 * Reads the logs of one subtask, in the task's own thread, in turns. One record object is emitted again and again: whoever
 * keeps it copies it.
 */
final class FilesReader implements SourceReader<RawRecord, LogSplit> {
    private static final int RECORDS_A_TURN = 256;

    private final SourceReaderContext context;
    private final SourcePlan plan;
    private final SkippedFiles listener;
    private final List<LogReader> logs = new CopyOnWriteArrayList<>();
    private final RawRecord record = new RawRecord();
    private final Counter records;
    private final Counter bytes;
    private final Counter damaged;
    private @Nullable SourceFolder folder;
    private int turn;
    private int recordsThisTurn;
    private boolean noMoreSplits;
    private CompletableFuture<Void> available = new CompletableFuture<>();

    FilesReader(SourceReaderContext context, SourcePlan plan, SkippedFiles listener) {
        this.context = context;
        this.plan = plan;
        this.listener = listener;
        SourceReaderMetricGroup metrics = context.metricGroup();
        this.records = metrics.getIOMetricGroup().getNumRecordsInCounter();
        this.bytes = metrics.getIOMetricGroup().getNumBytesInCounter();
        this.damaged = metrics.getNumRecordsInErrorsCounter();
    }

    @Override
    public void start() {
        SourceReaderMetricGroup metrics = context.metricGroup();
        metrics.gauge(
                "skippedFiles",
                () -> logs.stream().mapToInt(LogReader::skippedFiles).sum());
        metrics.setPendingBytesGauge(
                () -> logs.stream().mapToLong(LogReader::pendingBytes).sum());
    }

    @Override
    public InputStatus pollNext(ReaderOutput<RawRecord> output) throws IOException {
        for (int passed = 0; passed < logs.size(); passed++) {
            if (logs.get(turn).next(record)) {
                records.inc();
                bytes.inc(record.wholeLength);
                if (record.damage != null) {
                    damaged.inc();
                }
                output.collect(record);
                if (++recordsThisTurn == RECORDS_A_TURN) {
                    endTurn();
                }
                return InputStatus.MORE_AVAILABLE;
            }
            endTurn();
        }
        if (noMoreSplits && logs.stream().allMatch(LogReader::isFinished)) {
            return InputStatus.END_OF_INPUT;
        }
        available = new CompletableFuture<>();
        if (!plan.isBounded() && !logs.isEmpty()) {
            long wait = logs.stream().mapToLong(LogReader::waitMillis).min().orElse(plan.watchMillis());
            available = available.completeOnTimeout(null, wait, TimeUnit.MILLISECONDS);
        }
        return InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public List<LogSplit> snapshotState(long checkpoint) {
        List<LogSplit> splits = new ArrayList<>();
        for (LogReader log : logs) {
            splits.add(log.snapshot());
        }
        return splits;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return available;
    }

    @Override
    public void addSplits(List<LogSplit> splits) {
        for (LogSplit split : splits) {
            logs.add(new LogReader(split, plan, folder(), listener, SystemClock.getInstance()));
        }
        available.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        noMoreSplits = true;
        available.complete(null);
    }

    @Override
    public void close() throws IOException {
        for (LogReader log : logs) {
            log.close();
        }
    }

    private void endTurn() {
        recordsThisTurn = 0;
        turn = (turn + 1) % logs.size();
    }

    private SourceFolder folder() {
        SourceFolder known = folder;
        if (known == null) {
            try {
                known = new SourceFolder(plan.path(), plan.logs());
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
            folder = known;
        }
        return known;
    }
}
