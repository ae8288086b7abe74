package dev.tidemark.gate.flink;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Change;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.Stamper;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.Warehouse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
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
 * <p>Rejected changes, and at each barrier the {@link Cut}, go to a side output. A log's frontier and
 * position are union state: every subtask is given all of them, takes up those whose records it then reads, and of the
 * others keeps the share that its number says, so that a log survives any rescaling whoever reads it next.
 *
 * <p>At start it asks the warehouse what is published: records before that are stamped as replayed, which act but are
 * not counted, recorded or ledgered again.
 */
public final class StampOperator extends AbstractStreamOperator<Change>
        implements OneInputStreamOperator<RawRecord, Change> {
    private static final long serialVersionUID = 1L;

    private static final ListStateDescriptor<LogState> LOGS =
            new ListStateDescriptor<>("logs", new LogState.Serializer());

    private final JobPlan plan;
    private final RecordDecoder.Factory decoders;
    private final Warehouse.PublishedPositions publishedPositions;
    private final Map<String, Integer> columnLengths;
    private final OutputTag<Part> parts;

    private transient Calendar calendar;
    private transient Stamper stamper;
    private transient Map<String, LogProgress> logs;
    private transient Map<String, LogState> restored;
    private transient Map<String, LogCut> floors;
    private transient ListState<LogState> state;
    private transient StreamRecord<Change> stamped;
    private transient @Nullable LogProgress current;
    private transient @Nullable String currentLog;
    private transient long read;
    private transient long rejected;
    private transient boolean finished;

    /**
     * @param parts where rejected changes and cuts go
     */
    @SuppressWarnings("NullAway.Init")
    public StampOperator(
            JobPlan plan,
            RecordDecoder.Factory decoders,
            Warehouse.PublishedPositions publishedPositions,
            Map<String, Integer> columnLengths,
            OutputTag<Part> parts) {
        this.plan = plan;
        this.decoders = decoders;
        this.publishedPositions = publishedPositions;
        this.columnLengths = new HashMap<>(columnLengths);
        this.parts = parts;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        state = context.getOperatorStateStore().getUnionListState(LOGS);
        restored = new LinkedHashMap<>();
        for (LogState log : state.get()) {
            restored.merge(log.log(), log, StampOperator::further);
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        calendar = Gate.calendarOf(plan);
        stamper = new Stamper(plan, decoders.create(plan), columnLengths);
        logs = new LinkedHashMap<>();
        floors = new HashMap<>();
        for (LogCut log : publishedPositions.read()) {
            floors.put(log.log(), log);
        }
        stamped = new StreamRecord<>(null);
        if (getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks() == 1) {
            // The one reader owns every log, also those of which it has nothing more to read: its cuts name them all.
            restored.keySet().forEach(this::progress);
        }
    }

    @Override
    public void processElement(StreamRecord<RawRecord> element) {
        RawRecord raw = element.getValue();
        if (raw.kind != RawRecord.Kind.RECORD) {
            return;
        }
        LogProgress log = progress(raw.log);
        boolean replayed = log.advance(raw);
        if (!replayed) {
            read++;
        }
        Change change = stamper.stamp(raw, log.frontier(), replayed);
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
            emitCut();
        }
    }

    @Override
    public void finish() throws Exception {
        emitCut();
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
        int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        int parallelism = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
        for (LogState log : restored.values()) {
            if (!logs.containsKey(log.log()) && Math.floorMod(log.log().hashCode(), parallelism) == subtask) {
                kept.add(log);
            }
        }
        state.update(kept);
    }

    private void emitCut() {
        List<LogCut> cuts = new ArrayList<>();
        for (LogProgress log : logs.values()) {
            LogCut cut = log.cut();
            if (cut != null) {
                cuts.add(cut);
            }
        }
        output.collect(parts, new StreamRecord<>(new Part.Read(new Cut(read, rejected, cuts))));
        read = 0;
        rejected = 0;
    }

    private LogProgress progress(String log) {
        LogProgress progress = current;
        if (progress != null && log.equals(currentLog)) {
            return progress;
        }
        progress = logs.computeIfAbsent(log, this::takeUp);
        current = progress;
        currentLog = log;
        return progress;
    }

    private LogProgress takeUp(String log) {
        LogState logState = restored.get(log);
        int maxAdvance = plan.time().maxAdvance();
        Frontier frontier = logState == null
                ? new Frontier(calendar, maxAdvance)
                : new Frontier(calendar, maxAdvance, logState.h(), logState.pending(), logState.pendingId());
        return new LogProgress(log, frontier, logState, floors.get(log));
    }

    private static LogState further(LogState one, LogState other) {
        return LogCut.comparePositions(one.split(), one.nextOffset(), other.split(), other.nextOffset()) >= 0
                ? one
                : other;
    }
}
