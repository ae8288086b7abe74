package dev.tidemark.kit;

import dev.tidemark.job.Expression;
import dev.tidemark.job.Expression.Call;
import dev.tidemark.job.Expression.Reference;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.Function;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ChangePlan;
import dev.tidemark.job.JobPlan.Deletion;
import dev.tidemark.job.JobPlan.Derived;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plan that means the same as another but says it by expressions: a delete becomes a record that does not meet the job's
 * {@code where}; what the columns aggregate is derived; each column has a condition that holds for every member.
 */
public final class Expressed {
    private static final FieldType BOOLEAN = FieldType.of(Kind.BOOLEAN);

    private Expressed() {}

    public static JobPlan by(JobPlan plan) {
        ChangePlan changes = plan.changes();
        Deletion delete = changes.delete();
        Expression where = delete == null ? null : new Call(Function.IS_NOT_TRUE, List.of(delete.condition()), BOOLEAN);
        List<Derived> derived = new ArrayList<>();
        List<ValueColumn> columns = new ArrayList<>();
        for (ValueColumn column : plan.target().columns()) {
            columns.add(new ValueColumn(
                    column.name(),
                    column.function(),
                    derived(column.field(), derived),
                    column.order(),
                    column.type(),
                    always(plan.time().event())));
        }
        TargetPlan target = plan.target();
        return new JobPlan(
                plan.job(),
                plan.source(),
                derived,
                where,
                new ChangePlan(changes.mode(), changes.id(), changes.version(), null),
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

    private static @Nullable Field derived(@Nullable Field field, List<Derived> derived) {
        if (field == null) {
            return null;
        }
        Field copy = new Field("derived_" + field.name(), field.type());
        Derived copied = new Derived(
                copy, new Call(Function.COALESCE, List.of(new Reference(field), new Reference(field)), field.type()));
        if (!derived.contains(copied)) {
            derived.add(copied);
        }
        return copy;
    }

    private static Expression always(Field field) {
        Expression isNull = new Call(Function.IS_NULL, List.of(new Reference(field)), BOOLEAN);
        return new Call(Function.OR, List.of(isNull, new Call(Function.NOT, List.of(isNull), BOOLEAN)), BOOLEAN);
    }
}
