package dev.tidemark.job;

/** The functions that a target column can apply to the members of its cell. */
public enum Aggregate {
    COUNT("count"),
    SUM("sum"),
    AVG("avg"),
    MIN("min"),
    MAX("max"),
    COUNT_DISTINCT("countDistinct"),
    FIRST("first"),
    LATEST("latest");

    private final String word;

    Aggregate(String word) {
        this.word = word;
    }

    /** As the job file writes it. */
    public String word() {
        return word;
    }

    /** Whether retracting one member can reveal another, so that members must be kept. */
    public boolean isSelective() {
        return this == MIN || this == MAX || this == FIRST || this == LATEST;
    }
}
