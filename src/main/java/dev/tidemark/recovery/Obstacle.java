package dev.tidemark.recovery;

/**
 * Why the state cannot answer for a partition.
 *
 * @param partition as text
 * @param subject of {@link Why#BEGUN_WITHIN} the log (empty: the only one of a source), of {@link Why#NOT_HELD} the ledger's reason, else empty
 * @param rows of {@link Why#NOT_HELD} how many ledger rows, else 0
 */
public record Obstacle(String partition, Why why, String subject, long rows) {

    /** The kinds of obstacles. */
    public enum Why {
        /** The state has forgotten the partition. */
        FORGOTTEN,
        /** A log was begun when the partition had begun already: the state does not hold it whole. */
        BEGUN_WITHIN,
        /** The ledger has changes to it whose effect the state does not hold. */
        NOT_HELD
    }

    /** The reason in words, without the partition. */
    public String words() {
        return switch (why) {
            case FORGOTTEN -> "the state has forgotten it";
            case BEGUN_WITHIN ->
                (subject.isEmpty() ? "the source" : "the log " + subject) + " is not held whole from its start on";
            case NOT_HELD ->
                rows + (rows == 1 ? " ledger row is " : " ledger rows are ") + subject + ", so not in the state";
        };
    }
}
