package dev.tidemark.kit;

import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Computes the value columns of a cell from all its members. */
final class Columns {
    private static final int AVERAGE_DIGITS = 6;

    private final List<ValueColumn> columns;
    private final List<Field> rowFields;
    private final Map<String, ColumnCondition> conditions;

    Columns(JobPlan plan, Map<String, ColumnCondition> conditions) {
        this.conditions = conditions;
        this.columns = plan.target().columns();
        this.rowFields = plan.rowFields();
    }

    /**
     * @param soFar the members of the key in all partitions up to and including the cell's, for running columns
     */
    List<@Nullable Object> values(Collection<Change> members, Collection<Change> soFar) {
        List<@Nullable Object> values = new ArrayList<>();
        for (ValueColumn column : columns) {
            values.add(value(column, seen(column, column.function().isRunning() ? soFar : members)));
        }
        return values;
    }

    /** The members for which the column's condition holds. */
    private Collection<Change> seen(ValueColumn column, Collection<Change> members) {
        ColumnCondition condition = conditions.get(column.name());
        if (condition == null) {
            return members;
        }
        int index = rowFields.indexOf(condition.field());
        return members.stream()
                .filter(member -> condition.holds().test(member.row().get(index)))
                .toList();
    }

    private @Nullable Object value(ValueColumn column, Collection<Change> members) {
        Field field = column.field();
        if (field == null) {
            return (long) members.size();
        }
        int index = rowFields.indexOf(field);
        List<Object> present = new ArrayList<>();
        for (Change member : members) {
            Object value = member.row().get(index);
            if (value != null) {
                present.add(value);
            }
        }
        return switch (column.function()) {
            case COUNT, RUNNING_COUNT -> (long) present.size();
            case COUNT_DISTINCT, RUNNING_COUNT_DISTINCT -> (long) new HashSet<>(present).size();
            case SUM, RUNNING_SUM -> present.isEmpty() ? null : sum(field, present);
            case AVG -> present.isEmpty() ? null : average(field, present);
            case IDENTITIES, IDENTIFIED_EVENTS ->
                throw new IllegalArgumentException("identities are not told by a cell");
            case MIN -> present.stream().min(Values::compare).orElse(null);
            case MAX -> present.stream().max(Values::compare).orElse(null);
            case FIRST -> of(members.stream().min(order(column)), index);
            case LATEST -> of(members.stream().max(order(column)), index);
        };
    }

    /** Without a winner, as with a winner that has no value, it is null. */
    private static @Nullable Object of(Optional<Change> winner, int index) {
        return winner.isEmpty() ? null : winner.get().row().get(index);
    }

    /** By event time, then the order fields, then version, then position: no two members are equal. */
    private Comparator<Change> order(ValueColumn column) {
        return (a, b) -> {
            int order = Values.compare(a.event(), b.event());
            for (Field field : column.order()) {
                int index = rowFields.indexOf(field);
                order = order != 0
                        ? order
                        : Values.compare(a.row().get(index), b.row().get(index));
            }
            order = order != 0 ? order : Values.compareAll(a.version(), b.version());
            return order != 0 ? order : a.comparePosition(b);
        };
    }

    private static Object sum(Field field, List<Object> values) {
        BigDecimal sum = exactSum(values);
        return switch (field.type().kind()) {
            case INT -> sum.longValueExact();
            case LONG -> sum.setScale(0);
            case DECIMAL -> sum.setScale(field.type().scale());
            default -> sum.doubleValue();
        };
    }

    private static Object average(Field field, List<Object> values) {
        BigDecimal sum = exactSum(values);
        BigDecimal count = BigDecimal.valueOf(values.size());
        if (field.type().isFloatingPoint()) {
            // far more digits than a double's exact midpoint between two neighbours could need to be told apart
            return sum.divide(count, new MathContext(1200, RoundingMode.HALF_EVEN))
                    .doubleValue();
        }
        int scale = field.type().kind() == Kind.DECIMAL ? field.type().scale() : 0;
        return sum.divide(count, scale + AVERAGE_DIGITS, RoundingMode.HALF_UP);
    }

    private static BigDecimal exactSum(List<Object> values) {
        BigDecimal sum = BigDecimal.ZERO;
        for (Object value : values) {
            BigDecimal exact = value instanceof Long whole
                    ? BigDecimal.valueOf(whole)
                    : value instanceof Double real ? new BigDecimal(real) : (BigDecimal) value;
            sum = sum.add(exact);
        }
        return sum;
    }
}
