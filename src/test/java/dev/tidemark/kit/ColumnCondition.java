package dev.tidemark.kit;

import dev.tidemark.job.Expression;
import dev.tidemark.job.Expression.Call;
import dev.tidemark.job.Expression.Literal;
import dev.tidemark.job.Expression.Reference;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.Function;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which members a column sees, said twice: for the job as an expression over a field, for the oracle as a predicate over the
 * field's value. The field is one that the columns read anyway.
 */
public record ColumnCondition(Field field, Expression expression, Predicate<@Nullable Object> holds) {
    private static final FieldType BOOLEAN = FieldType.of(Kind.BOOLEAN);

    /** Conditions for about half of the columns of a plan, by the columns' names. */
    public static Map<String, ColumnCondition> random(JobPlan plan, Random random) {
        List<Field> fields = plan.rowFields();
        Map<String, ColumnCondition> conditions = new TreeMap<>();
        for (ValueColumn column : plan.target().columns()) {
            if (!fields.isEmpty() && random.nextBoolean()) {
                conditions.put(column.name(), of(fields.get(random.nextInt(fields.size()))));
            }
        }
        return conditions;
    }

    /** The plan whose columns have these conditions. */
    public static JobPlan in(JobPlan plan, Map<String, ColumnCondition> conditions) {
        List<ValueColumn> columns = new ArrayList<>();
        for (ValueColumn column : plan.target().columns()) {
            ColumnCondition condition = conditions.get(column.name());
            columns.add(new ValueColumn(
                    column.name(),
                    column.function(),
                    column.field(),
                    column.order(),
                    column.type(),
                    condition == null ? null : condition.expression()));
        }
        TargetPlan target = plan.target();
        return new JobPlan(
                plan.job(),
                plan.source(),
                plan.fields(),
                plan.where(),
                plan.changes(),
                plan.time(),
                plan.partition(),
                new TargetPlan(
                        target.schema(),
                        target.table(),
                        target.key(),
                        columns,
                        target.revisions(),
                        target.retroactive()));
    }

    private static ColumnCondition of(Field field) {
        Reference value = new Reference(field);
        return switch (field.type().kind()) {
            case BOOLEAN -> new ColumnCondition(field, value, Boolean.TRUE::equals);
            case INT, LONG ->
                new ColumnCondition(
                        field, compared(Function.GREATER, value, 0L), it -> it instanceof Long number && number > 0);
            case STRING ->
                new ColumnCondition(
                        field, compared(Function.NOT_EQUAL, value, "a"), it -> it != null && !it.equals("a"));
            default ->
                new ColumnCondition(field, new Call(Function.IS_NULL, List.of(value), BOOLEAN), it -> it == null);
        };
    }

    private static Expression compared(Function comparison, Reference value, Serializable with) {
        return new Call(comparison, List.of(value, new Literal(value.type(), with)), BOOLEAN);
    }
}
