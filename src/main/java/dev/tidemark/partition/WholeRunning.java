package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.CellTruth;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fills the running columns in of all cells that there are, one key after the other. Holds what one key needs: a row a
 * partition, and its different values where a column counts them. Not thread-safe.
 */
public final class WholeRunning {
    private final RunningAlgebra algebra;
    private final HeapEntries values = new HeapEntries();
    private RunningState state;
    private @Nullable Bytes key;

    public WholeRunning(JobPlan plan) {
        this.algebra = new RunningAlgebra(plan);
        this.state = algebra.create();
    }

    /** Takes the truth of a cell; if it is the first of another key, says those of the key before. */
    public void add(CellTruth truth, Consumer<CellTruth> truths) {
        if (key == null || !truth.key().equals(key)) {
            end(truths);
            key = truth.key();
        }
        algebra.take(state, truth, values, Long.MIN_VALUE);
    }

    /** Says the truths of the last key. */
    public void end(Consumer<CellTruth> truths) {
        Bytes last = key;
        if (last != null) {
            algebra.say(state, last, new TreeSet<>(), Long.MIN_VALUE, truths);
        }
        key = null;
        state = algebra.create();
        values.clear();
    }

    /** Entries on the heap. */
    private static final class HeapEntries implements Entries<Bytes> {
        private final Map<Bytes, Bytes> entries = new HashMap<>();

        @Override
        public @Nullable Bytes value(Bytes value) {
            return entries.get(value);
        }

        @Override
        public void put(Bytes value, Bytes partitions) {
            entries.put(value, partitions);
        }

        @Override
        public void remove(Bytes value) {
            entries.remove(value);
        }

        @Override
        public void forEach(BiConsumer<Bytes, Bytes> action) {
            entries.forEach(action);
        }

        @Override
        public void clear() {
            entries.clear();
        }
    }
}
