package dev.tidemark.reconcile;

import java.math.BigDecimal;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Holds the control against the target, both as of one moment. Not thread-safe. */
public interface Comparison extends AutoCloseable {

    /**
     * Takes in the control.
     *
     * @throws ControlException with all problems of its lines
     */
    void load(ControlTotals control);

    /** The last publication of that moment; null: there is none. */
    @Nullable
    Long publication();

    /**
     * The partitions in their order: those of a range, else all from the first to the last that the control has.
     *
     * @param fromPartition as ISO text; null: the first of the control, {@code toPartition} likewise
     */
    List<Compared> partitions(@Nullable String fromPartition, @Nullable String toPartition);

    /** Hands over single rows that do not agree, in the same partitions, the greatest difference first. */
    void rows(long limit, Consumer<Row> rows);

    @Override
    void close();

    /**
     * A row of which one side lacks, or says something else.
     *
     * @param key of the columns that the control names, as text
     * @param side what is wrong
     * @param control of the measures in their order; null where the side has no row
     */
    record Row(
            String partition,
            List<String> key,
            Side side,
            @Nullable List<BigDecimal> control,
            @Nullable List<BigDecimal> target,
            long copies) {}

    /** What is wrong with a row. */
    enum Side {
        ONLY_CONTROL("only in the control"),
        ONLY_TARGET("only in the target"),
        DOUBLED("more than once in the target"),
        DIFFERENT("different");

        private final String word;

        Side(String word) {
            this.word = word;
        }

        /** For people. */
        public String word() {
            return word;
        }
    }
}
