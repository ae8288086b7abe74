package dev.tidemark.kit;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An accepted record, as the oracle sees it. Values are canonical: see {@link Values}.
 *
 * @param sequence its place in the log; with the log it stands for the position
 * @param id null in append mode without id
 * @param version empty when the position is the version
 * @param key null in a delete
 * @param row the fields that the columns read, in the order of the plan; empty in a delete
 */
record Change(
        String log,
        String split,
        long offset,
        long sequence,
        boolean isDelete,
        @Nullable List<Object> id,
        List<Object> version,
        @Nullable Instant event,
        @Nullable Instant observed,
        @Nullable List<Object> key,
        List<@Nullable Object> row) {

    /** Whether the two say the same of the source row, whenever and wherever they were seen. */
    boolean saysTheSameAs(Change other) {
        if (isDelete || other.isDelete) {
            return isDelete == other.isDelete;
        }
        return Objects.equals(event, other.event) && Objects.equals(key, other.key) && row.equals(other.row);
    }

    /** The order of the positions: the log's name by UTF-8 bytes, then the place in it. */
    int comparePosition(Change other) {
        int order = log.equals(other.log) ? 0 : Values.compare(log, other.log);
        return order != 0 ? order : Long.compare(sequence, other.sequence);
    }

    @Nullable
    String recordId() {
        return id == null ? null : Values.recordId(id);
    }
}
