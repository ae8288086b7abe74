package dev.tidemark.gate.flink;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Change;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.RestoreException;
import dev.tidemark.gate.Stamper;
import dev.tidemark.gate.Whole;
import dev.tidemark.job.Definition;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.PublicationRule;
import dev.tidemark.publish.Reopening;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.Warehouse;
import dev.tidemark.wire.flink.SharedNumbers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Decodes, screens and stamps the records of the logs that this subtask reads, in their order. Chained behind the source:
 * raw records are reused.
 *
 * <p>Rejected changes, and at each barrier the {@link Cut}, go to a side output; to another the {@link Bound} that says the
 * same of all its logs together. Which logs it reads the source says ({@link RawRecord.Kind}).
 *
 * <p>A log's frontier and position are union state: every subtask is given all of them and goes on from those of the logs
 * that it is told it reads. Subtask 0 keeps the others as they were, so that a log survives whose reader has not spoken yet
 * or does not speak any more; of two states of a log the next restore takes the further. Its first cut names them, so that
 * a new submission stands behind in no log only because nobody reads it.
 *
 * <p>Its state also says under which lookback it was written, and to which one it was widened last. As long as nothing is
 * published under that, what a larger lookback has opened again is open, whatever the warehouse says is closed; the
 * publication that opens it goes ahead of all that was judged so, or with it.
 *
 * <p>At start it asks the warehouse what is published: records before that are stamped as replayed, which act but are
 * not counted, recorded or ledgered again. All others carry the first partition that is open by what is published: no
 * publication changes an earlier one.
 *
 * <p>Its state also says who wrote it. State of another job, or of another definition of this one, is refused without a
 * restart. Frontiers that the submission was told to reset are reset in state that another submission wrote, and never in
 * its own: so once, however often Flink restarts it.
 */
