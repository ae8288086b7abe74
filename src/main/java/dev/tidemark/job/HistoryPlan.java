package dev.tidemark.job;

import dev.tidemark.job.JobPlan.SourcePlan;
import java.io.Serializable;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * Where {@code rebuild} and {@code verify} read: what the source itself still holds, another source, or rows of a database.
 * It is no part of what the job's state means.
 *
 * @param source files or a topic, with their own schema and format; null: the job's own source, or rows of a database
 * @param jdbc rows of a database; null: the job's own source, or another one
 * @param wholeFrom the first partition that the history holds whole; null: all, or for the job's own source what that says
 */
public record HistoryPlan(
        Kind kind,
        @Nullable SourcePlan source,
        @Nullable JdbcPlan jdbc,
        @Nullable LocalDate wholeFrom) implements Serializable {
    /** The source itself, read from its beginning. */
    public static final HistoryPlan SAME = new HistoryPlan(Kind.CHANGES, null, null, null);

    /** What a row of the history is. */
    public enum Kind {
        /** A change, as in the source. */
        CHANGES,
        /** The present state of a record: each is there once, and none is a delete. */
        TABLE
    }

    /** Whether it is the job's own source. */
    public boolean isSame() {
        return source == null && jdbc == null;
    }

    /** What people call it. */
    public String name(SourcePlan live) {
        if (jdbc != null) {
            return jdbc.name();
        }
        return source == null ? live.name() : source.name();
    }

    /**
     * Whether the positions of its records are those of the job's source, so that they compare with what was published and
     * with the ledger: of the source itself, of the same files or topic under another schema, and of rows that keep them.
     */
    public boolean hasPositionsOf(SourcePlan live) {
        if (jdbc != null) {
            return jdbc.position() != null;
        }
        if (source == null) {
            return true;
        }
        if (source.kafka() != null) {
            return live.kafka() != null
                    && source.kafka().topic().equals(live.kafka().topic())
                    && source.kafka().bootstrapServers().equals(live.kafka().bootstrapServers());
        }
        return live.files() != null && source.path().equals(live.path()) && source.logs() == live.logs();
    }
}
