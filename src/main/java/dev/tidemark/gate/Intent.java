package dev.tidemark.gate;

/** What a record wants. */
enum Intent {
    /** That its row counts. */
    UPSERT,
    /** That its row counts no longer, because it does not meet the job's {@code where}. */
    FILTERED,
    /** That its row counts no longer. */
    DELETE;

    /** Whether nothing is asked of the record but who it is and when. */
    boolean withdraws() {
        return this != UPSERT;
    }
}
