package dev.tidemark.source.kafka;

import dev.tidemark.change.RawRecord;
import dev.tidemark.source.SourceException;
import dev.tidemark.source.flink.AllLogsGiven;
import dev.tidemark.source.flink.LeastOfOthers;
import dev.tidemark.source.flink.LeastReached;
import dev.tidemark.source.flink.ReaderPace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.clock.RelativeClock;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The connector's reader, and what it says of its logs besides: which it has taken, and which have been read to their end.
 *
 * <p>A log is quiet when nothing has come of it for the idle timeout while the reader had nothing to do, and the broker has
 * then said that its end is where the consumer stands. A broker that does not answer leaves it as it is. A log that has run
 * ahead of the others is held until they have come after it.
 */
final class KafkaLogsReader implements SourceReader<RawRecord, KafkaPartitionSplit> {
    /** How long at most until the broker is asked again. */
    private static final long ASK_AGAIN_MILLIS = 5_000;

    /** After how many records it is looked whether a log has run ahead. */
    private static final int RECORDS_A_TURN = 256;

    private final SourceReaderContext context;
    private final SourceReader<RawRecord, KafkaPartitionSplit> inner;
    private final ReaderPace pace;
    private final RecordIntake intake;
    private final Fetched fetched;
    private final LogEnds ends;
    private final String job;
    private final String topic;
    private final long idleTimeoutMillis;
    private final RelativeClock clock;
    /** What is to be said before the next record. */
    private final Deque<RawRecord> words = new ArrayDeque<>();

    private @Nullable String topicId;
    private boolean isStarted;
    private int recordsThisTurn;
    private long askAgainMillis = Long.MIN_VALUE;
    private volatile CompletableFuture<Void> wake = new CompletableFuture<>();

    KafkaLogsReader(
            SourceReaderContext context,
            SourceReader<RawRecord, KafkaPartitionSplit> inner,
            ReaderPace pace,
            RecordIntake intake,
            Fetched fetched,
            String job,
            String topic,
            long idleTimeoutMillis,
            RelativeClock clock,
            EndsFactory ends) {
        this.context = context;
        this.inner = inner;
        this.pace = pace;
        this.intake = intake;
        this.fetched = fetched;
        this.job = job;
        this.topic = topic;
        this.idleTimeoutMillis = idleTimeoutMillis;
        this.clock = clock;
        this.ends = ends.create(this::wakeUp);
    }

    /** Makes what asks the broker. */
    @FunctionalInterface
    interface EndsFactory {
        LogEnds create(Runnable onAnswer);
    }

    @Override
    public void start() {
        isStarted = true;
        inner.start();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<RawRecord> output) throws Exception {
        RawRecord word = words.poll();
        if (word != null) {
            output.collect(word);
            return InputStatus.MORE_AVAILABLE;
        }
        InputStatus status;
        try {
            status = inner.pollNext(output);
        } catch (RuntimeException failure) {
            throw explained(failure);
        }
        if (status != InputStatus.NOTHING_AVAILABLE) {
            if (++recordsThisTurn == RECORDS_A_TURN) {
                align();
            }
            return status;
        }
        align();
        // The future first: whoever answers from now on ends the wait.
        CompletableFuture<Void> next = new CompletableFuture<>();
        wake = next;
        listen();
        if (!words.isEmpty()) {
            return InputStatus.MORE_AVAILABLE;
        }
        long wait = waitMillis();
        if (wait != Long.MAX_VALUE) {
            next.completeOnTimeout(null, wait, TimeUnit.MILLISECONDS);
        }
        return InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        CompletableFuture<Void> records = inner.isAvailable();
        return records.isDone() || !words.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.anyOf(records, wake).thenApply(any -> null);
    }

    @Override
    public void addSplits(List<KafkaPartitionSplit> splits) {
        for (KafkaPartitionSplit split : splits) {
            ReadLog log = new ReadLog(
                    split.getTopicPartition(), split.getStartingOffset(), pace.take(clock.relativeTimeMillis()));
            intake.take(log);
            RawRecord taken = word(RawRecord.Kind.TAKEN, log.name);
            taken.split = log.name;
            taken.offset = log.next;
            taken.sequence = log.next;
            taken.begins = isStarted;
            taken.whole = log.next == 0;
            words.add(taken);
        }
        inner.addSplits(splits);
        wakeUp();
    }

    @Override
    public void handleSourceEvents(SourceEvent event) {
        if (event instanceof AllLogsGiven) {
            pace.allGiven();
            words.add(word(RawRecord.Kind.READY, ""));
        } else if (event instanceof TopicNamed named) {
            topicId = named.id();
        } else if (event instanceof LeastOfOthers said) {
            pace.hear(said);
        } else {
            inner.handleSourceEvents(event);
        }
        wakeUp();
    }

