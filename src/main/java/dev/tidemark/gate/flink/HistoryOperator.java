package dev.tidemark.gate.flink;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Change;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.Stamper;
import dev.tidemark.gate.Whole;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.AsOf;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.RebuildRule;
import dev.tidemark.publish.RefusedException;
import dev.tidemark.publish.Scan;
import dev.tidemark.source.HistoryReach;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Decodes and screens the records of a history for a rebuild. No frontier judges its changes: to them everything is open.
 * Rejected ones are counted and left out. Chained behind the source: raw records are reused.
 *
 * <p>At the end it says in a side output what it has read: how much, how far in each log, and, of a log that is not read
 * from its beginning, from where on it holds whole partitions.
 */
public final class HistoryOperator extends AbstractStreamOperator<Change>
        implements OneInputStreamOperator<RawRecord, Change> {
    private static final long serialVersionUID = 1L;

    private final JobPlan plan;
    private final RecordDecoder.Factory decoders;
    private final Map<String, Integer> columnLengths;
    private final Rebuild rebuild;
    private final PartitionSpan computed;
    private final HistoryReach reach;
    private final OutputTag<Scan> scans;

    private transient AsOf asOf;

    private transient Calendar calendar;
    private transient Stamper stamper;
    private transient Map<String, ReadLog> logs;
    private transient @Nullable ReadLog current;
    private transient StreamRecord<Change> read;
    private transient long records;
    private transient long rejected;
    private transient long bytes;

    /**
     * @param plan as it reads its history
     * @param computed the partitions that the history has to hold whole
     * @param reach how far back the logs go
     * @param scans where it says what it has read
     */
    @SuppressWarnings("NullAway.Init")
    public HistoryOperator(
            JobPlan plan,
            RecordDecoder.Factory decoders,
            Map<String, Integer> columnLengths,
            Rebuild rebuild,
            PartitionSpan computed,
            HistoryReach reach,
            OutputTag<Scan> scans) {
        this.plan = plan;
        this.decoders = decoders;
        this.columnLengths = new HashMap<>(columnLengths);
        this.rebuild = rebuild;
        this.computed = computed;
        this.reach = reach;
        this.scans = scans;
    }

    @Override
    public void open() throws Exception {
        super.open();
        calendar = Gate.calendarOf(plan);
        asOf = rebuild.asOf();
        stamper = new Stamper(plan, decoders.create(plan), columnLengths);
        logs = new LinkedHashMap<>();
        read = new StreamRecord<>(null);
    }

    @Override
    public void processElement(StreamRecord<RawRecord> element) {
        RawRecord raw = element.getValue();
        if (asOf.contains(raw.log, raw.split, raw.offset)) {
            decode(raw);
        }
    }

    private void decode(RawRecord raw) {
        ReadLog log = log(raw.log);
        log.pass(raw);
        records++;
        bytes += raw.wholeLength;
        Change change = stamper.stamp(raw, log.frontier, log.whole, false);
        if (!reach.isWhole(raw.log)) {
            requireWhole(log);
        }
        if (change == null) {
            rejected++;
        } else {
            read.replace(change.unjudged());
            output.collect(read);
        }
    }

    /** It is of no use to read on when the history does not reach back. */
    private void requireWhole(ReadLog log) {
        String refusal =
                new RebuildRule(calendar).refusal(rebuild.history(), rebuild.span(), computed, log.whole.from());
        if (refusal != null) {
            throw new SuppressRestartsException(new RefusedException("nothing is changed: " + refusal));
        }
    }

    @Override
    public void finish() throws Exception {
        List<LogCut> cuts = new ArrayList<>();
        // Only of a topic does one subtask read the whole of a log, in its order.
        boolean isInOrder = plan.source().kafka() != null;
        logs.values().forEach(log -> log.addTo(cuts, isInOrder ? log.frontier.h() : LogCut.UNKNOWN));
        int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        Cut cut = new Cut(subtask, 0, true, records, rejected, cuts);
        output.collect(scans, new StreamRecord<>(new Scan(cut, bytes)));
        super.finish();
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

        private void addTo(List<LogCut> cuts, long h) {
            String furthest = split;
            if (furthest != null) {
                cuts.add(new LogCut(name, furthest, nextOffset, furthest, nextOffset, h, whole.from(), false, false));
            }
        }
    }
}
