package dev.tidemark.partition;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.Expression;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.publish.CellTruth;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The algebra of a job's cells: takes members in and out of a {@link CellState} and says what the cell's truth is.
 *
 * <p>The laws are those of {@link ColumnAlgebra}: a truth is a function of the members that are in the cell. Where a job
 * retracts and has selective columns, each keeps the best {@value #HEAD} contenders; when all of them have left while
 * others remain, {@link #export} looks at all members once, for all such columns together.
 *
 * <p>Not thread-safe: it reuses what it reads rows with.
 */
public final class CellAlgebra {
    /** How many contenders of a selective column are at hand before all members must be looked at again. */
    static final int HEAD = 8;

    private final RowLayout target;
    private final RowLayout keyLayout;
    private final Calendar calendar;
    private final RowLayout.Cursor row;
    private final ColumnAlgebra<?>[] columns;
    private final int[] selective;
    private final boolean keepsMembers;
    private final @Nullable Addends addends;
    private final List<String> shape;
    private final ByteBuilder scratch = new ByteBuilder();

    /** The algebra of a job. */
    public CellAlgebra(JobPlan plan) {
        List<Field> fields = plan.rowFields();
        List<ValueColumn> described = plan.target().columns();
        this.target = new RowLayout(described.stream().map(ValueColumn::type).toList());
        this.keyLayout = RowLayout.ofFields(plan.target().key());
        this.calendar = new Calendar(plan.partition().grain(), plan.partition().zone());
        this.row = new RowLayout.Cursor(RowLayout.ofFields(fields));
        this.keepsMembers = plan.keepsMembers();
        this.columns = new ColumnAlgebra<?>[described.size()];
        List<Integer> heads = new ArrayList<>();
        List<String> shapes = new ArrayList<>();
        for (int i = 0; i < columns.length; i++) {
            Field condition = described.get(i).conditionField();
            ColumnAlgebra<?> column = column(i, described.get(i), fields, keepsMembers ? HEAD : 1);
            columns[i] = condition == null ? column : new ConditionalColumn<>(column, fields.indexOf(condition));
            if (described.get(i).function().isSelective()) {
                heads.add(i);
            }
            shapes.add(shape(described.get(i), plan));
        }
        this.selective = heads.stream().mapToInt(Integer::intValue).toArray();
        this.shape = List.copyOf(shapes);
        this.addends = plan.target().hasRunningColumns() ? new Addends(described) : null;
    }

    /** What each accumulator is of: states of the same shape can be continued, others cannot. */
    public List<String> shape() {
        return shape;
    }

    /** A cell without members. */
    public CellState create() {
        Accumulator[] accumulators = new Accumulator[columns.length];
        for (int i = 0; i < accumulators.length; i++) {
            accumulators[i] = columns[i].create();
        }
        return new CellState(accumulators);
    }

    /** Which values one cell has gained and lost: none so far. */
    public ValueChanges changes() {
        return new ValueChanges(addends == null ? new boolean[0] : addends.watched());
    }

    /** Whether a contribution can be taken in by {@link #apply}: it concerns both truths of a cell that has but one. */
    public static boolean isPlain(CellState state, Contribution contribution) {
        return contribution.layer() == Layer.BOTH && !state.isLayered();
    }

    /**
     * Takes a contribution into the truths that it names. At the first that concerns one of them alone, the cell gets two.
     *
     * @throws IllegalStateException if a member is taken out that is not in: the sender is wrong
     */
    public void apply(CellState state, Contribution contribution, Layers layers, ValueChanges changes) {
        if (isPlain(state, contribution)) {
            apply(state, contribution, layers.alone(), layers.countsAlone(), changes);
            return;
        }
        CellState full = state.withheld;
        if (full == null) {
            full = state.copy();
            state.withheld = full;
        }
        if (contribution.layer() != Layer.PUBLISHED) {
            take(full, contribution, layers.withheldMembers(), layers.withheldCounts());
        }
        if (contribution.layer() != Layer.WITHHELD) {
            apply(state, contribution, layers.publishedMembers(), layers.publishedCounts(), changes);
        }
    }

    /** Makes the full truth of a cell the published one; says whether there was another. */
    public static boolean publishWithheld(CellState state, Layers layers, ValueChanges changes) {
        CellState full = state.withheld;
        if (full == null) {
            return false;
        }
        state.members = full.members;
        state.fingerprint = full.fingerprint;
        System.arraycopy(full.accumulators, 0, state.accumulators, 0, full.accumulators.length);
        state.withheld = null;
        layers.publish(changes);
        return true;
    }

    /**
     * Takes a contribution into the cell that it names, which has one truth: first the member less, then the member more.
     *
     * @throws IllegalStateException if a member is taken out that is not in: the sender is wrong
     */
    public void apply(
            CellState state, Contribution contribution, Members members, DistinctCounts counts, ValueChanges changes) {
        take(state, contribution, members, changes.over(counts));
    }

    private void take(CellState state, Contribution contribution, Members members, DistinctCounts counts) {
        Member minus = contribution.minus();
        Member plus = contribution.plus();
        if (minus != null) {
            try {
                retract(state, minus, counts);
            } catch (IllegalStateException e) {
                throw new IllegalStateException(
                        "Cell " + describe(contribution.partition(), contribution.key()) + ": " + e.getMessage(), e);
            }
            if (keepsMembers && (plus == null || !plus.recordId().equals(minus.recordId()))) {
                members.remove(minus.recordId());
            }
        }
        if (plus != null) {
            add(state, plus, counts);
            if (keepsMembers) {
                members.put(plus);
            }
        }
    }

    /**
     * The published truth of a cell, its values null when no member is left.
     *
     * @param members those that are in it; looked at only if a column is exhausted
     * @param changes what it has gained and lost since it was last said; that is said now, and forgotten
     */
    public CellTruth export(CellKey cell, CellState state, Members members, ValueChanges changes) {
        Bytes addend = addends == null ? null : addends.write(state.accumulators, changes);
        if (state.members == 0) {
            return new CellTruth(cell.partition(), cell.key(), 0, 0, null, addend);
        }
        refill(state, members);
        target.begin(scratch);
        for (int i = 0; i < columns.length; i++) {
            result(columns[i], state.accumulators[i], i);
        }
        return new CellTruth(cell.partition(), cell.key(), state.members, state.fingerprint, scratch.build(), addend);
    }

    /** A cell as people know it. */
    public String describe(long partition, Bytes key) {
        return calendar.iso(partition) + " " + keyLayout.values(key);
    }

    private void add(CellState state, Member member, DistinctCounts counts) {
        row.read(member.row().array());
        state.members++;
        state.fingerprint += member.hash();
        for (int i = 0; i < columns.length; i++) {
            add(columns[i], state.accumulators[i], member, counts);
        }
    }

    private void retract(CellState state, Member member, DistinctCounts counts) {
        if (state.members == 0) {
            throw new IllegalStateException("a member is taken out of an empty cell");
        }
        if (selective.length > 0 && !keepsMembers) {
            throw new IllegalStateException("a member is taken out although the job only appends");
        }
        row.read(member.row().array());
        state.members--;
        state.fingerprint -= member.hash();
        if (state.members == 0 && state.fingerprint != 0) {
            throw new IllegalStateException("the last member is taken out as one that was never put in");
        }
        for (int i = 0; i < columns.length; i++) {
            retract(columns[i], state.accumulators[i], member, counts);
        }
        if (state.members == 0) {
            for (int i : selective) {
                ((Head) state.accumulators[i]).clear();
            }
        }
    }

    private void refill(CellState state, Members members) {
        List<Integer> exhausted = new ArrayList<>(0);
        for (int i : selective) {
            Head head = (Head) state.accumulators[i];
            if (head.isExhausted()) {
                head.clear();
                exhausted.add(i);
            }
        }
        if (exhausted.isEmpty()) {
            return;
        }
        members.forEach(member -> {
            row.read(member.row().array());
            for (int i : exhausted) {
                add(columns[i], state.accumulators[i], member, DistinctCounts.NONE);
            }
        });
    }

    private <A extends Accumulator> void add(
            ColumnAlgebra<A> column, Accumulator accumulator, Member member, DistinctCounts counts) {
        column.add(own(accumulator), row, member, counts);
    }

    private <A extends Accumulator> void retract(
            ColumnAlgebra<A> column, Accumulator accumulator, Member member, DistinctCounts counts) {
        column.retract(own(accumulator), row, member, counts);
    }

    private <A extends Accumulator> void result(ColumnAlgebra<A> column, Accumulator accumulator, int index) {
        column.result(own(accumulator), target, index, scratch);
    }

    /** A state is only ever met by the columns that created it, or by those of the same shape. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <A extends Accumulator> A own(Accumulator accumulator) {
        return (A) accumulator;
    }

    static ColumnAlgebra<?> column(int index, ValueColumn column, List<Field> fields, int capacity) {
        Field field = column.field();
        if (column.method() != null) {
            return new BlankColumn();
        }
        if (field == null) {
            if (!column.function().countsMembers()) {
                throw new IllegalArgumentException("Column " + column.name() + " has no field to aggregate");
            }
            return CountColumn.ofMembers();
        }
        int at = fields.indexOf(field);
        FieldType type = field.type();
        return switch (column.function()) {
            case COUNT, RUNNING_COUNT -> CountColumn.ofField(at);
            case COUNT_DISTINCT, RUNNING_COUNT_DISTINCT -> new DistinctColumn(index, at, type.isFixed());
            case SUM, RUNNING_SUM ->
                type.isFloatingPoint() ? FloatSumColumn.sum(at) : IntegerSumColumn.sum(at, type, column.type());
            case AVG ->
                type.isFloatingPoint() ? FloatSumColumn.average(at) : IntegerSumColumn.average(at, type, column.type());
            case MIN -> new ExtremeColumn(at, type, new Head.Contest(false, capacity));
            case MAX -> new ExtremeColumn(at, type, new Head.Contest(true, capacity));
            case IDENTITIES, IDENTIFIED_EVENTS -> new BlankColumn();
            case FIRST -> winner(column, at, type, fields, new Head.Contest(false, capacity));
            case LATEST -> winner(column, at, type, fields, new Head.Contest(true, capacity));
        };
    }

    private static WinnerColumn winner(
            ValueColumn column, int at, FieldType type, List<Field> fields, Head.Contest contest) {
        return new WinnerColumn(
                at,
                type,
                column.order().stream().map(fields::indexOf).toList(),
                column.order().stream().map(Field::type).toList(),
                contest);
    }

    /** The column with what its fields are derived from, so that another meaning is another shape. */
    private static String shape(ValueColumn column, JobPlan plan) {
        StringBuilder shape = new StringBuilder(column.function().word());
        Field field = column.field();
        if (field != null) {
            shape.append(' ')
                    .append(field.name())
                    .append(' ')
                    .append(field.type().sql());
        }
        Expression condition = column.condition();
        if (condition != null) {
            shape.append(" where ").append(condition.sql());
        }
        for (JobPlan.Derived derived : plan.readBy(column)) {
            shape.append(" with ")
                    .append(derived.field().name())
                    .append(" as ")
                    .append(derived.value().sql());
        }
        for (Field order : column.order()) {
            shape.append(" by ")
                    .append(order.name())
                    .append(' ')
                    .append(order.type().sql());
        }
        return shape.toString();
    }
}
