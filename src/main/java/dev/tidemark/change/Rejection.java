package dev.tidemark.change;

/** Why a change is rejected, in the order in which the reasons are reported. */
public enum Rejection {
    UNDECODABLE("undecodable"),
    NO_EVENT_TIME("no-event-time"),
    NO_OBSERVED_TIME("no-observed-time"),
    NO_ID("no-id"),
    NO_VERSION("no-version"),
    NO_KEY("no-key"),
    FUTURE_DATED("future-dated"),
    OBSERVED_IN_FUTURE("observed-in-future"),
    OUT_OF_RANGE("out-of-range"),
    UNSTORABLE("unstorable"),
    TOO_LONG("too-long");

    private final String word;

    Rejection(String word) {
        this.word = word;
    }

    /** As the warehouse writes it. */
    public String word() {
        return word;
    }
}
