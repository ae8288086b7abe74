package dev.tidemark.partition;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The algebra of running columns: takes the truths of the cells of one key, in any order, and says them with the columns
 * filled in. The value of such a column in a partition is the function over the members of all cells of the key up to and
 * including that partition.
 *
 * <p>Laws: what is said is a function of the newest truth of each cell, and of nothing else; and whenever a value changes, the
 * truth that bears it is said again. So the newest truth of a cell that was said is right until the next one is.
 *
 * <p>Not thread-safe: it reuses what it reads rows with.
 */
public final class RunningAlgebra {
    /** No partition. */
    public static final long NONE = Long.MAX_VALUE;

    private final RowLayout target;
    private final RowLayout.Cursor row;
    private final RowLayout keyLayout;
    private final Calendar calendar;
    private final ColumnAlgebra<?>[] columns;
    /** The target's columns that are running, by their number among these. */
    private final int[] running;
    /** Of each running column, whether it counts different values. */
    private final boolean[] counts;
    /** The number of a target's column among the running ones. */
    private final int[] numbers;

    private final ByteBuilder scratch = new ByteBuilder();

    /** The algebra of a job. */
    public RunningAlgebra(JobPlan plan) {
        List<ValueColumn> described = plan.target().columns();
        List<Field> fields = plan.rowFields();
        this.target = new RowLayout(described.stream().map(ValueColumn::type).toList());
        this.row = new RowLayout.Cursor(target);
        this.keyLayout = RowLayout.ofFields(plan.target().key());
        this.calendar = new Calendar(plan.partition().grain(), plan.partition().zone());
        boolean[] watched = new Addends(described).watched();
        List<Integer> found = new ArrayList<>();
        this.numbers = new int[described.size()];
        for (int i = 0; i < described.size(); i++) {
            numbers[i] = -1;
            if (described.get(i).function().isRunning()) {
                numbers[i] = found.size();
                found.add(i);
            }
        }
        this.running = found.stream().mapToInt(Integer::intValue).toArray();
        this.columns = new ColumnAlgebra<?>[running.length];
        this.counts = new boolean[running.length];
        for (int i = 0; i < running.length; i++) {
            columns[i] = CellAlgebra.column(running[i], described.get(running[i]), fields, 1);
            counts[i] = watched[running[i]];
        }
    }

    /** A key without cells. */
    public RunningState create() {
        return new RunningState();
    }

    /** Adds partitions up for good: they do not change any more. */
    public void forget(RunningState state, long before) {
        Iterator<Map.Entry<Long, RunningState.Cell>> cells =
                state.cells.entrySet().iterator();
        while (cells.hasNext()) {
            Map.Entry<Long, RunningState.Cell> cell = cells.next();
            if (cell.getKey() >= before) {
                return;
            }
            if (state.base.isEmpty()) {
                state.base.addAll(nothing());
            }
            merge(state.base, cell.getValue().share);
            cells.remove();
        }
    }

