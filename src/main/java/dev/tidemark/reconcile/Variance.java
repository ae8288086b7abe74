package dev.tidemark.reconcile;

import java.math.BigDecimal;
import java.math.MathContext;
import org.jspecify.annotations.Nullable;

/**
 * How far apart the two sides are in one measure of one partition, or of several.
 *
 * @param control what somebody else says
 * @param target what the target holds
 * @param gross what the differences of single rows add up to whatever their sign: errors that cancel are in it. Without keys
 *     the difference itself
 * @param differing rows that both sides have with different values
 */
public record Variance(Measure measure, BigDecimal control, BigDecimal target, BigDecimal gross, long differing) {
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    /** Nothing on either side. */
    public static Variance nothing(Measure measure) {
        return new Variance(measure, BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, 0);
    }

    /** Both together. */
    public Variance plus(Variance other) {
        return new Variance(
                measure,
                control.add(other.control),
                target.add(other.target),
                gross.add(other.gross),
                differing + other.differing);
    }

    /** What the target lacks; negative: what it has too much. */
    public BigDecimal difference() {
        return control.subtract(target);
    }

    /**
     * The difference in percent of the control: positive is a loss, negative is too much. Null if the control is 0 and the target is
     * not, because then no percentage says how much.
     */
    public @Nullable Double percent() {
        return share(difference());
    }

    /** The gross difference in percent of the control; null as for {@link #percent}. */
    public @Nullable Double grossPercent() {
        return share(gross);
    }

    private @Nullable Double share(BigDecimal part) {
        if (part.signum() == 0) {
            return 0.0;
        }
        return control.signum() == 0
                ? null
                : part.multiply(HUNDRED)
                        .divide(control.abs(), MathContext.DECIMAL64)
                        .doubleValue();
    }

    /** Whether the difference is more than a tolerance in percent. */
    boolean isBeyond(BigDecimal tolerance) {
        return isBeyond(difference(), tolerance);
    }

    /** Whether the gross difference is. */
    boolean isGrossBeyond(BigDecimal tolerance) {
        return isBeyond(gross, tolerance);
    }

    private boolean isBeyond(BigDecimal part, BigDecimal tolerance) {
        return part.abs().multiply(HUNDRED).compareTo(control.abs().multiply(tolerance)) > 0;
    }
}
