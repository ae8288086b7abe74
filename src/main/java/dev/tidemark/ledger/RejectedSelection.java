package dev.tidemark.ledger;

import dev.tidemark.change.Rejection;
import org.jspecify.annotations.Nullable;

/** Which rejected changes of a job are meant: those that meet every condition that is not null. */
public record RejectedSelection(
        @Nullable Rejection reason,
        @Nullable String split,
        @Nullable Position position) {
    /** All of them. */
    public static final RejectedSelection EVERYTHING = new RejectedSelection(null, null, null);
}
