package dev.tidemark.membership;

/** What becomes of an accepted change: each is exactly one of these. */
public enum Outcome {
    /** All its halves were open. */
    APPLIED,
    /** It is older than, or the same as, what is known of its record. */
    SUPERSEDED,
    /** All its halves were closed. */
    LATE,
    /** One half was open, the other closed. */
    SPLIT
}
