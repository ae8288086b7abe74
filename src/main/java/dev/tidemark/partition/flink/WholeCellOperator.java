package dev.tidemark.partition.flink;

import dev.tidemark.job.JobPlan;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.WholeCells;
import dev.tidemark.publish.CellTruth;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Sends on the truth of each cell, computed from all of its members.
 *
 * <p>Assumes the batch mode: all members of a cell come one after the other, so that one cell is all that is ever held.
 */
public final class WholeCellOperator extends AbstractStreamOperator<CellTruth>
        implements OneInputStreamOperator<Contribution, CellTruth> {
    private static final long serialVersionUID = 1L;

    private final JobPlan plan;

    private transient WholeCells cells;

    @SuppressWarnings("NullAway.Init")
    public WholeCellOperator(JobPlan plan) {
        this.plan = plan;
    }

    @Override
    public void open() throws Exception {
        super.open();
        cells = new WholeCells(plan);
    }

    @Override
    public void processElement(StreamRecord<Contribution> element) {
        send(cells.add(element.getValue()));
    }

    @Override
    public void finish() throws Exception {
        send(cells.end());
        super.finish();
    }

    private void send(@Nullable CellTruth truth) {
        if (truth != null) {
            output.collect(new StreamRecord<>(truth));
        }
    }
}
