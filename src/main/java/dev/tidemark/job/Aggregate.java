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
    LATEST("latest"),
    RUNNING_COUNT("runningCount"),
    RUNNING_SUM("runningSum"),
    RUNNING_COUNT_DISTINCT("runningCountDistinct"),
    IDENTITIES("identities"),
    IDENTIFIED_EVENTS("identifiedEvents");

    private final String word;

    Aggregate(String word) {
        this.word = word;
    }

    /** As the job file writes it. */
    public String word() {
        return word;
    }

    /** Whether a column of it depends on its own partition alone; of an identity column its method says it. */
    public ColumnKind kind() {
        return isRunning() ? ColumnKind.GLOBAL : ColumnKind.LOCAL;
    }

    /** Whether it is over the members of its key in all partitions up to and including the row's own. */
    public boolean isRunning() {
        return ofCell() != this;
    }

    /** What is known of one cell alone: of a running function what it adds up, of others themselves. */
    public Aggregate ofCell() {
        return switch (this) {
            case RUNNING_COUNT -> COUNT;
            case RUNNING_SUM -> SUM;
            case RUNNING_COUNT_DISTINCT -> COUNT_DISTINCT;
            case COUNT, SUM, AVG, MIN, MAX, COUNT_DISTINCT, FIRST, LATEST, IDENTITIES, IDENTIFIED_EVENTS -> this;
        };
    }

    /** Whether it is by a method of identity resolution rather than of a field. */
    public boolean isOfIdentities() {
        return this == IDENTITIES || this == IDENTIFIED_EVENTS;
    }

    /** Whether it counts the members themselves if no field is said. */
    public boolean countsMembers() {
        return ofCell() == COUNT;
    }

    /** Whether retracting one member can reveal another, so that members must be kept. */
    public boolean isSelective() {
        return this == MIN || this == MAX || this == FIRST || this == LATEST;
    }
}
