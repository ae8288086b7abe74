package dev.tidemark.kit;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Running columns over the fields that the columns of a generated plan read anyway. */
public final class RunningColumns {
    private static final Set<Kind> NUMBERS = EnumSet.of(Kind.INT, Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL);

    private RunningColumns() {}

    /** The plan with up to four such columns more, at places drawn at random. */
    public static JobPlan in(JobPlan plan, Random random) {
        List<ValueColumn> columns = new ArrayList<>(plan.target().columns());
        List<Field> fields = plan.rowFields();
        columns.add(
                random.nextInt(columns.size() + 1),
                new ValueColumn("so_far", Aggregate.RUNNING_COUNT, null, List.of(), FieldType.of(Kind.LONG)));
        for (Aggregate function :
                List.of(Aggregate.RUNNING_COUNT, Aggregate.RUNNING_SUM, Aggregate.RUNNING_COUNT_DISTINCT)) {
            List<Field> suitable = fields.stream()
                    .filter(field -> function != Aggregate.RUNNING_SUM
                            || NUMBERS.contains(field.type().kind()))
                    .toList();
            if (!suitable.isEmpty()) {
                Field field = suitable.get(random.nextInt(suitable.size()));
                columns.add(
                        random.nextInt(columns.size() + 1),
                        new ValueColumn(
                                function.name().toLowerCase(java.util.Locale.ROOT),
                                function,
                                field,
                                List.of(),
                                RandomPlan.resultType(function, field.type())));
            }
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
                        plan.partition().lookback() > 0 && random.nextBoolean()));
    }
}
