package dev.tidemark.ledger;

import java.util.Locale;

/** What has become of a ledger row. */
public enum Disposition {
    /** The target lacks it. */
    OPEN,
    /** A rebuild or a wider lookback has brought it in. */
    INCORPORATED,
    /** Somebody decided that it need not come in. */
    DISMISSED;

    /** As the warehouse writes it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
