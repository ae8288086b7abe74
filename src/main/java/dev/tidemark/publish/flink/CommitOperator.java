package dev.tidemark.publish.flink;

import dev.tidemark.publish.FencedException;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Warehouse;
import dev.tidemark.publish.WarehouseException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The one committer: when a checkpoint is complete, publishes all receipts up to it in one transaction.
 *
 * <p>Receipts of an aborted checkpoint need not be a whole cut (its barrier may have reached some operators only), so
 * they wait and go out together with those of the next completed one. Receipts not yet published are state; after a
 * restore they belong to a completed checkpoint and are published at once, which is a no-op if that had happened before.
 *
 * <p>At the end of the input what is left is published without waiting for the last checkpoint. Flink does not run an
 * operator again that had finished in the checkpoint that it restores: receipts in the last one would be lost if the
 * process died between its completion and the publication. It is safe because publications can be repeated: should the
 * job fail afterwards, it reads again from an earlier checkpoint, and what is published is neither counted nor written
 * again.
 *
 * <p>It must run at parallelism 1.
 */
public final class CommitOperator extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<StagedPart, Void> {
    private static final long serialVersionUID = 1L;

    /** How often the warehouse is asked for the metrics at most. */
    private static final long OBSERVATION_PAUSE_MILLIS = 10_000;

    private static final ListStateDescriptor<byte[]> RECEIPTS =
            new ListStateDescriptor<>("receipts", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    private final String submission;
    private final Warehouse.Factory warehouses;
    private final int lookback;

    private transient List<StagedPart> pending;
    private transient ListState<byte[]> state;
    private transient Warehouse warehouse;
    private transient Warehouse.Seat seat;
    private transient PublicationMetrics told;
    private transient long observedAtMillis;

    /**
     * @param submission the random id of the submission, made when its graph was built
     * @param lookback for the metrics
     */
    @SuppressWarnings("NullAway.Init")
    public CommitOperator(String submission, Warehouse.Factory warehouses, int lookback) {
        this.submission = submission;
        this.warehouses = warehouses;
        this.lookback = lookback;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        state = context.getOperatorStateStore().getListState(RECEIPTS);
        pending = new ArrayList<>();
        for (byte[] receipt : state.get()) {
            pending.add(Receipts.fromBytes(receipt));
        }
        told = new PublicationMetrics(getMetricGroup(), lookback);
        observedAtMillis = Long.MIN_VALUE;
        warehouse = warehouses.open();
        seat = unlessFenced(() -> warehouse.register(
                submission, getContainingTask().getEnvironment().getJobID().toString()));
        if (context.isRestored()) {
            publish(context.getRestoredCheckpointId().orElse(Long.MAX_VALUE));
        }
        observe();
    }

    @Override
    public void processElement(StreamRecord<StagedPart> element) {
        pending.add(element.getValue());
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        List<byte[]> receipts = new ArrayList<>();
        for (StagedPart part : pending) {
            receipts.add(Receipts.toBytes(part));
        }
        state.update(receipts);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        publish(checkpointId);
        observe();
    }

    @Override
    public void finish() throws Exception {
        publish(Long.MAX_VALUE);
        unlessFenced(() -> {
            warehouse.conclude(seat);
            return seat;
        });
        super.finish();
    }

    @Override
    public void close() throws Exception {
        if (warehouse != null) {
            warehouse.close();
        }
        super.close();
    }

    private void publish(long checkpoint) {
        List<StagedPart> parts = new ArrayList<>();
        for (StagedPart part : pending) {
            if (part.checkpoint() <= checkpoint) {
                parts.add(part);
            }
        }
        if (parts.isEmpty()) {
            return;
        }
        Warehouse.Outcome outcome = unlessFenced(() -> tried(parts));
        if (outcome == Warehouse.Outcome.PUBLISHED) {
            told.published();
        }
        if (outcome != Warehouse.Outcome.ALREADY_PUBLISHED) {
            told.accepted(parts);
        }
        for (Iterator<StagedPart> all = pending.iterator(); all.hasNext(); ) {
            if (all.next().checkpoint() <= checkpoint) {
                all.remove();
            }
        }
    }

    private Warehouse.Outcome tried(List<StagedPart> parts) {
        try {
            return warehouse.publish(seat, parts);
        } catch (WarehouseException failure) {
            told.failed();
            throw failure;
        }
    }

    /** For those who watch; now and then is enough, and a failure concerns nobody: the next publication will meet it too. */
    private void observe() {
        long now = getProcessingTimeService().getCurrentProcessingTime();
        if (observedAtMillis != Long.MIN_VALUE && now - observedAtMillis < OBSERVATION_PAUSE_MILLIS) {
            return;
        }
        observedAtMillis = now;
        try {
            told.observed(warehouse.observe());
        } catch (WarehouseException failure) {
            told.notObserved();
        }
    }

    /** A fenced submission must not be restarted: the newer one would be fenced in turn, for ever. */
    private static <T> T unlessFenced(Supplier<T> action) {
        try {
            return action.get();
        } catch (FencedException fenced) {
            throw new SuppressRestartsException(fenced);
        }
    }
}
