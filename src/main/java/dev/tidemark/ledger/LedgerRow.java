package dev.tidemark.ledger;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the ledger as it stands in the warehouse. Null is what was not known when the change was late, and how it was
 * resolved while it is open.
 *
 * @param half as {@link Half#word} writes it; {@code reason} and {@code status} likewise
 * @param partition ISO text
 * @param key the target key as a JSON object
 * @param age how many partitions lay between the row's partition and the frontier's
 * @param openFrom the first partition that was open for the change
 * @param payload the fields that the job reads, as a JSON object
 * @param resolvedBy the publication that brought it in
 */
public record LedgerRow(
        String split,
        long offset,
        String half,
        @Nullable String recordId,
        String op,
        @Nullable String partition,
        @Nullable String key,
        @Nullable Instant eventTime,
        @Nullable Instant observedAt,
        @Nullable Long latenessMillis,
        @Nullable Long age,
        @Nullable Instant frontier,
        @Nullable String openFrom,
        String reason,
        boolean withheld,
        @Nullable String payload,
        long publication,
        Instant recordedAt,
        String status,
        @Nullable Long resolvedBy,
        @Nullable Instant resolvedAt,
        @Nullable String note) {}
