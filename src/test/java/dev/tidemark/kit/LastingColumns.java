package dev.tidemark.kit;

import dev.tidemark.job.ColumnKind;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Snapshot.TargetRow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows without the values that need not be those of now: the global columns of a job that is not retroactive. */
public final class LastingColumns {
    private final List<Boolean> lasts = new ArrayList<>();

    private LastingColumns(JobPlan plan, boolean retroactive) {
        for (JobPlan.ValueColumn column : plan.target().columns()) {
            lasts.add(column.kind() == ColumnKind.LOCAL || retroactive);
        }
    }

    /** For whose sake a row is written again. */
    LastingColumns(JobPlan plan) {
        this(plan, plan.target().retroactive());
    }

    /** The local ones, whatever the job says. */
    public static LastingColumns local(JobPlan plan) {
        return new LastingColumns(plan, false);
    }

    /** The row with nothing in the place of the others. */
    public TargetRow of(TargetRow row) {
        if (!lasts.contains(false)) {
            return row;
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < lasts.size(); i++) {
            values.add(lasts.get(i) ? row.values().get(i) : null);
        }
        return new TargetRow(row.partition(), row.key(), values, row.members(), row.fingerprint());
    }

    /** The same of rows. */
    public List<TargetRow> of(List<TargetRow> rows) {
        return rows.stream().map(this::of).toList();
    }
}