    @Override
    public List<KafkaPartitionSplit> snapshotState(long checkpoint) {
        return inner.snapshotState(checkpoint);
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) throws Exception {
        inner.notifyCheckpointComplete(checkpoint);
    }

    @Override
    public void notifyCheckpointAborted(long checkpoint) throws Exception {
        inner.notifyCheckpointAborted(checkpoint);
    }

    @Override
    public void notifyNoMoreSplits() {
        inner.notifyNoMoreSplits();
    }

    @Override
    public void close() throws Exception {
        ends.close();
        inner.close();
    }

    /** Holds the logs that have run ahead, lets go those that others have come after, and reports the least. */
    private void align() {
        recordsThisTurn = 0;
        LeastReached report = pace.report(clock.relativeTimeMillis());
        if (report != null) {
            context.sendSourceEventToCoordinator(report);
        }
        List<String> held = new ArrayList<>();
        List<String> released = new ArrayList<>();
        for (ReadLog log : intake.logs()) {
            boolean isHeld = !pace.mayGoOn(log.pace);
            if (isHeld != log.isHeld) {
                log.isHeld = isHeld;
                log.hasMoved = true;
                (isHeld ? held : released).add(log.name);
            }
        }
        if (!held.isEmpty() || !released.isEmpty()) {
            inner.pauseOrResumeSplits(held, released);
        }
    }

    /** Nothing is there to be read: finds out which logs are at their end. */
    private void listen() {
        long now = clock.relativeTimeMillis();
        Map<TopicPartition, Long> answer = ends.answer();
        List<TopicPartition> silent = new ArrayList<>();
        for (ReadLog log : intake.logs()) {
            if (log.hasMoved) {
                log.hasMoved = false;
                log.silentSinceMillis = now;
            }
            if (log.isHeld || log.isQuiet || now - log.silentSinceMillis < idleTimeoutMillis) {
                continue;
            }
            Long end = answer == null ? null : answer.get(log.partition);
            if (end != null && fetched.isRead(log.partition, log.next, end)) {
                log.isQuiet = true;
                log.pace.quiet();
                words.add(word(RawRecord.Kind.QUIET, log.name));
            } else {
                silent.add(log.partition);
            }
        }
        if (!silent.isEmpty() && !ends.isAsking() && now >= askAgainMillis) {
            askAgainMillis = now + Math.min(idleTimeoutMillis, ASK_AGAIN_MILLIS);
            ends.ask(silent);
        }
    }

    /** How long until something may be to be done, if nobody calls. */
    private long waitMillis() {
        long now = clock.relativeTimeMillis();
        long wait = pace.waitMillis(now);
        for (ReadLog log : intake.logs()) {
            long due = log.silentSinceMillis + idleTimeoutMillis;
            boolean isDue = due <= now;
            if (!log.isHeld && !log.isQuiet && !(isDue && ends.isAsking())) {
                wait = Math.min(wait, Math.max(1, (isDue ? askAgainMillis : due) - now));
            }
        }
        return wait;
    }

    private void wakeUp() {
        wake.complete(null);
    }

    private RuntimeException explained(RuntimeException failure) {
        OffsetOutOfRangeException gone = ExceptionUtils.findThrowable(failure, OffsetOutOfRangeException.class)
                .orElse(null);
        if (gone == null) {
            return failure;
        }
        SourceException anew = createdAnew();
        if (anew != null) {
            return new SuppressRestartsException(anew);
        }
        Map<TopicPartition, Long> wanted = new HashMap<>(gone.offsetOutOfRangePartitions());
        for (Map.Entry<TopicPartition, Long> each : wanted.entrySet()) {
            long[] range = ends.range(each.getKey());
            if (range != null) {
                long offset = each.getValue();
                return new SuppressRestartsException(new SourceException(
                        offset < range[0]
                                ? LostRecords.message(job, each.getKey(), offset, "the job goes on at", range[0])
                                : LostRecords.shorter(job, each.getKey(), offset, range[1])));
            }
        }
        return failure;
    }

    private @Nullable SourceException createdAnew() {
        String before = topicId;
        String now = before == null ? null : ends.topicId();
        return before == null || now == null || before.equals(now)
                ? null
                : new SourceException(LostRecords.createdAnew(job, topic, before, now));
    }

    private static RawRecord word(RawRecord.Kind kind, String log) {
        RawRecord word = new RawRecord();
        word.kind = kind;
        word.log = log;
        return word;
    }
}