public final class StampOperator extends AbstractStreamOperator<Change>
        implements OneInputStreamOperator<RawRecord, Change> {
    private static final long serialVersionUID = 1L;

    static final ListStateDescriptor<LogState> LOGS = new ListStateDescriptor<>("logs", new LogState.Serializer());

    private static final String LOOKBACK = "lookback";
    private static final String WIDENED_TO = "widened-to";

    private final JobPlan plan;
    private final RecordDecoder.Factory decoders;
    private final Warehouse.PublishedPositions publishedPositions;
    private final Map<String, Integer> columnLengths;
    private final String submission;
    private final FrontierResets resets;
    private final OutputTag<Part> parts;
    private final OutputTag<Bound> bounds;

    private transient Calendar calendar;
    private transient Stamper stamper;
    private transient Map<String, LogProgress> logs;
    private transient Map<String, LogState> restored;
    private transient SharedNumbers numbers;
    private transient long widenedTo;
    private transient boolean hasToSayWidened;
    private transient Map<String, LogCut> floors;
    private transient ListState<LogState> state;
    private transient ListState<SubmissionState> submissionState;
    private transient StreamRecord<Change> stamped;
    private transient @Nullable LogProgress current;
    private transient @Nullable String currentLog;
    private transient int subtask;
    private transient long barrier;
    private transient boolean hasNamedRestored;
    private transient long read;
    private transient long rejected;
    private transient boolean ready;
    private transient boolean finished;

    /**
     * @param submission the random id of the submission, made when its graph was built
     * @param resets what the submission was told of frontiers
     * @param parts where rejected changes and cuts go
     * @param bounds where it says how far its logs have come
     */
    @SuppressWarnings("NullAway.Init")
    public StampOperator(
            JobPlan plan,
            RecordDecoder.Factory decoders,
            Warehouse.PublishedPositions publishedPositions,
            Map<String, Integer> columnLengths,
            String submission,
            FrontierResets resets,
            OutputTag<Part> parts,
            OutputTag<Bound> bounds) {
        this.plan = plan;
        this.decoders = decoders;
        this.publishedPositions = publishedPositions;
        this.columnLengths = new HashMap<>(columnLengths);
        this.submission = submission;
        this.resets = resets;
        this.parts = parts;
        this.bounds = bounds;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        state = context.getOperatorStateStore().getUnionListState(LOGS);
        barrier = context.getRestoredCheckpointId().orElse(0);
        restored = new LinkedHashMap<>();
        for (LogState log : state.get()) {
            restored.merge(log.log(), log, SavedStamps::further);
        }
        submissionState = context.getOperatorStateStore().getUnionListState(SubmissionState.DESCRIPTOR);
        boolean own = false;
        for (SubmissionState writer : submissionState.get()) {
            refuse(writer.definition().refusal(plan));
            own |= writer.submission().equals(submission);
        }
        if (!own) {
            resetFrontiers();
        }
        numbers = new SharedNumbers(context.getOperatorStateStore(), List.of(LOOKBACK, WIDENED_TO));
        int lookback = plan.partition().lookback();
        long before = numbers.restored().get(0);
        if (before == SharedNumbers.UNKNOWN || lookback < before) {
            widenedTo = SharedNumbers.UNKNOWN;
        } else {
            widenedTo = lookback > before ? lookback : numbers.restored().get(1);
        }
    }

    private void resetFrontiers() {
        Map<String, Long> frontiers = new HashMap<>();
        restored.forEach((name, log) -> frontiers.put(name, log.h()));
        refuse(resets.refusal(frontiers));
        resets.instants()
                .forEach((name, instant) -> restored.computeIfPresent(
                        name,
                        (same, log) -> log.reset(instant, Gate.calendarOf(plan).partitionOf(log.h()))));
    }

    /** State that is not this job's will not become it by trying again. */
    private static void refuse(@Nullable String reason) {
        if (reason != null) {
            throw new SuppressRestartsException(new RestoreException(reason));
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        calendar = Gate.calendarOf(plan);
        subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        Standing published = publishedPositions.read();
        if (widenedTo > published.lookback()) {
            hasToSayWidened = subtask == 0;
            PartitionPlan partition = plan.partition();
            published = new PublicationRule(calendar, partition.lookback(), partition.retain()).reopened(published);
        }
        stamper = new Stamper(plan, decoders.create(plan), columnLengths, published.closedBefore());
        logs = new LinkedHashMap<>();
        floors = new HashMap<>();
        for (LogCut log : published.logs()) {
            floors.put(log.log(), log);
        }
        stamped = new StreamRecord<>(null);
    }

    @Override
    public void processElement(StreamRecord<RawRecord> element) {
        RawRecord raw = element.getValue();
        switch (raw.kind) {
            case RECORD -> stamp(raw);
            case TAKEN -> logs.computeIfAbsent(raw.log, name -> takeUp(raw));
            case QUIET -> progress(raw.log).quiet();
            case READY -> ready = true;
        }
    }

    private void stamp(RawRecord raw) {
        LogProgress log = progress(raw.log);
        boolean replayed = log.advance(raw);
        if (!replayed) {
            read++;
        }
        Change change = stamper.stamp(raw, log.frontier(), log.whole(), replayed);
        raw.frontier = log.frontier().h();
        if (change != null) {
            stamped.replace(change);
            output.collect(stamped);
        } else if (!replayed) {
            rejected++;
            output.collect(parts, new StreamRecord<>(new Part.Rejected(stamper.rejected(raw))));
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        if (!finished) {
            emitCuts(checkpointId);
            emitBound(false);
        }
    }

    @Override
    public void finish() throws Exception {
        emitCuts(barrier + 1);
        emitBound(true);
        finished = true;
        super.finish();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        List<LogState> kept = new ArrayList<>();
        for (LogProgress log : logs.values()) {
            LogState logState = log.state();
            if (logState != null) {
                kept.add(logState);
            }
        }
        kept.addAll(notTaken());
        state.update(kept);
        submissionState.update(
                subtask == 0 ? List.of(new SubmissionState(Definition.of(plan), submission)) : List.of());
        numbers.update(List.of((long) plan.partition().lookback(), widenedTo));
    }

    /** The restored logs that subtask 0 keeps. */
    private List<LogState> notTaken() {
        if (subtask != 0) {
            return List.of();
        }
        return restored.values().stream()
                .filter(log -> !logs.containsKey(log.log()))
                .toList();
    }

    private void emitCuts(long nextBarrier) {
        if (hasToSayWidened) {
            hasToSayWidened = false;
            List<LogCut> stood = new ArrayList<>();
            for (LogState log : restored.values()) {
                LogCut cut = restore(log).cut();
                if (cut != null) {
                    stood.add(cut);
                }
            }
            output.collect(parts, new StreamRecord<>(new Part.Reopened(Reopening.at(stood))));
        }
        if (!hasNamedRestored) {
            hasNamedRestored = true;
            List<LogState> notTaken = notTaken();
            if (!notTaken.isEmpty()) {
                // Said as of the restored checkpoint, so that no bound waits for them: their readers speak for them.
                emitCut(0, 0, notTaken.stream().map(this::restore).toList());
            }
        }
        barrier = nextBarrier;
        emitCut(read, rejected, logs.values());
        read = 0;
        rejected = 0;
    }

    private void emitCut(long readOfThem, long rejectedOfThem, Collection<LogProgress> ofLogs) {
        boolean settled = ready;
        List<LogCut> named = new ArrayList<>();
        for (LogProgress log : ofLogs) {
            LogCut cut = log.cut();
            if (cut != null) {
                named.add(cut);
            } else if (log.isActive()) {
                settled = false;
            }
        }
        Cut cut = new Cut(subtask, barrier, settled, readOfThem, rejectedOfThem, named);
        output.collect(parts, new StreamRecord<>(new Part.Read(cut)));
    }

    private void emitBound(boolean last) {
        long leastActive = Bound.NONE;
        long least = Bound.NONE;
        for (LogProgress log : logs.values()) {
            long h = log.frontier().h();
            if (log.isActive()) {
                leastActive = Math.min(leastActive, h);
            }
            if (h != Frontier.UNKNOWN) {
                least = Math.min(least, h);
            }
        }
        int senders = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
        output.collect(bounds, new StreamRecord<>(new Bound(subtask, senders, ready, last, leastActive, least)));
    }

    private LogProgress progress(String log) {
        LogProgress progress = current;
        if (progress != null && log.equals(currentLog)) {
            return progress;
        }
        progress = logs.get(log);
        if (progress == null) {
            throw new IllegalStateException(
                    "A record of the log '" + log + "' has come, which the source has not said that it reads.");
        }
        current = progress;
        currentLog = log;
        return progress;
    }

    private LogProgress takeUp(RawRecord taken) {
        LogState known = restored.get(taken.log);
        if (known != null) {
            return restore(known);
        }
        Frontier frontier = new Frontier(calendar, plan.time().maxAdvance());
        Whole whole = new Whole(calendar, plan, taken.whole ? Whole.ALL : Whole.NOT_KNOWN);
        return LogProgress.begun(taken, frontier, whole, floors.get(taken.log));
    }

    private LogProgress restore(LogState log) {
        Frontier frontier = new Frontier(calendar, plan.time().maxAdvance(), log.h(), log.pending(), log.pendingId());
        return LogProgress.restored(log, frontier, new Whole(calendar, plan, log.wholeFrom()), floors.get(log.log()));
    }
}
