package dev.tidemark.evidence;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A source row that is not in the target, or a row of the target that no source row stands behind.
 *
 * @param partition as ISO text
 * @param key in the order of the job's key, as {@link dev.tidemark.change.Values} has it
 * @param recordId null: it is not known which, or records have no id
 * @param split where the change stands; null: it is not known which
 * @param offset with it
 * @param rows how many source rows this is about
 * @param said more, for people; null: nothing
 */
public record Unmatched(
        Kind kind,
        String partition,
        List<@Nullable Object> key,
        @Nullable String recordId,
        @Nullable String split,
        @Nullable Long offset,
        @Nullable Instant eventTime,
        @Nullable Instant observedAt,
        long rows,
        @Nullable String said) {

    /** What is the matter. */
    public enum Kind {
        /** It lives in the source; neither target, ledger nor rejections have it. */
        MISSING,
        /** It lives, and another version of it stands in its place. */
        STALE,
        /** It is in the target more often than in the source. */
        DOUBLED,
        /** The target counts it, and it does not live there. */
        UNEXPECTED,
        /** The row of the target is made of others than the source has, and they cannot be told by name. */
        UNRESOLVED;

        /** As it is stored and shown. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The kind of that name. */
        public static Kind of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }
}
