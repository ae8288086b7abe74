package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.CellTruth;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Computes the truths of cells from all of their members, one cell after the other. Holds what one cell needs: its
 * accumulators and the values that it counts. Not thread-safe.
 */
public final class WholeCells {
    private final CellAlgebra algebra;
    private final HeapCounts counts = new HeapCounts();
    private @Nullable CellKey cell;
    private CellState state;
    private final ValueChanges changes;

    public WholeCells(JobPlan plan) {
        this.algebra = new CellAlgebra(plan);
        this.state = algebra.create();
        this.changes = algebra.changes();
    }

    /**
     * Takes a member into its cell.
     *
     * @return the truth of the cell before, if this is the first member of another one; else null
     */
    public @Nullable CellTruth add(Contribution contribution) {
        CellTruth before = null;
        if (cell == null
                || cell.partition() != contribution.partition()
                || !cell.key().equals(contribution.key())) {
            before = end();
            cell = contribution.cell();
        }
        algebra.apply(state, contribution, Members.NONE, counts, changes);
        return before;
    }

    /** The truth of the last cell; null: there was none. */
    public @Nullable CellTruth end() {
        CellKey last = cell;
        if (last == null) {
            return null;
        }
        CellTruth truth = algebra.export(last, state, Members.NONE, changes);
        cell = null;
        state = algebra.create();
        counts.clear();
        return truth;
    }

    /** How often each value has come; nothing is ever taken out. */
    private static final class HeapCounts implements DistinctCounts {
        private final Map<Bytes, Long> counts = new HashMap<>();

        @Override
        public long increment(Bytes value) {
            return counts.merge(value, 1L, Long::sum);
        }

        @Override
        public long decrement(Bytes value) {
            throw new IllegalStateException("a member is taken out of a cell that is computed from what lives");
        }

        private void clear() {
            counts.clear();
        }
    }
}
