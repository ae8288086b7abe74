package dev.tidemark.reconcile;

/**
 * Why a reconciliation did not pass.
 *
 * @param message for people, with what and where
 */
public record Alarm(Kind kind, String message) {
    /** What was found. */
    public enum Kind {
        /** A partition is further from the control than the tolerance allows. */
        PARTITION_OVER_TOLERANCE("partition-over-tolerance"),
        /** The sum of all partitions is. */
        TOTAL_OVER_TOLERANCE("total-over-tolerance"),
        /** Differences of single rows that cancel in the sum are. */
        COMPENSATING("compensating"),
        /** Rows, or whole partitions, are on one side only, or a count differs. */
        UNMATCHED("unmatched"),
        /** The variance has moved and stays there. */
        SHIFT("sustained-shift");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** For programs, and as it is stored. */
        public String word() {
            return word;
        }
    }
}
