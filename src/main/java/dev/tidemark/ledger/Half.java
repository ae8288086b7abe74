package dev.tidemark.ledger;

import java.util.Locale;

/** Which half of a change a ledger row speaks of. */
public enum Half {
    WHOLE,
    OLD,
    NEW,
    NEIGHBOUR;

    /** As the warehouse writes it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
