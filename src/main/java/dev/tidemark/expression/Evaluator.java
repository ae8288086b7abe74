package dev.tidemark.expression;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * One node of an expression at work. {@link #evaluate} leaves the value in the node itself, where it stays until the next
 * record, so that nothing is boxed. Not thread-safe.
 *
 * <p>Fixed values, booleans among them, are in {@link #fixed}; floating-point ones in {@link #number}; variable ones are the
 * range of {@link #bytes}. A decimal is {@link #fixed} with {@link #scale} digits after the point, or {@link #wide} where a
 * long does not hold it. Its scale is that which PostgreSQL would show, because division goes by it.
 */
abstract class Evaluator {
    static final byte[] NO_BYTES = {};

    private static final BigInteger LEAST_LONG = BigInteger.valueOf(Long.MIN_VALUE);
    private static final int LONG_BITS = 63;

    long fixed;
    double number;
    byte[] bytes = NO_BYTES;
    int start;
    int length;
    int scale;

    @Nullable
    BigDecimal wide;

    /** Computes the value; false: it is null. */
    abstract boolean evaluate(Slots row);

    /** Whether a condition holds: neither false nor null. */
    final boolean isTrue(Slots row) {
        return evaluate(row) && fixed != 0;
    }

    /** Takes on another node's value. */
    final boolean take(Evaluator other) {
        fixed = other.fixed;
        number = other.number;
        bytes = other.bytes;
        start = other.start;
        length = other.length;
        scale = other.scale;
        wide = other.wide;
        return true;
    }

    final boolean truth(boolean value) {
        fixed = value ? 1 : 0;
        return true;
    }

    final boolean whole(long value) {
        fixed = value;
        return true;
    }

    /** A floating-point value; there is one zero. */
    final boolean floating(double value) {
        number = value == 0.0 ? 0.0 : value;
        return true;
    }

    final boolean text(byte[] source, int from, int count) {
        bytes = source;
        start = from;
        length = count;
        return true;
    }

    final boolean decimal(long unscaled, int digits) {
        fixed = unscaled;
        scale = digits;
        wide = null;
        return true;
    }

    final boolean decimal(BigDecimal value) {
        BigInteger unscaled = value.unscaledValue();
        scale = value.scale();
        if (unscaled.bitLength() <= LONG_BITS) {
            fixed = unscaled.longValue();
            wide = null;
        } else {
            wide = value;
        }
        return true;
    }

    /** The decimal of this node as an object. */
    final BigDecimal big() {
        BigDecimal value = wide;
        return value == null ? BigDecimal.valueOf(fixed, scale) : value;
    }

    /** The sign of the decimal of this node. */
    final int sign() {
        BigDecimal value = wide;
        return value == null ? Long.signum(fixed) : value.signum();
    }

    static boolean isLong(BigInteger value) {
        return value.bitLength() <= LONG_BITS || value.equals(LEAST_LONG);
    }
}
