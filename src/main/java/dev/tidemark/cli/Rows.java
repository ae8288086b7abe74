package dev.tidemark.cli;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows on their way out, in one of the formats. A value is null, a {@link Boolean}, a {@link Number}, a {@link Json}, or
 * something whose {@code toString} is for people ({@link java.time.Instant} and the like: ISO-8601).
 */
interface Rows {
    /** Takes the next row: as many values as there are columns. */
    void add(List<@Nullable Object> row);

    /** Writes what is still to be written. */
    void end();

    /** A row of these values. */
    static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }

    /** Text that is JSON already. */
    record Json(String text) {
        static @Nullable Json of(@Nullable String text) {
            return text == null ? null : new Json(text);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
