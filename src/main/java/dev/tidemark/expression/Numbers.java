package dev.tidemark.expression;

import dev.tidemark.job.Function;

/** Arithmetic of integers and of floating-point numbers. */
final class Numbers {
    static final String DIVISION_BY_ZERO = "division by zero";
    static final String OVERFLOW = "a number is out of range";

    private Numbers() {}

    /** An integer of the type's range, or it cannot be computed. */
    static long ranged(long value, boolean isInt) {
        if (isInt && value != (int) value) {
            throw new OutOfRange("integer out of range");
        }
        return value;
    }

    /** {@code + - * / %} of integers; division cuts off. */
    static final class Whole extends Evaluator {
        private final Function function;
        private final Evaluator left;
        private final Evaluator right;
        private final boolean isInt;

        Whole(Function function, Evaluator left, Evaluator right, boolean isInt) {
            this.function = function;
            this.left = left;
            this.right = right;
            this.isInt = isInt;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!left.evaluate(row) || !right.evaluate(row)) {
                return false;
            }
            long a = left.fixed;
            long b = right.fixed;
            return whole(ranged(
                    switch (function) {
                        case ADD -> sum(a, b);
                        case SUBTRACT -> difference(a, b);
                        case MULTIPLY -> product(a, b);
                        case DIVIDE -> quotient(a, b);
                        case REMAINDER -> remainder(a, b);
                        default -> throw new IllegalStateException(function + " is no arithmetic");
                    },
                    isInt));
        }

        private static long sum(long a, long b) {
            long sum = a + b;
            if (((a ^ sum) & (b ^ sum)) < 0) {
                throw new OutOfRange("bigint out of range");
            }
            return sum;
        }

        private static long difference(long a, long b) {
            long difference = a - b;
            if (((a ^ b) & (a ^ difference)) < 0) {
                throw new OutOfRange("bigint out of range");
            }
            return difference;
        }

        private static long product(long a, long b) {
            long low = a * b;
            if (Math.multiplyHigh(a, b) != low >> 63) {
                throw new OutOfRange("bigint out of range");
            }
            return low;
        }

        private static long quotient(long a, long b) {
            if (b == 0) {
                throw new OutOfRange(DIVISION_BY_ZERO);
            }
            if (b == -1 && a == Long.MIN_VALUE) {
                throw new OutOfRange("bigint out of range");
            }
            return a / b;
        }

        private static long remainder(long a, long b) {
            if (b == 0) {
                throw new OutOfRange(DIVISION_BY_ZERO);
            }
            return a % b;
        }
    }

    /** {@code -} and {@code abs} of an integer. */
    static final class WholeSign extends Evaluator {
        private final Evaluator value;
        private final boolean absolute;
        private final boolean isInt;

        WholeSign(Evaluator value, boolean absolute, boolean isInt) {
            this.value = value;
            this.absolute = absolute;
            this.isInt = isInt;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            if (absolute && value.fixed >= 0) {
                return whole(value.fixed);
            }
            if (value.fixed == Long.MIN_VALUE) {
                throw new OutOfRange("bigint out of range");
            }
            return whole(ranged(-value.fixed, isInt));
        }
    }

    /** {@code + - * /} of floating-point numbers. */
    static final class Floating extends Evaluator {
        private final Function function;
        private final Evaluator left;
        private final Evaluator right;
        private final boolean isSingle;

        Floating(Function function, Evaluator left, Evaluator right, boolean isSingle) {
            this.function = function;
            this.left = left;
            this.right = right;
            this.isSingle = isSingle;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!left.evaluate(row) || !right.evaluate(row)) {
                return false;
            }
            double a = left.number;
            double b = right.number;
            double result = switch (function) {
                case ADD -> a + b;
                case SUBTRACT -> a - b;
                case MULTIPLY -> a * b;
                case DIVIDE -> quotient(a, b);
                default -> throw new IllegalStateException(function + " is no arithmetic");
            };
            result = isSingle ? (float) result : result;
            if (Double.isInfinite(result) && !Double.isInfinite(a) && !Double.isInfinite(b)) {
                throw new OutOfRange("value out of range: overflow");
            }
            boolean vanishes = result == 0
                    && a != 0
                    && (function == Function.MULTIPLY ? b != 0 : function == Function.DIVIDE && !Double.isInfinite(b));
            if (vanishes) {
                throw new OutOfRange("value out of range: underflow");
            }
            return floating(result);
        }

        private static double quotient(double a, double b) {
            if (b == 0 && !Double.isNaN(a)) {
                throw new OutOfRange(DIVISION_BY_ZERO);
            }
            return a / b;
        }
    }

    /** Functions of one floating-point number. */
    static final class FloatingOne extends Evaluator {
        private final Function function;
        private final Evaluator value;

        FloatingOne(Function function, Evaluator value) {
            this.function = function;
            this.value = value;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            return floating(
                    switch (function) {
                        case NEGATE -> -value.number;
                        case ABS -> Math.abs(value.number);
                        case ROUND -> Math.rint(value.number);
                        case FLOOR -> Math.floor(value.number);
                        case CEIL -> Math.ceil(value.number);
                        default -> throw new IllegalStateException(function + " is not of one number");
                    });
        }
    }
}
