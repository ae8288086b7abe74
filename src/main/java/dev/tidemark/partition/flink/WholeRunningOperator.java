package dev.tidemark.partition.flink;

import dev.tidemark.job.JobPlan;
import dev.tidemark.partition.WholeRunning;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.publish.PartitionSpan;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Fills the running columns in of the cells of a history, and sends those of the wanted partitions on.
 *
 * <p>Assumes the batch mode: all cells of a key come one after the other, so that those of one are all that is ever held.
 */
public final class WholeRunningOperator extends AbstractStreamOperator<CellTruth>
        implements OneInputStreamOperator<CellTruth, CellTruth> {
    private static final long serialVersionUID = 1L;

    private final JobPlan plan;
    private final PartitionSpan span;

    private transient WholeRunning running;

    /** @param span the wanted partitions; the cells before them are added up as well */
    @SuppressWarnings("NullAway.Init")
    public WholeRunningOperator(JobPlan plan, PartitionSpan span) {
        this.plan = plan;
        this.span = span;
    }

    @Override
    public void open() throws Exception {
        super.open();
        running = new WholeRunning(plan);
    }

    @Override
    public void processElement(StreamRecord<CellTruth> element) {
        running.add(element.getValue(), this::send);
    }

    @Override
    public void finish() throws Exception {
        running.end(this::send);
        super.finish();
    }

    private void send(CellTruth truth) {
        if (span.contains(truth.partition())) {
            output.collect(new StreamRecord<>(truth));
        }
    }
}
