package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.Pace;
import dev.tidemark.source.SkippedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.util.clock.RelativeClock;
import org.jspecify.annotations.Nullable;

/**
 * Reads the logs of one subtask, in the task's own thread, in turns. One record object is emitted again and again: whoever
 * keeps it copies it.
 *
 * <p>A log that has run ahead of the others misses its turns until they have come after it. A log is said to be quiet when
 * it has been read to its end and nothing has come for the idle timeout; of a bounded source, at once.
 */
final class FilesReader implements SourceReader<RawRecord, LogSplit> {
    private static final int RECORDS_A_TURN = 256;

    /** One log in the hands of this reader. */
    private static final class Turn {
        private final String log;
        private final LogReader reader;
        private final ReaderPace.Log pace;
        private boolean isHeld;
        private boolean isQuiet;
        private boolean isAtEnd;
        private long endMillis;

        private Turn(String log, LogReader reader, ReaderPace.Log pace) {
            this.log = log;
            this.reader = reader;
            this.pace = pace;
        }
    }

    private final SourceReaderContext context;
    private final SourcePlan plan;
    private final SkippedFiles listener;
    private final RelativeClock clock;
    private final ReaderPace pace;
    private final List<Turn> logs = new CopyOnWriteArrayList<>();
    /** What is to be said before the next record. */
    private final Deque<RawRecord> words = new ArrayDeque<>();

    private final RawRecord record = new RawRecord();
    private final Counter records;
    private final Counter bytes;
    private final Counter damaged;
    private @Nullable SourceFolder folder;
    private int turn;
    private int recordsThisTurn;
    private boolean isAllGiven;
    private boolean isAllRead;
    private boolean noMoreSplits;
    private CompletableFuture<Void> available = new CompletableFuture<>();

    /** @param pace by which logs are kept in step; null: there is only one */
    FilesReader(
            SourceReaderContext context,
            SourcePlan plan,
            SkippedFiles listener,
            @Nullable Pace pace,
            RelativeClock clock) {
        this.context = context;
        this.plan = plan;
        this.listener = listener;
        this.clock = clock;
        this.pace = new ReaderPace(pace);
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
                () -> logs.stream().mapToInt(log -> log.reader.skippedFiles()).sum());
        metrics.setPendingBytesGauge(
                () -> logs.stream().mapToLong(log -> log.reader.pendingBytes()).sum());
    }

    @Override
    public InputStatus pollNext(ReaderOutput<RawRecord> output) throws IOException {
        RawRecord word = words.poll();
        if (word != null) {
            output.collect(word);
            return InputStatus.MORE_AVAILABLE;
        }
        for (int passed = 0; passed < logs.size(); passed++) {
            Turn log = logs.get(turn);
            if (recordsThisTurn == 0) {
                beginTurn(log);
            }
            if (!log.isHeld) {
                if (log.reader.next(record)) {
                    emit(log, output);
                    return InputStatus.MORE_AVAILABLE;
                }
                if (isQuietNow(log)) {
                    log.isQuiet = true;
                    log.pace.quiet();
                    output.collect(word(RawRecord.Kind.QUIET, log.log));
                    return InputStatus.MORE_AVAILABLE;
                }
            }
            endTurn();
        }
        report();
        if (plan.isBounded() && logs.stream().allMatch(log -> log.isQuiet)) {
            if (noMoreSplits) {
                return InputStatus.END_OF_INPUT;
            }
            if (isAllGiven && !isAllRead) {
                isAllRead = true;
                context.sendSourceEventToCoordinator(new AllLogsRead());
            }
        }
        available = new CompletableFuture<>();
        long wait = waitMillis();
        if (wait != Long.MAX_VALUE) {
            available = available.completeOnTimeout(null, wait, TimeUnit.MILLISECONDS);
        }
        return InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public List<LogSplit> snapshotState(long checkpoint) {
        List<LogSplit> splits = new ArrayList<>();
        for (Turn log : logs) {
            splits.add(log.reader.snapshot());
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
            LogReader reader = new LogReader(split, plan, folder(), listener, clock);
            logs.add(new Turn(split.log(), reader, pace.take(clock.relativeTimeMillis())));
            RawRecord taken = word(RawRecord.Kind.TAKEN, split.log());
            taken.split = split.path();
            taken.offset = split.ordinal();
            taken.begins = split.isUnread();
            words.add(taken);
        }
        available.complete(null);
    }

    @Override
    public void handleSourceEvents(SourceEvent event) {
        if (event instanceof AllLogsGiven) {
            isAllGiven = true;
            pace.allGiven();
            words.add(word(RawRecord.Kind.READY, ""));
        } else if (event instanceof LeastOfOthers said) {
            pace.hear(said);
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
        for (Turn log : logs) {
            log.reader.close();
        }
    }

    private void emit(Turn log, ReaderOutput<RawRecord> output) {
        log.isAtEnd = false;
        log.isQuiet = false;
        records.inc();
        bytes.inc(record.wholeLength);
        if (record.damage != null) {
            damaged.inc();
        }
        output.collect(record);
        log.pace.reached(record.frontier);
        if (++recordsThisTurn == RECORDS_A_TURN) {
            endTurn();
        }
    }

    private void beginTurn(Turn log) {
        report();
        log.isHeld = !pace.mayGoOn(log.pace);
        if (log.isHeld) {
            log.isAtEnd = false;
        }
    }

    private void endTurn() {
        recordsThisTurn = 0;
        turn = (turn + 1) % logs.size();
    }

    /** Of a log that has just had no record: whether it is to be said that it is quiet. */
    private boolean isQuietNow(Turn log) throws IOException {
        if (log.isQuiet) {
            return false;
        }
        if (plan.isBounded()) {
            return log.reader.isFinished();
        }
        long now = clock.relativeTimeMillis();
        if (!log.isAtEnd) {
            log.isAtEnd = true;
            log.endMillis = now;
        }
        if (now - log.endMillis < plan.idleTimeoutMillis()) {
            return false;
        }
        return !log.reader.hasMoreNow();
    }

    private void report() {
        LeastReached report = pace.report(clock.relativeTimeMillis());
        if (report != null) {
            context.sendSourceEventToCoordinator(report);
        }
    }

    /** How long until something may be to be done, if nobody calls. */
    private long waitMillis() {
        long now = clock.relativeTimeMillis();
        long wait = pace.waitMillis(now);
        if (plan.isBounded()) {
            return wait;
        }
        for (Turn log : logs) {
            if (!log.isHeld) {
                wait = Math.min(wait, log.reader.waitMillis());
                if (!log.isQuiet && log.isAtEnd) {
                    wait = Math.min(wait, Math.max(1, log.endMillis + plan.idleTimeoutMillis() - now));
                }
            }
        }
        return wait;
    }

    private static RawRecord word(RawRecord.Kind kind, String log) {
        RawRecord word = new RawRecord();
        word.kind = kind;
        word.log = log;
        return word;
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
