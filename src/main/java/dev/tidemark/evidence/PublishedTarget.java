package dev.tidemark.evidence;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what a job has published: bounds, positions, the target's rows and open ledger rows, all of one moment. */
public interface PublishedTarget extends AutoCloseable {

    /**
     * Hands over what stands in some partitions, while others go on writing.
     *
     * @param from the first partition as ISO text; null: from the first that there is
     * @param to the last one; null: to the last that there is
     */
    Standpoint read(@Nullable String from, @Nullable String to, Visitor visitor);

    @Override
    void close();

    /** Takes what is read, row by row. */
    interface Visitor {
        /** A row of the target. */
        void row(Row row);

        /** A ledger row whose status is open and whose partition is wanted, or not known. */
        void late(Late late);
    }

    /**
     * A row of the target. Values are as {@link dev.tidemark.change.Values} has them.
     *
     * @param partition as ISO text
     * @param unreadable what is in columns whose values cannot be any of their type, such as NaN, which are null here; null:
     *     there are none
     */
    record Row(
            String partition,
            List<@Nullable Object> key,
            List<@Nullable Object> values,
            @Nullable Long members,
            @Nullable Long fingerprint,
            @Nullable Long publication,
            @Nullable String unreadable) {}

    /**
     * A ledger row that is open.
     *
     * @param partition null: not known
     * @param key as JSON; null: not known
     */
    record Late(
            String split,
            long offset,
            String half,
            @Nullable String partition,
            @Nullable String key,
            @Nullable String recordId,
            String reason) {}
}
