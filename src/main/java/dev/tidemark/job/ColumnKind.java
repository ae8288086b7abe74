package dev.tidemark.job;

import java.util.Locale;

/** What the value of a target column depends on. */
public enum ColumnKind {
    /**
     * The rows of its own partition, and of as many further ones as {@link JobPlan.ValueColumn#lookAhead} says. Wherever the
     * target is complete it equals a full recomputation.
     */
    LOCAL,
    /** Rows of other partitions too. It equals a computation over the changes before the publication that wrote its row. */
    GLOBAL;

    /** As people read it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
