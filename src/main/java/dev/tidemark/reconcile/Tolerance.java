package dev.tidemark.reconcile;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/**
 * What one has decided not to see: everything below it is never looked at by anybody. It is a budget, so it is stated in money
 * too, where the yearly amount is known.
 *
 * @param percent of the control, for a partition and for the total
 * @param unmatched rows without counterpart that a partition may have; 0 is right unless something benign explains them
 * @param annual what a year's total is worth; null: not said
 * @param currency in which
 */
public record Tolerance(
        BigDecimal percent,
        long unmatched,
        @Nullable BigDecimal annual,
        @Nullable String currency) {

    /** What the tolerance is worth a year; null if the yearly amount is not known. */
    public @Nullable BigDecimal worth() {
        return annual == null ? null : worth(percent, annual);
    }

    /** What a variance in percent is worth a year, if it stays; null if the yearly amount is not known. */
    public @Nullable BigDecimal worth(double variance) {
        return annual == null ? null : worth(BigDecimal.valueOf(variance), annual);
    }

    private static BigDecimal worth(BigDecimal percent, BigDecimal annual) {
        return annual.multiply(percent).movePointLeft(2).setScale(2, RoundingMode.HALF_UP);
    }
}
