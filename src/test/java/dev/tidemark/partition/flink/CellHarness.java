package dev.tidemark.partition.flink;

import dev.tidemark.gate.Bound;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.TwoInputHarness;
import dev.tidemark.partition.Contribution;
import dev.tidemark.publish.CellTruth;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;

/** One subtask of the cells. */
final class CellHarness extends TwoInputHarness<Contribution, Bound, CellTruth> {
    static final int GROUPS = 16;

    /** Where the state lives. */
    enum Backend {
        HEAP,
        ROCKSDB;

        StateBackend open() {
            return this == HEAP ? new HashMapStateBackend() : new EmbeddedRocksDBStateBackend();
        }
    }

    final CellOperator subject;

    private CellHarness(CellOperator operator, int parallelism, int subtask) throws Exception {
        super(operator, new CellSelector(), CellKeySerializer.INSTANCE, environment(GROUPS, parallelism, subtask));
        this.subject = operator;
    }

    static CellHarness start(JobPlan plan, Backend backend) throws Exception {
        return restore(plan, backend, null, 1, 1, 0);
    }

    /** Starts a subtask from the state of all subtasks of an earlier run. */
    static CellHarness restore(
            JobPlan plan,
            Backend backend,
            @Nullable OperatorSubtaskState state,
            int oldParallelism,
            int parallelism,
            int subtask)
            throws Exception {
        return start(new CellOperator(plan), backend, state, oldParallelism, parallelism, subtask);
    }

    static CellHarness start(
            CellOperator operator,
            Backend backend,
            @Nullable OperatorSubtaskState state,
            int oldParallelism,
            int parallelism,
            int subtask)
            throws Exception {
        CellHarness harness = new CellHarness(operator, parallelism, subtask);
        harness.setStateBackend(backend.open());
        harness.setup();
        if (state != null) {
            harness.initializeState(AbstractStreamOperatorTestHarness.repartitionOperatorState(
                    state, GROUPS, oldParallelism, parallelism, subtask));
        }
        harness.open();
        return harness;
    }

    void send(Contribution contribution) throws Exception {
        accept(contribution);
    }

    /** All logs have reached the afternoon of a day, as the one stamping operator says. */
    void reach(long day) throws Exception {
        long h = TimeUnit.DAYS.toMicros(day) + TimeUnit.HOURS.toMicros(18);
        acceptBeside(new Bound(0, 1, true, false, h, h));
    }

    /** Passes a barrier: the truths that went out before it, and the state in its checkpoint. */
    Checkpoint checkpoint(long id) throws Exception {
        prepareSnapshotPreBarrier(id);
        List<CellTruth> truths = taken();
        OperatorSubtaskState state = snapshot(id, 0);
        if (!getOutput().isEmpty()) {
            throw new AssertionError("Something went out after the barrier: " + getOutput());
        }
        return new Checkpoint(truths, state);
    }

    List<CellTruth> taken() {
        List<CellTruth> truths = new ArrayList<>(extractOutputValues());
        getOutput().clear();
        return truths;
    }

    record Checkpoint(List<CellTruth> truths, OperatorSubtaskState state) {}
}
