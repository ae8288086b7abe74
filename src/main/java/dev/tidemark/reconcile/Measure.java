package dev.tidemark.reconcile;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * A column of the target that adds up over its rows, so that it can be compared with an outside total.
 *
 * @param column its name in the target
 */
public record Measure(String column, Kind kind) implements Serializable {
    /** The column with the number of records that a row is made of. */
    public static final String MEMBERS = "_members";

    /** What is added up. */
    public enum Kind {
        /** Rows: an error has no benign reason, whatever the tolerance of sums. */
        COUNT,
        /** Amounts. */
        SUM
    }

    /** What can be compared of a job's target. Averages, extremes, distinct values and winners do not add up. */
    public static List<Measure> of(JobPlan plan) {
        List<Measure> measures = new ArrayList<>();
        for (JobPlan.ValueColumn column : plan.target().columns()) {
            if (column.function() == Aggregate.COUNT) {
                measures.add(new Measure(column.name(), Kind.COUNT));
            } else if (column.function() == Aggregate.SUM) {
                measures.add(new Measure(column.name(), Kind.SUM));
            }
        }
        measures.add(new Measure(MEMBERS, Kind.COUNT));
        return List.copyOf(measures);
    }
}
