package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * What a cell adds to the running columns of its job, written behind its truth: the accumulators of counts and sums, in the
 * order of their columns; then the values that it has gained and lost since it was last said.
 */
final class Addends {
    private final boolean[] isAdded;
    private final boolean[] watched;

    Addends(List<ValueColumn> columns) {
        isAdded = new boolean[columns.size()];
        watched = new boolean[columns.size()];
        for (int i = 0; i < isAdded.length; i++) {
            Aggregate function = columns.get(i).function();
            watched[i] = function == Aggregate.RUNNING_COUNT_DISTINCT;
            isAdded[i] = function.isRunning() && !watched[i];
        }
    }

    /** Of each column, whether it counts values over all partitions so far. */
    boolean[] watched() {
        return watched;
    }

    /** Of each column, whether its accumulators are added up over all partitions so far. */
    boolean[] added() {
        return isAdded;
    }

    /** Writes what a cell adds, and forgets what it has gained and lost. */
    Bytes write(Accumulator[] accumulators, ValueChanges changes) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(32);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (int i = 0; i < isAdded.length; i++) {
                if (isAdded[i]) {
                    accumulators[i].write(out);
                }
            }
            Wire.writeUnsigned(changes.size(), out);
            changes.forEach((value, isGained) -> {
                try {
                    out.writeBoolean(isGained);
                    Wire.writeBytes(value, out);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        changes.clear();
        return Bytes.of(bytes.toByteArray());
    }
}
