package dev.tidemark.membership.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.JobBound;
import dev.tidemark.identity.DeviceChange;
import dev.tidemark.job.JobPlan;
import dev.tidemark.membership.Judgement;
import dev.tidemark.membership.Membership;
import dev.tidemark.membership.RecordMemory;
import dev.tidemark.partition.Contribution;
import dev.tidemark.publish.Part;
import dev.tidemark.wire.flink.Purging;
import dev.tidemark.wire.flink.SharedNumbers;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Judges the changes of each record id in the order in which they come, and remembers the newest version. The second
 * input, the same for every subtask, brings what moves the {@link JobBound}; it moves at a barrier only, and so does what
 * follows from it: what is closed to logs that are behind, and what is forgotten.
 *
 * <p>State, by record id: {@code memory}, one {@link RecordMemory}, written by every change that says something new,
 * cleared once the id is forgotten for every later change. It grows with the ids that changed within the memory, not
 * with the age of the table: about 150 bytes and the row an id. Alike in all subtasks: the bound's numbers, {@link
 * JobBound#NUMBERS}, and the bound of {@link Purging}.
 */
public final class MembershipOperator extends AbstractStreamOperator<Contribution>
        implements TwoInputStreamOperator<Change, Bound, Contribution> {
    private static final long serialVersionUID = 1L;

    private static final ValueStateDescriptor<RecordMemory> MEMORY =
            new ValueStateDescriptor<>("memory", new RecordMemorySerializer());

    private final JobPlan plan;
    private final OutputTag<Part> parts;
    private final @Nullable OutputTag<DeviceChange> devices;

    private transient Membership membership;
    private transient JudgementOutput judged;
    private transient ValueState<RecordMemory> memory;
    private transient Purging<Bytes> timers;
    private transient JobBound bound;
    private transient SharedNumbers numbers;

    /** Judges for a job that resolves no identities. */
    public MembershipOperator(JobPlan plan, OutputTag<Part> parts) {
        this(plan, parts, null);
    }

    /**
     * @param parts where late changes and the counts of each cut go
     * @param devices where goes what changes do to devices; null: nobody asks
     */
    @SuppressWarnings("NullAway.Init")
    public MembershipOperator(JobPlan plan, OutputTag<Part> parts, @Nullable OutputTag<DeviceChange> devices) {
        this.plan = plan;
        this.parts = parts;
        this.devices = devices;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        memory = context.getKeyedStateStore().getState(MEMORY);
        timers = Purging.of(
                this,
                getTimeServiceManager().orElseThrow(),
                context.getOperatorStateStore(),
                MEMORY.getName(),
                id -> memory.value().rememberedUnder(),
                this::forget);
        numbers = new SharedNumbers(context.getOperatorStateStore(), JobBound.NUMBERS);
        bound = new JobBound(plan, numbers.restored());
        if (bound.reopens()) {
            reopenFrom(bound.closedBefore());
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        membership = new Membership(plan);
        membership.follow(bound);
        judged = new JudgementOutput(plan, output, parts, devices);
        if (bound.reopens()) {
            judged.reopen(bound.closedBefore());
        }
    }

    @Override
    @SuppressWarnings(
            "ReferenceEquality") // the rule gives back the same instance when there is nothing new to remember
    public void processElement1(StreamRecord<Change> element) throws Exception {
        Change change = element.getValue();
        RecordMemory before = memory.value();
        Judgement judgement = membership.judge(before, change);
        RecordMemory after = judgement.memory();
        if (after != null && after != before) {
            memory.update(after);
            if (before == null) {
                timers.keep(after.rememberedUnder());
            }
        }
        judged.emit(change, judgement);
    }

    @Override
    public void processElement2(StreamRecord<Bound> element) {
        bound.take(element.getValue());
    }

    /** Flink's watermarks are passed on, and otherwise mean nothing here: what is forgotten follows the logs. */
    @Override
    public void processWatermark(Watermark mark) {
        output.emitWatermark(mark);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        judged.emitTally();
        if (bound.advance()) {
            membership.follow(bound);
            timers.advanceTo(bound.forgottenBefore());
        }
        numbers.update(bound.numbers());
    }

    /** Sends the last counts; nothing is forgotten because the input ends. */
    @Override
    public void finish() throws Exception {
        judged.finish();
        super.finish();
    }

    /** After a restore with a larger lookback: the cells publish what they withheld, and records stand there. */
    @SuppressWarnings("ReferenceEquality") // the memory gives itself back when nothing changes
    private void reopenFrom(long firstOpen) throws Exception {
        for (Bytes id : Purging.<Bytes>keysOf(this, MEMORY.getName())) {
            setCurrentKey(id);
            RecordMemory before = memory.value();
            RecordMemory after = before.reopened(firstOpen);
            if (after != before) {
                memory.update(after);
            }
        }
    }

    /** An id is due under the partition that it was kept for; meanwhile it may be remembered under a later one. */
    private void forget(Bytes id, long partition) throws Exception {
        RecordMemory remembered = memory.value();
        if (remembered == null) {
            return;
        }
        if (remembered.rememberedUnder() < timers.bound()) {
            memory.clear();
        } else {
            timers.keep(remembered.rememberedUnder());
        }
    }
}
