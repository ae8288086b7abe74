package dev.tidemark.identity.flink;

import dev.tidemark.identity.IdentityBook;
import dev.tidemark.identity.IdentityNote;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.publish.PartitionSpan;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Fills in the identity columns of all rows, when all is known of the devices.
 *
 * <p>Assumes a bounded input, and one subtask. Holds one entry a day and user, and one a device of several users.
 */
public final class WholeIdentityOperator extends AbstractStreamOperator<CellTruth>
        implements TwoInputStreamOperator<CellTruth, IdentityNote, CellTruth> {
    private static final long serialVersionUID = 1L;

    private final JobPlan plan;
    private final PartitionSpan span;

    private transient IdentityBook book;

    /** @param span the days that are to be replaced; the others are known only for their sake */
    @SuppressWarnings("NullAway.Init")
    public WholeIdentityOperator(JobPlan plan, PartitionSpan span) {
        this.plan = plan;
        this.span = span;
    }

    @Override
    public void open() throws Exception {
        super.open();
        book = new IdentityBook(plan);
    }

    @Override
    public void processElement1(StreamRecord<CellTruth> element) {
        if (span.contains(element.getValue().partition())) {
            book.take(element.getValue());
        }
    }

    @Override
    public void processElement2(StreamRecord<IdentityNote> element) {
        book.take(element.getValue());
    }

    @Override
    public void finish() throws Exception {
        book.send(row -> output.collect(new StreamRecord<>(row)));
        super.finish();
    }
}
