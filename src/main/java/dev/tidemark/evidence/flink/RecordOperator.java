package dev.tidemark.evidence.flink;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Change;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.evidence.Recorder;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.Stamper;
import dev.tidemark.gate.Whole;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.AsOf;
import dev.tidemark.publish.LogCut;
import dev.tidemark.source.HistoryReach;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Decodes and screens the records of a history and hands them to a recorder, rejected ones too. Chained behind the source:
 * raw records are reused.
 */
public final class RecordOperator extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<RawRecord, Void> {
    private static final long serialVersionUID = 1L;

    private final JobPlan plan;
    private final RecordDecoder.Factory decoders;
    private final Recorder.Factory recorders;
    private final Map<String, Integer> columnLengths;
    private final AsOf asOf;
    private final HistoryReach reach;

    private transient Calendar calendar;
    private transient Stamper stamper;
    private transient @Nullable Recorder recorder;
    private transient Map<String, ReadLog> logs;
    private transient @Nullable ReadLog current;
    private transient long records;
    private transient long bytes;

    /**
     * @param plan as it reads its history
     * @param columnLengths for text columns of the target that are limited, the most characters by column name
     * @param reach how far back the logs go
     */
    @SuppressWarnings("NullAway.Init")
    public RecordOperator(
            JobPlan plan,
            RecordDecoder.Factory decoders,
            Recorder.Factory recorders,
            Map<String, Integer> columnLengths,
            AsOf asOf,
            HistoryReach reach) {
        this.plan = plan;
        this.decoders = decoders;
        this.recorders = recorders;
        this.columnLengths = new HashMap<>(columnLengths);
        this.asOf = asOf;
        this.reach = reach;
    }

    @Override
    public void open() throws Exception {
        super.open();
        calendar = Gate.calendarOf(plan);
        stamper = new Stamper(plan, decoders.create(plan), columnLengths);
        logs = new LinkedHashMap<>();
        recorder = recorders.open(getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
    }

    @Override
    public void processElement(StreamRecord<RawRecord> element) {
        RawRecord raw = element.getValue();
        if (asOf.contains(raw.log, raw.split, raw.offset)) {
            record(raw);
        }
    }

    private void record(RawRecord raw) {
        ReadLog log = log(raw.log);
        log.pass(raw);
        records++;
        bytes += raw.wholeLength;
        Change change = stamper.stamp(raw, log.frontier, log.whole, false);
        if (change == null) {
            opened().reject(
                            raw.log,
                            raw.split,
                            raw.offset,
                            stamper.rejected(raw).reason().word());
        } else {
            opened().record(change);
        }
    }

    @Override
    public void finish() throws Exception {
        List<LogCut> cuts = new ArrayList<>();
        logs.values().forEach(log -> log.addTo(cuts));
        opened().finish(cuts, records, bytes);
        super.finish();
    }

    @Override
    public void close() throws Exception {
        Recorder open = recorder;
        recorder = null;
        if (open != null) {
            open.close();
        }
        super.close();
    }

    private Recorder opened() {
        if (recorder == null) {
            throw new IllegalStateException("the operator is not open");
        }
        return recorder;
    }

    private ReadLog log(String name) {
        ReadLog log = current;
        if (log == null || !log.name.equals(name)) {
            log = logs.computeIfAbsent(name, this::begin);
            current = log;
        }
        return log;
    }

    private ReadLog begin(String name) {
        return new ReadLog(
                name,
                new Frontier(calendar, plan.time().maxAdvance()),
                new Whole(calendar, plan, reach.isWhole(name) ? Whole.ALL : Whole.NOT_KNOWN));
    }

    /** How far a log has been read here; others may read other parts of it. */
    private static final class ReadLog {
        private final String name;
        private final Frontier frontier;
        private final Whole whole;
        private @Nullable String split;
        private long nextOffset;

        private ReadLog(String name, Frontier frontier, Whole whole) {
            this.name = name;
            this.frontier = frontier;
            this.whole = whole;
        }

        private void pass(RawRecord raw) {
            String furthest = split;
            if (furthest == null || LogCut.comparePositions(furthest, nextOffset, raw.split, raw.offset + 1) < 0) {
                split = raw.split;
                nextOffset = raw.offset + 1;
            }
        }

        private void addTo(List<LogCut> cuts) {
            String furthest = split;
            if (furthest != null) {
                cuts.add(new LogCut(
                        name, furthest, nextOffset, furthest, nextOffset, LogCut.UNKNOWN, whole.from(), false, false));
            }
        }
    }
}