    /**
     * Takes the truth of a cell in the place of what it said before.
     *
     * @param values where each value of the key occurs, for columns that count different ones
     * @param forgottenBefore what {@link #forget} was told last
     * @return the first partition of which a running value may be another now; {@link #NONE}: there is none
     * @throws IllegalStateException if the partition is forgotten: the sender is wrong
     */
    public long take(RunningState state, CellTruth truth, Entries<Bytes> values, long forgottenBefore) {
        long partition = truth.partition();
        Bytes addend = truth.addend();
        if (addend == null || partition < forgottenBefore) {
            throw new IllegalStateException("The cell " + calendar.iso(partition) + " " + keyLayout.values(truth.key())
                    + (addend == null
                            ? " does not say what it adds to running columns"
                            : " changes after its partition was added up for good"));
        }
        RunningState.Cell cell = state.cells.computeIfAbsent(partition, fresh -> new RunningState.Cell(nothing()));
        Bytes said = truth.values();
        cell.members = truth.members();
        cell.fingerprint = truth.fingerprint();
        cell.values = said == null ? Bytes.EMPTY : said;
        long first = NONE;
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(addend.array()))) {
            for (int i = 0; i < running.length; i++) {
                if (!counts[i]) {
                    Accumulator share = Accumulator.read(in);
                    if (!written(share).equals(written(cell.share.set(i, share)))) {
                        first = partition;
                    }
                }
            }
            for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
                boolean isGained = in.readBoolean();
                first = Math.min(first, move(state, values, Wire.readBytes(in), isGained, partition, forgottenBefore));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (said == null) {
            state.cells.remove(partition);
        }
        return first;
    }

    /**
     * Says truths with the running columns filled in: of the cells in some partitions, also that they are not there, and of
     * all cells from a partition on.
     */
    public void say(RunningState state, Bytes key, SortedSet<Long> partitions, long from, Consumer<CellTruth> truths) {
        List<Accumulator> sum = nothing();
        if (!state.base.isEmpty()) {
            merge(sum, state.base);
        }
        state.cells.forEach((partition, cell) -> {
            merge(sum, cell.share);
            if (partition >= from || partitions.contains(partition)) {
                truths.accept(new CellTruth(partition, key, cell.members, cell.fingerprint, filled(cell.values, sum)));
            }
        });
        for (long partition : partitions) {
            if (!state.cells.containsKey(partition)) {
                truths.accept(new CellTruth(partition, key, 0, 0, null));
            }
        }
    }

    /**
     * A value has come to a partition or gone from it: it is counted where it occurs first.
     *
     * @return the first partition that counts another number now
     */
    private long move(
            RunningState state, Entries<Bytes> values, Bytes value, boolean isGained, long partition, long forgotten) {
        Bytes known = values.value(value);
        SortedSet<Long> occurs = known == null ? new TreeSet<>() : partitions(known);
        long before = occurs.isEmpty() ? NONE : occurs.first();
        if (before < forgotten) {
            // It is among those of the forgotten partitions for good: where else it occurs does not matter any more.
            if (occurs.size() > 1) {
                values.put(value, written(new TreeSet<>(List.of(before))));
            }
            return NONE;
        }
        if (!(isGained ? occurs.add(partition) : occurs.remove(partition))) {
            throw new IllegalStateException("A value comes to the partition " + calendar.iso(partition)
                    + " and is there already, or goes from it and is not there");
        }
        if (occurs.isEmpty()) {
            values.remove(value);
        } else {
            values.put(value, written(occurs));
        }
        long now = occurs.isEmpty() ? NONE : occurs.first();
        if (now == before) {
            return NONE;
        }
        int column = numbers[ValueChanges.column(value)];
        count(state, column, before, -1);
        count(state, column, now, 1);
        return Math.min(before, now);
    }

    private void count(RunningState state, int column, long partition, int more) {
        if (partition != NONE) {
            RunningState.Cell cell = state.cells.get(partition);
            if (cell == null) {
                throw new IllegalStateException(
                        "A value occurs in the partition " + calendar.iso(partition) + ", where the key has no cell");
            }
            ((Count) cell.share.get(column)).count += more;
        }
    }

    private List<Accumulator> nothing() {
        List<Accumulator> accumulators = new ArrayList<>(running.length);
        for (ColumnAlgebra<?> column : columns) {
            accumulators.add(column.create());
        }
        return accumulators;
    }

    private static void merge(List<Accumulator> into, List<Accumulator> others) {
        for (int i = 0; i < into.size(); i++) {
            into.get(i).merge(others.get(i));
        }
    }

    private Bytes filled(Bytes values, List<Accumulator> sum) {
        row.read(values.array());
        target.begin(scratch);
        for (int i = 0; i < target.size(); i++) {
            if (numbers[i] >= 0) {
                result(columns[numbers[i]], sum.get(numbers[i]), i);
            } else if (!row.isNull(i)) {
                if (target.types().get(i).isFixed()) {
                    target.putFixed(scratch, i, row.fixed(i));
                } else {
                    target.putBytes(scratch, i, row.source(), row.start(i), row.length(i));
                }
            }
        }
        return scratch.build();
    }

    /** What a column adds up was made by itself. */
    @SuppressWarnings("unchecked")
    private <A extends Accumulator> void result(ColumnAlgebra<A> column, Accumulator sum, int index) {
        column.result((A) sum, target, index, scratch);
    }

    private static Bytes written(Accumulator accumulator) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(16);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            accumulator.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Bytes.of(bytes.toByteArray());
    }

    private static Bytes written(SortedSet<Long> partitions) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(16);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (long partition : partitions) {
                Wire.writeSigned(partition, out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Bytes.of(bytes.toByteArray());
    }

    private static SortedSet<Long> partitions(Bytes written) {
        SortedSet<Long> partitions = new TreeSet<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(written.array()))) {
            while (in.available() > 0) {
                partitions.add(Wire.readSigned(in));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return partitions;
    }
}
