package dev.tidemark.membership.flink;

import dev.tidemark.change.Change;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.JobBound;
import dev.tidemark.identity.DeviceChange;
import dev.tidemark.job.JobPlan;
import dev.tidemark.membership.Membership;
import dev.tidemark.partition.Contribution;
import dev.tidemark.publish.Part;
import dev.tidemark.wire.flink.SharedNumbers;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Judges the changes of a job whose records have no id: every one is a new member, so nothing is remembered. The second
 * input brings what moves the {@link JobBound}.
 *
 * <p>State, alike in all subtasks: the bound's numbers, {@link JobBound#NUMBERS}.
 */
public final class AdmissionOperator extends AbstractStreamOperator<Contribution>
        implements TwoInputStreamOperator<Change, Bound, Contribution> {
    private static final long serialVersionUID = 1L;

    private final JobPlan plan;
    private final OutputTag<Part> parts;
    private final @Nullable OutputTag<DeviceChange> devices;

    private transient Membership membership;
    private transient JudgementOutput judged;
    private transient JobBound bound;
    private transient SharedNumbers numbers;

    /** Judges for a job that resolves no identities. */
    public AdmissionOperator(JobPlan plan, OutputTag<Part> parts) {
        this(plan, parts, null);
    }

    /**
     * @param parts where late changes and the counts of each cut go
     * @param devices where goes what changes do to devices; null: nobody asks
     */
    @SuppressWarnings("NullAway.Init")
    public AdmissionOperator(JobPlan plan, OutputTag<Part> parts, @Nullable OutputTag<DeviceChange> devices) {
        this.plan = plan;
        this.parts = parts;
        this.devices = devices;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        numbers = new SharedNumbers(context.getOperatorStateStore(), JobBound.NUMBERS);
        bound = new JobBound(plan, numbers.restored());
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
    public void processElement1(StreamRecord<Change> element) {
        Change change = element.getValue();
        judged.emit(change, membership.judge(null, change));
    }

    @Override
    public void processElement2(StreamRecord<Bound> element) {
        bound.take(element.getValue());
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        judged.emitTally();
        if (bound.advance()) {
            membership.follow(bound);
        }
        numbers.update(bound.numbers());
    }

    @Override
    public void finish() throws Exception {
        judged.finish();
        super.finish();
    }
}
