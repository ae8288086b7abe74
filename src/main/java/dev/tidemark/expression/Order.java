package dev.tidemark.expression;

import dev.tidemark.job.FieldType.Kind;
import java.math.BigDecimal;
import java.util.Arrays;

/** How the values of two nodes compare, both evaluated and not null. */
enum Order {
    FIXED {
        @Override
        int compare(Evaluator one, Evaluator other) {
            return Long.compare(one.fixed, other.fixed);
        }
    },
    /** NaN is itself and greater than all others. */
    FLOATING {
        @Override
        int compare(Evaluator one, Evaluator other) {
            return one.number < other.number
                    ? -1
                    : one.number > other.number
                            ? 1
                            : one.number == other.number ? 0 : Double.compare(one.number, other.number);
        }
    },
    DECIMAL {
        @Override
        int compare(Evaluator one, Evaluator other) {
            BigDecimal left = one.wide;
            BigDecimal right = other.wide;
            if (left == null && right == null) {
                if (one.scale == other.scale) {
                    return Long.compare(one.fixed, other.fixed);
                }
                int further = other.scale - one.scale;
                if (further > 0 && Decimals.isScalable(one.fixed, further)) {
                    return Long.compare(one.fixed * Decimals.power(further), other.fixed);
                }
                if (further < 0 && Decimals.isScalable(other.fixed, -further)) {
                    return Long.compare(one.fixed, other.fixed * Decimals.power(-further));
                }
            }
            return one.big().compareTo(other.big());
        }
    },
    /** Unsigned bytes; of UTF-8 that is the order of code points. */
    BYTES {
        @Override
        int compare(Evaluator one, Evaluator other) {
            return Arrays.compareUnsigned(
                    one.bytes, one.start, one.start + one.length, other.bytes, other.start, other.start + other.length);
        }

        @Override
        boolean areEqual(Evaluator one, Evaluator other) {
            return one.length == other.length
                    && Arrays.equals(
                            one.bytes,
                            one.start,
                            one.start + one.length,
                            other.bytes,
                            other.start,
                            other.start + other.length);
        }
    };

    abstract int compare(Evaluator one, Evaluator other);

    boolean areEqual(Evaluator one, Evaluator other) {
        return compare(one, other) == 0;
    }

    static Order of(Kind kind) {
        return switch (kind) {
            case BOOLEAN, INT, LONG, DATE, TIME, TIMESTAMP, LOCAL_TIMESTAMP -> FIXED;
            case FLOAT, DOUBLE -> FLOATING;
            case DECIMAL -> DECIMAL;
            case STRING, BYTES, UUID -> BYTES;
        };
    }
}
