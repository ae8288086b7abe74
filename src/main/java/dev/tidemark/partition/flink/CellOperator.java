package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.JobBound;
import dev.tidemark.job.JobPlan;
import dev.tidemark.partition.CellAlgebra;
import dev.tidemark.partition.CellKey;
import dev.tidemark.partition.CellState;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.Layer;
import dev.tidemark.partition.Member;
import dev.tidemark.partition.Members;
import dev.tidemark.partition.ValueChanges;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.wire.flink.Purging;
import dev.tidemark.wire.flink.SharedNumbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the cells and sends on the truth of each changed one before each barrier, and at the end of the input.
 *
 * <p>Between two barriers the states of changed cells are held on the heap and changed there; the flush before the
 * barrier writes them back, and with them what became of their members. So a cell costs one read and one write of state a
 * checkpoint, however many contributions it gets; nothing changed is ever in a checkpoint; and what is held can be changed in place, since no snapshot is begun
 * while it is.
 *
 * <p>Purging too is done right before the barrier, when the {@link JobBound} moves by what the second input, the same for
 * every subtask, has brought. No slack is needed. Before the barrier every contribution was judged by an older bound than
 * the one that now purges, and all of them are in. After it every one is judged by this bound or a later one: the senders
 * had the same words when they passed the barrier, and a partition before it is closed and not retained for any change. A
 * contribution to a purged partition is a fault: its cell would be a fragment.
 *
 * <p>Of a cell whose full truth is not the published one, only the published one ever goes out; until a restore with a
 * larger lookback makes the full one of a reopened partition the published one.
 *
 * <p>State, besides that of {@link CellStates}, and alike in all subtasks: the bound's numbers, {@link JobBound#NUMBERS}.
 *
 * <p>Assumes aligned checkpoints, and the streaming mode.
 */
