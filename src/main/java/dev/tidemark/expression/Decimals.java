package dev.tidemark.expression;

import dev.tidemark.job.Function;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * Arithmetic of exact decimals, with the digits after the point that PostgreSQL's numeric has: the greater scale of sums and
 * remainders, both scales together of products, and of quotients at least 16 significant digits.
 */
final class Decimals {
    private static final int LONGEST = 18;
    private static final long[] POWERS = new long[LONGEST + 1];
    private static final long[] LIMITS = new long[LONGEST + 1];
    private static final int GREATEST_SCALE = 1000;
    private static final int SIGNIFICANT_DIGITS = 16;
    private static final int GROUP = 4;

    static {
        POWERS[0] = 1;
        for (int i = 1; i <= LONGEST; i++) {
            POWERS[i] = 10 * POWERS[i - 1];
        }
        for (int i = 0; i <= LONGEST; i++) {
            LIMITS[i] = Long.MAX_VALUE / POWERS[i];
        }
    }

    private Decimals() {}

    /** Whether a number times a power of ten fits a long. */
    static boolean isScalable(long value, int digits) {
        return digits <= LONGEST && value <= LIMITS[digits] && value >= -LIMITS[digits];
    }

    /** Ten to the power of at most 18. */
    static long power(int digits) {
        return POWERS[digits];
    }

    /** {@code + - * / %}. */
    static final class Arithmetic extends Evaluator {
        private final Function function;
        private final Evaluator left;
        private final Evaluator right;

        Arithmetic(Function function, Evaluator left, Evaluator right) {
            this.function = function;
            this.left = left;
            this.right = right;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!left.evaluate(row) || !right.evaluate(row)) {
                return false;
            }
            return switch (function) {
                case ADD -> sum(false);
                case SUBTRACT -> sum(true);
                case MULTIPLY -> product();
                case DIVIDE -> quotient();
                case REMAINDER -> remainder();
                default -> throw new IllegalStateException(function + " is no arithmetic");
            };
        }

        private boolean sum(boolean negative) {
            if (left.wide == null && right.wide == null) {
                int digits = Math.max(left.scale, right.scale);
                int leftDigits = digits - left.scale;
                int rightDigits = digits - right.scale;
                if (isScalable(left.fixed, leftDigits) && isScalable(right.fixed, rightDigits)) {
                    long a = left.fixed * POWERS[leftDigits];
                    long b = right.fixed * POWERS[rightDigits];
                    // Within the limits a number has a negative.
                    b = negative ? -b : b;
                    long sum = a + b;
                    if (((a ^ sum) & (b ^ sum)) >= 0) {
                        return decimal(sum, digits);
                    }
                }
            }
            return decimal(
                    negative ? left.big().subtract(right.big()) : left.big().add(right.big()));
        }

        private boolean product() {
            if (left.wide == null && right.wide == null) {
                long low = left.fixed * right.fixed;
                if (Math.multiplyHigh(left.fixed, right.fixed) == low >> 63) {
                    return decimal(low, left.scale + right.scale);
                }
            }
            return decimal(left.big().multiply(right.big()));
        }

        private boolean remainder() {
            if (right.sign() == 0) {
                throw new OutOfRange(Numbers.DIVISION_BY_ZERO);
            }
            if (left.wide == null && right.wide == null && left.scale == right.scale) {
                return decimal(left.fixed % right.fixed, left.scale);
            }
            int digits = Math.max(left.scale, right.scale);
            return decimal(left.big().remainder(right.big()).setScale(digits, RoundingMode.UNNECESSARY));
        }

