package dev.tidemark.evidence;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One row of the target that is not what the recomputation has.
 *
 * @param partition as ISO text
 * @param key in the order of the job's key
 * @param values the columns that differ; of a row that only one side has all of its columns
 * @param accounted what accounts for it: positions of late changes that are open, or records that were forgotten; null:
 *     nothing does
 */
public record Difference(
        String partition,
        List<@Nullable Object> key,
        Kind kind,
        Verdict verdict,
        List<Value> values,
        @Nullable String accounted) {

    /** How the two sides differ. */
    public enum Kind {
        /** The recomputation has the row, the target does not. */
        MISSING,
        /** The target has the row, the recomputation does not. */
        EXTRA,
        /** Both have it, with other values. */
        DIFFERENT,
        /** The target has it more than once: this is one too many. */
        REPEATED;

        /** As it is shown. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What is to be thought of it. */
    public enum Verdict {
        /** The row is what comes of the history without the changes whose open ledger rows name the partition. */
        EXPLAINED("explained"),
        /** The row is what comes of a history in which a record was forgotten between two of its changes. */
        BEYOND_MEMORY("beyond-memory"),
        /** The row is wrong. */
        WRONG("wrong");

        private final String word;

        Verdict(String word) {
            this.word = word;
        }

        /** As it is shown. */
        public String word() {
            return word;
        }
    }

    /**
     * A column in which the sides differ. Values are as {@link dev.tidemark.change.Values} has them.
     *
     * @param expected by the recomputation; null: null, or the row is not there
     * @param actual in the target
     */
    public record Value(
            String column,
            @Nullable Object expected,
            @Nullable Object actual) {}
}
