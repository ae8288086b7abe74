package dev.tidemark.publish;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the rows of a job's target, for people. Not thread-safe. */
public interface TargetRows extends AutoCloseable {

    /** The columns that {@link #read} hands over: partition, key, values, then {@code _revision} and so on. */
    List<String> columns();

    /**
     * Hands over the rows of some partitions in the order of partition and key. A value is null, a {@link Boolean}, a
     * {@link Number}, a {@link java.time.temporal.Temporal} or text (bytes as {@code \\x} and hexadecimal digits).
     *
     * @param fromPartition the first partition, as ISO text; null: from the beginning, {@code toPartition} likewise
     * @param limit how many rows at most
     */
    void read(
            @Nullable String fromPartition,
            @Nullable String toPartition,
            long limit,
            Consumer<List<@Nullable Object>> rows);

    /** How many rows some partitions have. */
    long count(@Nullable String fromPartition, @Nullable String toPartition);

    @Override
    void close();
}
