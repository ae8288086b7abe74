package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.JobBound;
import dev.tidemark.job.JobPlan;
import dev.tidemark.partition.RunningAlgebra;
import dev.tidemark.partition.RunningState;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.wire.flink.BytesSerializer;
import dev.tidemark.wire.flink.SharedNumbers;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Fills the running columns of truths in, keyed by the target's key: behind the cells, ahead of their stage.
 *
 * <p>Before each barrier it sends on every truth that it was sent, and with them each later cell of the same key if what it
 * counts may have changed. So the newest truth of a cell that has been sent has the running values of the barrier that it is
 * sent ahead of, and of every later one ahead of which it is not sent again: whatever became of the checkpoints in between, and
 * whichever of them are published together. What became of a checkpoint it therefore need not know; nor which partitions are
 * closed, because of those the warehouse takes nothing.
 *
 * <p>What a key adds up to is never forgotten. Its partitions one by one are, once no log can change them, by the same bound as
 * the cells are: each is then part of what the forgotten ones add up to, at the next touch of its key.
 *
 * <p>State: {@value #KEYS}, one a key: a row of the target for each partition that is not forgotten; {@value #VALUES}, one a
 * different value of a key, of columns that count them; both written at the flush before a barrier, or earlier where many keys
 * are touched; and, alike in all subtasks, the bound's numbers, {@link JobBound#NUMBERS}.
 *
 * <p>Assumes aligned checkpoints, and the streaming mode.
 */
public final class RunningOperator extends AbstractStreamOperator<CellTruth>
        implements TwoInputStreamOperator<CellTruth, Bound, CellTruth> {
    private static final long serialVersionUID = 1L;
    private static final int HELD_LIMIT = 1 << 16;

    static final String KEYS = "keys";
    static final String VALUES = "values";

    private final JobPlan plan;
    private final int heldLimit;

    private transient RunningAlgebra algebra;
    private transient ValueState<Bytes> keys;
    private transient StateEntries<Bytes> values;
    private transient JobBound bound;
    private transient SharedNumbers numbers;
    /** The keys touched since the last flush. */
    private transient Map<Bytes, TouchedKey> touched;

    private transient int held;

    /** The running columns of a job. */
    public RunningOperator(JobPlan plan) {
        this(plan, HELD_LIMIT);
    }

    /**
     * @param heldLimit how many states are held on the heap before they are written back early
     */
    @SuppressWarnings("NullAway.Init") // Flink calls initializeState before anything else.
    RunningOperator(JobPlan plan, int heldLimit) {
        this.plan = plan;
        this.heldLimit = heldLimit;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        algebra = new RunningAlgebra(plan);
        keys = context.getKeyedStateStore().getState(new ValueStateDescriptor<>(KEYS, BytesSerializer.INSTANCE));
        values = new StateEntries<>(
                context.getKeyedStateStore(), VALUES, BytesSerializer.INSTANCE, BytesSerializer.INSTANCE);
        numbers = new SharedNumbers(context.getOperatorStateStore(), JobBound.NUMBERS);
        bound = new JobBound(plan, numbers.restored());
        touched = new HashMap<>();
        held = 0;
    }

    @Override
    public void processElement1(StreamRecord<CellTruth> element) throws Exception {
        CellTruth truth = element.getValue();
        TouchedKey key = touched.computeIfAbsent(truth.key(), fresh -> new TouchedKey());
        RunningState state = key.state;
        if (state == null) {
            if (held >= heldLimit) {
                writeBack();
                setCurrentKey(truth.key());
            }
            state = load();
            key.state = state;
            held++;
        }
        key.partitions.add(truth.partition());
        key.from = Math.min(key.from, algebra.take(state, truth, values, bound.forgottenBefore()));
    }

    @Override
    public void processElement2(StreamRecord<Bound> element) {
        bound.take(element.getValue());
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        flush();
        bound.advance();
        numbers.update(bound.numbers());
    }

    /** Sends what is left. */
    @Override
    public void finish() throws Exception {
        flush();
        super.finish();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        if (!touched.isEmpty()) {
            throw new IllegalStateException(touched.size()
                    + " keys have not been sent on before the barrier of checkpoint " + context.getCheckpointId());
        }
        super.snapshotState(context);
    }

    /** Only forwards it: what is forgotten is decided by the job's own bound. */
    @Override
    public void processWatermark(Watermark mark) {
        output.emitWatermark(mark);
    }

    private RunningState load() throws Exception {
        Bytes written = keys.value();
        RunningState state = written == null ? algebra.create() : RunningState.fromBytes(written);
        algebra.forget(state, bound.forgottenBefore());
        return state;
    }

    private void save(RunningState state) throws Exception {
        if (state.isEmpty()) {
            keys.clear();
        } else {
            keys.update(state.toBytes());
        }
    }

    private void flush() throws Exception {
        for (Map.Entry<Bytes, TouchedKey> entry : touched.entrySet()) {
            TouchedKey key = entry.getValue();
            setCurrentKey(entry.getKey());
            RunningState state = key.state;
            if (state == null) {
                state = load();
            } else {
                save(state);
            }
            algebra.say(
                    state,
                    entry.getKey(),
                    key.partitions,
                    key.from,
                    truth -> output.collect(new StreamRecord<>(truth)));
        }
        touched.clear();
        held = 0;
    }

    /** Makes room on the heap: which truths are to be sent is still known. */
    private void writeBack() throws Exception {
        for (Map.Entry<Bytes, TouchedKey> entry : touched.entrySet()) {
            RunningState state = entry.getValue().state;
            if (state != null) {
                setCurrentKey(entry.getKey());
                save(state);
                entry.getValue().state = null;
            }
        }
        held = 0;
    }

    /** What is to be sent of a key. */
    private static final class TouchedKey {
        /** The partitions whose cells have said a truth. */
        private final SortedSet<Long> partitions = new TreeSet<>();
        /** The first partition of which a running value may have changed. */
        private long from = RunningAlgebra.NONE;
        /** Null: it has been written back. */
        private @Nullable RunningState state;
    }
}