public final class CellOperator extends AbstractStreamOperator<CellTruth>
        implements TwoInputStreamOperator<Contribution, Bound, CellTruth> {
    private static final long serialVersionUID = 1L;
    private static final int HELD_LIMIT = 1 << 16;
    private static final int WAITING_FOR_EACH_HELD = 4;

    private final JobPlan plan;
    private final int heldLimit;

    private transient Running running;

    /** The cells of a job. */
    public CellOperator(JobPlan plan) {
        this(plan, HELD_LIMIT);
    }

    /**
     * @param heldLimit how many states are held on the heap before they are written back early
     */
    @SuppressWarnings("NullAway.Init") // Flink calls initializeState before anything else.
    CellOperator(JobPlan plan, int heldLimit) {
        this.plan = plan;
        this.heldLimit = heldLimit;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        CellAlgebra algebra = new CellAlgebra(plan);
        CellStates states = new CellStates(context.getKeyedStateStore(), plan, algebra);
        Purging<CellKey> timers = Purging.of(
                this,
                getTimeServiceManager().orElseThrow(),
                context.getOperatorStateStore(),
                CellStates.CELLS,
                CellKey::partition,
                (cell, partition) -> states.clear(null));
        SharedNumbers numbers = new SharedNumbers(context.getOperatorStateStore(), JobBound.NUMBERS);
        JobBound bound = new JobBound(plan, numbers.restored());
        running = new Running(algebra, states, timers, bound, numbers);
        if (bound.reopens()) {
            publishWholeFrom(bound.closedBefore());
        }
    }

    @Override
    public void processElement1(StreamRecord<Contribution> element) throws Exception {
        Contribution contribution = element.getValue();
        CellKey cell = (CellKey) getCurrentKey();
        refusePurged(contribution);
        HeldCell held = running.dirty.get(cell);
        if (held == null) {
            held = new HeldCell(running.algebra.changes());
            running.dirty.put(cell, held);
        }
        CellState state = held.state;
        if (state == null) {
            if (running.held >= heldLimit) {
                writeBack();
                setCurrentKey(cell);
            }
            state = load(cell);
            held.state = state;
            running.held++;
        }
        if (!CellAlgebra.isPlain(state, contribution)) {
            held.settle(running.states.members());
            held.isShown |= contribution.layer() != Layer.WITHHELD;
            running.algebra.apply(state, contribution, running.states.layers(), held.changes);
            flushIfManyValues(held.changes);
            return;
        }
        held.isShown = true;
        running.algebra.apply(
                state,
                contribution,
                running.keepsMembers ? held : Members.NONE,
                running.states.distinct(),
                held.changes);
        running.waiting += running.keepsMembers ? 1 : 0;
        if (running.waiting >= WAITING_FOR_EACH_HELD * heldLimit) {
            settleAll();
        }
        flushIfManyValues(held.changes);
    }

    /** Values that came and went wait on the heap until their cells say them: who adds them up takes them at any time. */
    private void flushIfManyValues(ValueChanges changes) throws Exception {
        running.noting += changes.isWatching() ? 1 : 0;
        if (running.noting >= WAITING_FOR_EACH_HELD * heldLimit) {
            flush();
        }
    }

    @Override
    public void processElement2(StreamRecord<Bound> element) {
        running.bound.take(element.getValue());
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        flush();
        if (running.bound.advance()) {
            running.timers.advanceTo(running.bound.forgottenBefore());
        }
        running.numbers.update(running.bound.numbers());
    }

    /** Sends what is left; nothing is forgotten because the input ends. */
    @Override
    public void finish() throws Exception {
        flush();
        super.finish();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        if (!running.dirty.isEmpty()) {
            throw new IllegalStateException(running.dirty.size()
                    + " changed cells have not been sent on before the barrier of checkpoint "
                    + context.getCheckpointId());
        }
        super.snapshotState(context);
    }

    /** Only forwards it: what is forgotten is decided by the job's own bound. */
    @Override
    public void processWatermark(Watermark mark) {
        output.emitWatermark(mark);
    }

    /**
     * After a restore with a larger lookback: what was withheld in reopened partitions is the published truth from now on, and
     * every cell from the first of them on goes out at the first barrier, so that it can replace all that stands there.
     */
    private void publishWholeFrom(long firstOpen) throws Exception {
        CellStates states = running.states;
        for (CellKey cell : Purging.<CellKey>keysOf(this, CellStates.CELLS)) {
            if (cell.partition() < firstOpen) {
                continue;
            }
            setCurrentKey(cell);
            CellState state = states.cells().value();
            if (state != null) {
                HeldCell held = new HeldCell(running.algebra.changes());
                if (CellAlgebra.publishWithheld(state, states.layers(), held.changes)) {
                    states.cells().update(state);
                }
                held.isShown = true;
                running.dirty.put(cell, held);
            }
        }
    }

    private CellState load(CellKey cell) throws Exception {
        CellState state = running.states.cells().value();
        if (state == null) {
            state = running.algebra.create();
            running.timers.keep(cell.partition());
        }
        return state;
    }

    private void flush() throws Exception {
        for (Map.Entry<CellKey, HeldCell> entry : running.dirty.entrySet()) {
            CellKey cell = entry.getKey();
            setCurrentKey(cell);
            CellState state = entry.getValue().state;
            if (state == null) {
                state = load(cell);
            }
            entry.getValue().settle(running.states.members());
            if (entry.getValue().isShown) {
                output.collect(new StreamRecord<>(
                        running.algebra.export(cell, state, running.states.members(), entry.getValue().changes)));
            }
            if (state.isEmpty()) {
                running.states.clear(state);
                running.timers.release(cell.partition());
            } else {
                running.states.cells().update(state);
            }
        }
        running.dirty.clear();
        running.held = 0;
        running.waiting = 0;
        running.noting = 0;
    }

    /** Makes room on the heap: the cells stay dirty, their states are in the backend until they are asked for again. */
    private void writeBack() throws Exception {
        for (Map.Entry<CellKey, HeldCell> entry : running.dirty.entrySet()) {
            HeldCell held = entry.getValue();
            if (held.state != null) {
                setCurrentKey(entry.getKey());
                running.states.cells().update(held.state);
                held.settle(running.states.members());
                held.state = null;
            }
        }
        running.held = 0;
        running.waiting = 0;
    }

    /** Writes the members that wait into the state; the cells stay held. */
    private void settleAll() {
        for (Map.Entry<CellKey, HeldCell> entry : running.dirty.entrySet()) {
            if (entry.getValue().isWaiting()) {
                setCurrentKey(entry.getKey());
                entry.getValue().settle(running.states.members());
            }
        }
        running.waiting = 0;
    }

    private void refusePurged(Contribution contribution) {
        if (contribution.partition() < running.timers.bound()) {
            throw new IllegalStateException("Cell "
                    + running.algebra.describe(contribution.partition(), contribution.key())
                    + " gets a contribution after its partition was forgotten (all before number "
                    + running.timers.bound() + " are); what is left of it would be a fragment");
        }
    }

    /** What lives from one start to the next stop. */
    private static final class Running {
        private final CellAlgebra algebra;
        private final CellStates states;
        private final Purging<CellKey> timers;
        private final JobBound bound;
        private final SharedNumbers numbers;
        /** The cells changed since the last flush. */
        private final Map<CellKey, HeldCell> dirty = new HashMap<>();

        private final boolean keepsMembers;
        private int held;
        private int waiting;
        /** How many contributions there were whose values may be noted. */
        private int noting;

        private Running(
                CellAlgebra algebra,
                CellStates states,
                Purging<CellKey> timers,
                JobBound bound,
                SharedNumbers numbers) {
            this.algebra = algebra;
            this.states = states;
            this.timers = timers;
            this.bound = bound;
            this.numbers = numbers;
            this.keepsMembers = states.members() != Members.NONE;
        }
    }

    /**
     * A changed cell on the heap: its state, and what became of its members, in order, until all of it is written into the
     * backend in one go.
     */
    private static final class HeldCell implements Members {
        private final List<Bytes> recordIds = new ArrayList<>(4);
        /** For each record id the member that it is now; null: none any more. */
        private final List<@Nullable Member> members = new ArrayList<>(4);

        private final ValueChanges changes;
        /** Null: it has been written back. */
        private @Nullable CellState state;
        /** Whether the published truth has changed. */
        private boolean isShown;

        private HeldCell(ValueChanges changes) {
            this.changes = changes;
        }

        @Override
        public void put(Member member) {
            recordIds.add(member.recordId());
            members.add(member);
        }

        @Override
        public void remove(Bytes recordId) {
            recordIds.add(recordId);
            members.add(null);
        }

        @Override
        public void forEach(Consumer<Member> action) {
            throw new IllegalStateException("A held cell's members are looked at after they have been written");
        }

        private boolean isWaiting() {
            return !recordIds.isEmpty();
        }

        private void settle(Members kept) {
            for (int i = 0; i < recordIds.size(); i++) {
                Member member = members.get(i);
                if (member == null) {
                    kept.remove(recordIds.get(i));
                } else {
                    kept.put(member);
                }
            }
            recordIds.clear();
            members.clear();
        }
    }
}
