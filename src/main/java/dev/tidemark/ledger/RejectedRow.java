package dev.tidemark.ledger;

import dev.tidemark.change.Bytes;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A rejected change as it stands in the warehouse.
 *
 * @param payload the record's first bytes, {@link RejectedChange#PAYLOAD_LIMIT} at most; null: not kept
 * @param payloadLength the record's whole length in bytes
 */
public record RejectedRow(
        String split,
        long offset,
        String reason,
        @Nullable String error,
        @Nullable Bytes payload,
        long payloadLength,
        long publication,
        Instant recordedAt) {}
