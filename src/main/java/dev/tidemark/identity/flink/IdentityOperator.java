package dev.tidemark.identity.flink;

import dev.tidemark.identity.IdentityBook;
import dev.tidemark.identity.IdentityNote;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Fills in the identity columns of the rows that have changed, before each barrier and at the end of the input. One subtask:
 * whom a graph connects is not known from a part of it.
 *
 * <p>State: {@code book}, an {@link IdentityBook} in one piece, written at each checkpoint: for each remembered day its row
 * and one entry a user that is seen on it, one entry for each device of several users that was seen lately, and one for each
 * user who is connected with another for good.
 *
 * <p>Assumes aligned checkpoints: what the cells and the devices say before a barrier is of the same changes.
 */
public final class IdentityOperator extends AbstractStreamOperator<CellTruth>
        implements TwoInputStreamOperator<CellTruth, IdentityNote, CellTruth> {
    private static final long serialVersionUID = 1L;
    private static final int VERSION = 1;

    private static final ListStateDescriptor<byte[]> BOOK =
            new ListStateDescriptor<>("book", BytePrimitiveArraySerializer.INSTANCE);

    private final JobPlan plan;

    private transient IdentityBook book;
    private transient ListState<byte[]> state;
    private transient boolean finished;

    @SuppressWarnings("NullAway.Init") // Flink calls initializeState before anything else.
    public IdentityOperator(JobPlan plan) {
        this.plan = plan;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        book = new IdentityBook(plan);
        state = context.getOperatorStateStore().getListState(BOOK);
        for (byte[] written : state.get()) {
            read(written);
        }
    }

    @Override
    public void processElement1(StreamRecord<CellTruth> element) {
        book.take(element.getValue());
    }

    @Override
    public void processElement2(StreamRecord<IdentityNote> element) {
        book.take(element.getValue());
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        if (!finished) {
            book.send(this::send);
        }
    }

    @Override
    public void finish() throws Exception {
        book.send(this::send);
        finished = true;
        super.finish();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            Wire.writeUnsigned(VERSION, out);
            book.writeTo(out);
        }
        state.update(List.of(bytes.toByteArray()));
        super.snapshotState(context);
    }

    private void send(CellTruth row) {
        output.collect(new StreamRecord<>(row));
    }

    private void read(byte[] written) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(written))) {
            int version = Wire.readUnsigned(in);
            if (version != VERSION) {
                throw new IOException("the book of identities has the format version " + version + ", known is "
                        + VERSION + "; restore it with the release that wrote it");
            }
            book.readFrom(in);
            if (in.read() >= 0) {
                throw new IOException("bytes are left over behind the book of identities");
            }
        }
    }
}
