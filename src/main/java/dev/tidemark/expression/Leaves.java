package dev.tidemark.expression;

import java.math.BigDecimal;
import java.math.BigInteger;

/** The nodes without parts: fields and constants. */
final class Leaves {
    private Leaves() {}

    /** A field of eight bytes. */
    static final class FixedField extends Evaluator {
        private final int slot;

        FixedField(int slot) {
            this.slot = slot;
        }

        @Override
        boolean evaluate(Slots row) {
            return !row.isNull(slot) && whole(row.fixed(slot));
        }
    }

    /** A floating-point field. */
    static final class FloatingField extends Evaluator {
        private final int slot;

        FloatingField(int slot) {
            this.slot = slot;
        }

        @Override
        boolean evaluate(Slots row) {
            return !row.isNull(slot) && floating(Double.longBitsToDouble(row.fixed(slot)));
        }
    }

    /** A decimal that a long holds. */
    static final class DecimalField extends Evaluator {
        private final int slot;
        private final int digits;

        DecimalField(int slot, int digits) {
            this.slot = slot;
            this.digits = digits;
        }

        @Override
        boolean evaluate(Slots row) {
            return !row.isNull(slot) && decimal(row.fixed(slot), digits);
        }
    }

    /** A decimal in bytes, most of which a long holds too. */
    static final class WideField extends Evaluator {
        private final int slot;
        private final int digits;

        WideField(int slot, int digits) {
            this.slot = slot;
            this.digits = digits;
        }

        @Override
        boolean evaluate(Slots row) {
            if (row.isNull(slot)) {
                return false;
            }
            byte[] source = row.bytes(slot);
            int from = row.start(slot);
            int count = row.length(slot);
            if (count > Long.BYTES) {
                return decimal(new BigDecimal(new BigInteger(source, from, count), digits));
            }
            long value = source[from];
            for (int i = from + 1; i < from + count; i++) {
                value = value << 8 | (source[i] & 0xff);
            }
            return decimal(value, digits);
        }
    }

    /** A field in bytes. */
    static final class VariableField extends Evaluator {
        private final int slot;

        VariableField(int slot) {
            this.slot = slot;
        }

        @Override
        boolean evaluate(Slots row) {
            return !row.isNull(slot) && text(row.bytes(slot), row.start(slot), row.length(slot));
        }
    }

    /** A value that is there already, or null. */
    static final class Constant extends Evaluator {
        private final boolean isKnown;

        private Constant(boolean isKnown) {
            this.isKnown = isKnown;
        }

        static Constant none() {
            return new Constant(false);
        }

        static Constant ofFixed(long value) {
            Constant constant = new Constant(true);
            constant.whole(value);
            return constant;
        }

        static Constant ofFloating(double value) {
            Constant constant = new Constant(true);
            constant.floating(value);
            return constant;
        }

        static Constant ofDecimal(BigDecimal value) {
            Constant constant = new Constant(true);
            constant.decimal(value);
            return constant;
        }

        static Constant ofBytes(byte[] value) {
            Constant constant = new Constant(true);
            constant.text(value, 0, value.length);
            return constant;
        }

        @Override
        boolean evaluate(Slots row) {
            return isKnown;
        }
    }
}
