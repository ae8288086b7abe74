package dev.tidemark.ledger;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Rejection;

/**
 * A change that cannot be read or must not count.
 *
 * @param payload the record's first bytes, {@link #PAYLOAD_LIMIT} at most
 * @param payloadLength the record's whole length in bytes
 */
public record RejectedChange(
        String split, long offset, Rejection reason, String error, Bytes payload, long payloadLength) {
    public static final int PAYLOAD_LIMIT = 64 * 1024;
}
