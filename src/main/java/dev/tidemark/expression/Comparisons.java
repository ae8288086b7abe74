package dev.tidemark.expression;

import dev.tidemark.job.Function;
import java.util.Arrays;

/** Conditions that compare values. */
final class Comparisons {
    private Comparisons() {}

    /** Any comparison by its order. */
    static final class Compared extends Evaluator {
        private final Evaluator left;
        private final Evaluator right;
        private final Order order;
        private final boolean ifLess;
        private final boolean ifEqual;
        private final boolean ifGreater;

        Compared(Function function, Evaluator left, Evaluator right, Order order) {
            this.left = left;
            this.right = right;
            this.order = order;
            this.ifLess =
                    function == Function.LESS || function == Function.LESS_OR_EQUAL || function == Function.NOT_EQUAL;
            this.ifEqual = function == Function.EQUAL
                    || function == Function.LESS_OR_EQUAL
                    || function == Function.GREATER_OR_EQUAL;
            this.ifGreater = function == Function.GREATER
                    || function == Function.GREATER_OR_EQUAL
                    || function == Function.NOT_EQUAL;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!left.evaluate(row) || !right.evaluate(row)) {
                return false;
            }
            int compared = order.compare(left, right);
            return truth(compared < 0 ? ifLess : compared == 0 ? ifEqual : ifGreater);
        }
    }

    /** {@code =} and {@code <>} of a text field and a constant: only bytes are looked at. */
    static final class TextAgainst extends Evaluator {
        private final int slot;
        private final byte[] constant;
        private final boolean ifEqual;

        TextAgainst(int slot, byte[] constant, boolean ifEqual) {
            this.slot = slot;
            this.constant = constant;
            this.ifEqual = ifEqual;
        }

        @Override
        boolean evaluate(Slots row) {
            if (row.isNull(slot)) {
                return false;
            }
            int count = row.length(slot);
            if (count != constant.length) {
                return truth(!ifEqual);
            }
            int from = row.start(slot);
            return truth(Arrays.equals(row.bytes(slot), from, from + count, constant, 0, constant.length) == ifEqual);
        }
    }

    /** {@code is [not] distinct from}: null is like null. */
    static final class Distinct extends Evaluator {
        private final Evaluator left;
        private final Evaluator right;
        private final Order order;
        private final boolean ifDistinct;

        Distinct(Evaluator left, Evaluator right, Order order, boolean ifDistinct) {
            this.left = left;
            this.right = right;
            this.order = order;
            this.ifDistinct = ifDistinct;
        }

        @Override
        boolean evaluate(Slots row) {
            boolean isLeft = left.evaluate(row);
            boolean isRight = right.evaluate(row);
            boolean isSame = isLeft == isRight && (!isLeft || order.areEqual(left, right));
            return truth(isSame != ifDistinct);
        }
    }

    /** {@code in}: true if one is equal, else null if one is null. */
    static final class In extends Evaluator {
        private final Evaluator[] candidates;
        private final Order[] orders;
        private final Evaluator[] values;

        /**
         * In of candidates.
         *
         * @param values the value, as each candidate is compared with it
         */
        In(Evaluator[] values, Evaluator[] candidates, Order[] orders) {
            this.values = values;
            this.candidates = candidates;
            this.orders = orders;
        }

        @Override
        boolean evaluate(Slots row) {
            boolean isKnown = true;
            for (int i = 0; i < candidates.length; i++) {
                if (!values[i].evaluate(row)) {
                    return false;
                }
                if (!candidates[i].evaluate(row)) {
                    isKnown = false;
                } else if (orders[i].areEqual(values[i], candidates[i])) {
                    return truth(true);
                }
            }
            return isKnown && truth(false);
        }
    }

    /** {@code in} of a text field and constants that are not null. */
    static final class TextAmong extends Evaluator {
        private final int slot;
        private final byte[][] constants;

        TextAmong(int slot, byte[][] constants) {
            this.slot = slot;
            this.constants = constants;
        }

        @Override
        boolean evaluate(Slots row) {
            if (row.isNull(slot)) {
                return false;
            }
            int from = row.start(slot);
            int count = row.length(slot);
            byte[] source = row.bytes(slot);
            for (byte[] constant : constants) {
                if (constant.length == count && Arrays.equals(source, from, from + count, constant, 0, count)) {
                    return truth(true);
                }
            }
            return truth(false);
        }
    }
}
