package dev.tidemark.ledger;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/** The rejected changes of one job, for people who look after it. Not thread-safe. */
public interface RejectedChanges extends AutoCloseable {
    /** The count at which {@link #count} ends. */
    long COUNT_LIMIT = 100_000;

    /**
     * Hands over the selected changes with their payloads, the last position first.
     *
     * @param limit how many at most
     */
    void read(RejectedSelection selection, long limit, Consumer<RejectedRow> rows);

    /** How many changes are selected; {@link #COUNT_LIMIT} + 1 stands for more. */
    long count(RejectedSelection selection);

    /** The selected changes by reason, the most frequent first. */
    List<Sum> summary(RejectedSelection selection);

    @Override
    void close();

    /** Changes of one reason. */
    record Sum(String reason, long changes, long splits, Instant firstRecorded, Instant lastRecorded) {}
}
