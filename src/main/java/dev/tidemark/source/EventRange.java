package dev.tidemark.source;

import java.io.Serializable;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which event times matter. A source that can leave out the others at their origin does; one that cannot gives all the same.
 *
 * @param from the first instant; null: from the beginning of time
 * @param to the first instant that does not matter any more; null: to its end
 */
public record EventRange(@Nullable Instant from, @Nullable Instant to) implements Serializable {
    /** All of them. */
    public static final EventRange ALL = new EventRange(null, null);
}
