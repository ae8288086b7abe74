package dev.tidemark.membership.flink;

import dev.tidemark.change.Change;
import dev.tidemark.job.JobPlan;
import dev.tidemark.membership.Membership;
import dev.tidemark.partition.Contribution;
import dev.tidemark.publish.Part;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/** Judges the changes of a job whose records have no id: every one is a new member, so nothing is remembered. */
public final class AdmissionOperator extends AbstractStreamOperator<Contribution>
        implements OneInputStreamOperator<Change, Contribution> {
    private static final long serialVersionUID = 1L;

    private final JobPlan plan;
    private final OutputTag<Part> parts;

    private transient Membership membership;
    private transient JudgementOutput judged;

    /**
     * @param parts where late changes and the counts of each cut go
     */
    @SuppressWarnings("NullAway.Init")
    public AdmissionOperator(JobPlan plan, OutputTag<Part> parts) {
        this.plan = plan;
        this.parts = parts;
    }

    @Override
    public void open() throws Exception {
        super.open();
        membership = new Membership(plan);
        judged = new JudgementOutput(plan, output, parts);
    }

    @Override
    public void processElement(StreamRecord<Change> element) {
        Change change = element.getValue();
        judged.emit(change, membership.judge(null, change));
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        judged.emitTally();
    }

    @Override
    public void finish() throws Exception {
        judged.finish();
        super.finish();
    }
}
