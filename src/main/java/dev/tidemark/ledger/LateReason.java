package dev.tidemark.ledger;

/** Why a change was late, in the order in which the reasons are tried. */
public enum LateReason {
    /** The partition is earlier than those that the source holds whole. */
    BEFORE_START("before-start"),
    /** The partition is no longer in the job's memory. */
    STATE_EXPIRED("state-expired"),
    /** The partition is closed but still in the job's memory, which holds the change's effect. */
    OUTSIDE_WINDOW("outside-window"),
    /** A delete without event time of an id that is not remembered. */
    UNKNOWN_RECORD("unknown-record");

    private final String word;

    LateReason(String word) {
        this.word = word;
    }

    /** As the warehouse writes it. */
    public String word() {
        return word;
    }
}