        private boolean quotient() {
            if (right.sign() == 0) {
                throw new OutOfRange(Numbers.DIVISION_BY_ZERO);
            }
            BigDecimal dividend = left.big();
            BigDecimal divisor = right.big();
            return decimal(dividend.divide(divisor, quotientScale(dividend, divisor), RoundingMode.HALF_UP));
        }
    }

    /** PostgreSQL's select_div_scale: it estimates the quotient from the leading groups of four digits of both sides. */
    static int quotientScale(BigDecimal dividend, BigDecimal divisor) {
        int weight = weight(dividend) - weight(divisor);
        if (firstGroup(dividend) <= firstGroup(divisor)) {
            weight--;
        }
        int scale = SIGNIFICANT_DIGITS - weight * GROUP;
        scale = Math.max(scale, Math.max(dividend.scale(), divisor.scale()));
        return Math.min(Math.max(scale, 0), GREATEST_SCALE);
    }

    /** The power of 10,000 of the first group that is not zero. */
    private static int weight(BigDecimal value) {
        return value.signum() == 0 ? 0 : Math.floorDiv(value.precision() - value.scale() - 1, GROUP);
    }

    private static int firstGroup(BigDecimal value) {
        return value.signum() == 0
                ? 0
                : value.abs()
                        .movePointLeft(GROUP * weight(value))
                        .setScale(0, RoundingMode.DOWN)
                        .intValueExact();
    }

    /** {@code -} and {@code abs}. */
    static final class Sign extends Evaluator {
        private final Evaluator value;
        private final boolean absolute;

        Sign(Evaluator value, boolean absolute) {
            this.value = value;
            this.absolute = absolute;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            if (absolute && value.sign() >= 0) {
                return take(value);
            }
            boolean isShort = value.wide == null && value.fixed != Long.MIN_VALUE;
            return isShort
                    ? decimal(-value.fixed, value.scale)
                    : decimal(value.big().negate());
        }
    }

    /** {@code round}, {@code floor}, {@code ceil}: to so many digits, which may be negative. */
    static final class Rounded extends Evaluator {
        private final Evaluator value;
        private final int digits;
        private final RoundingMode mode;

        Rounded(Evaluator value, int digits, RoundingMode mode) {
            this.value = value;
            this.digits = digits;
            this.mode = mode;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            if (digits < 0) {
                return decimal(value.big().setScale(digits, mode).setScale(0, RoundingMode.UNNECESSARY));
            }
            return rescale(this, value, digits, mode);
        }
    }

    /** A cast to a number of digits, which the value must not exceed. */
    static final class Fitted extends Evaluator {
        private final Evaluator value;
        private final int precision;
        private final int digits;
        private final BigInteger limit;

        Fitted(Evaluator value, int precision, int digits) {
            this.value = value;
            this.precision = precision;
            this.digits = digits;
            this.limit = BigInteger.TEN.pow(precision);
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            rescale(this, value, digits, RoundingMode.HALF_UP);
            BigDecimal large = wide;
            if (large == null ? isTooLarge(fixed) : large.unscaledValue().abs().compareTo(limit) >= 0) {
                throw new OutOfRange("a number has more digits than numeric(" + precision + "," + digits + ") holds");
            }
            return true;
        }

        private boolean isTooLarge(long unscaled) {
            return precision <= LONGEST && (unscaled >= POWERS[precision] || unscaled <= -POWERS[precision]);
        }
    }

    /** Puts a node's decimal, with so many digits after the point, into another. */
    static boolean rescale(Evaluator into, Evaluator value, int digits, RoundingMode mode) {
        if (value.wide == null) {
            int further = digits - value.scale;
            if (further == 0) {
                return into.decimal(value.fixed, digits);
            }
            if (further > 0 && isScalable(value.fixed, further)) {
                return into.decimal(value.fixed * POWERS[further], digits);
            }
            if (further < 0 && -further <= LONGEST && mode == RoundingMode.HALF_UP) {
                long power = POWERS[-further];
                long quotient = value.fixed / power;
                long rest = Math.abs(value.fixed % power);
                if (rest >= power - rest) {
                    quotient += value.fixed < 0 ? -1 : 1;
                }
                return into.decimal(quotient, digits);
            }
        }
        return into.decimal(value.big().setScale(digits, mode));
    }

    /** An integer as a decimal. */
    static final class OfWhole extends Evaluator {
        private final Evaluator value;

        OfWhole(Evaluator value) {
            this.value = value;
        }

        @Override
        boolean evaluate(Slots row) {
            return value.evaluate(row) && decimal(value.fixed, 0);
        }
    }
}
