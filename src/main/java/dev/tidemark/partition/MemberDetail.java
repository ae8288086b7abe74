package dev.tidemark.partition;

import dev.tidemark.job.JobPlan;

/** How much of a member the columns of a job can tell apart, and so has to travel to the cells. */
public enum MemberDetail {
    /** Everything: a column asks which member is least or greatest. */
    FULL,
    /** The row and the hash; the rest comes back empty or 0. */
    SUMMARY;

    /** What the columns of a job need. */
    public static MemberDetail of(JobPlan plan) {
        return plan.target().columns().stream()
                        .anyMatch(column -> column.function().isSelective())
                ? FULL
                : SUMMARY;
    }
}
