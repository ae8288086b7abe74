package dev.tidemark.ledger;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The ledger of one job, for people who look after it. Not thread-safe. */
public interface Ledger extends AutoCloseable {
    /** The count at which {@link #count} ends. */
    long COUNT_LIMIT = 100_000;

    /**
     * Hands over the selected rows, the latest partition first.
     *
     * @param limit how many at most
     */
    void read(LedgerSelection selection, long limit, Consumer<LedgerRow> rows);

    /** How many rows are selected; {@link #COUNT_LIMIT} + 1 stands for more. */
    long count(LedgerSelection selection);

    /** The selected rows by partition and reason, the latest partition first. */
    List<Sum> summary(LedgerSelection selection);

    /**
     * Dismisses those of the selected rows that are open, in one transaction.
     *
     * @param note why, for those who come later
     * @return how many
     */
    long dismiss(LedgerSelection selection, String note, Instant at);

    @Override
    void close();

    /**
     * Rows of one partition and reason.
     *
     * @param partition null: the change named none
     * @param greatestLatenessMillis null: unknown of all
     */
    record Sum(
            @Nullable String partition,
            String reason,
            long rows,
            @Nullable Long greatestLatenessMillis,
            Instant firstRecorded,
            Instant lastRecorded) {}
}
