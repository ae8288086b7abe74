package dev.tidemark.job;

/** The calendar unit of a partition. */
public enum Grain {
    HOUR,
    DAY,
    WEEK,
    MONTH;

    /** As the job file writes it. */
    public String word() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
