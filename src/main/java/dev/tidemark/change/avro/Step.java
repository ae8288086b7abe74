package dev.tidemark.change.avro;

import dev.tidemark.change.DatumShape;
import org.jspecify.annotations.Nullable;

/** One step of decoding Avro's binary form: what stands at the cursor, and the slot that it goes to. */
final class Step {
    /** What to do with the bytes at the cursor. */
    enum Op {
        SKIP,
        NULL,
        BOOLEAN,
        INT,
        LONG,
        LONG_AS_FLOAT,
        LONG_AS_DOUBLE,
        FLOAT,
        DOUBLE,
        /** int or long, in a unit of {@link #factor} microseconds. */
        TIME,
        TIME_OF_DAY,
        /** A length, then as many bytes. */
        BYTES,
        /** {@link #size} bytes. */
        FIXED,
        ENUM,
        DECIMAL,
        DECIMAL_FIXED,
        UUID_TEXT,
        UNION,
        /** A value that the reader schema has no room for: {@link #problem} says why. */
        MISMATCH
    }

    private static final DatumShape NOTHING = DatumShape.nothing();
    private static final byte[][] NO_SYMBOLS = {};
    private static final Step[] NO_BRANCHES = {};

    final Op op;
    final int slot;
    final @Nullable SlotRule rule;
    /** What is skipped. */
    final DatumShape shape;

    final int size;
    final long factor;
    final @Nullable String problem;
    /** By the writer's index, as UTF-8; an empty one is no symbol of the reader's. */
    final byte[][] symbols;

    final Step[] branches;
    final @Nullable DecimalForm decimal;

    private Step(
            Op op,
            @Nullable SlotRule rule,
            DatumShape shape,
            int size,
            long factor,
            @Nullable String problem,
            byte[][] symbols,
            Step[] branches,
            @Nullable DecimalForm decimal) {
        this.op = op;
        this.slot = rule == null ? -1 : rule.slot();
        this.rule = rule;
        this.shape = shape;
        this.size = size;
        this.factor = factor;
        this.problem = problem;
        this.symbols = symbols;
        this.branches = branches;
        this.decimal = decimal;
    }

    static Step skip(DatumShape shape) {
        return new Step(Op.SKIP, null, shape, 0, 1, null, NO_SYMBOLS, NO_BRANCHES, null);
    }

    static Step plain(Op op, SlotRule rule) {
        return new Step(op, rule, NOTHING, 0, 1, null, NO_SYMBOLS, NO_BRANCHES, null);
    }

    static Step time(Op op, SlotRule rule, long factor) {
        return new Step(op, rule, NOTHING, 0, factor, null, NO_SYMBOLS, NO_BRANCHES, null);
    }

    static Step fixed(SlotRule rule, int size) {
        return new Step(Op.FIXED, rule, NOTHING, size, 1, null, NO_SYMBOLS, NO_BRANCHES, null);
    }

    static Step symbols(SlotRule rule, byte[][] symbols) {
        return new Step(Op.ENUM, rule, NOTHING, 0, 1, null, symbols, NO_BRANCHES, null);
    }

    static Step decimal(SlotRule rule, DecimalForm form) {
        return new Step(Op.DECIMAL, rule, NOTHING, 0, 1, null, NO_SYMBOLS, NO_BRANCHES, form);
    }

    static Step decimalFixed(SlotRule rule, int size, DecimalForm form) {
        return new Step(Op.DECIMAL_FIXED, rule, NOTHING, size, 1, null, NO_SYMBOLS, NO_BRANCHES, form);
    }

    static Step union(SlotRule rule, Step[] branches) {
        return new Step(Op.UNION, rule, NOTHING, 0, 1, null, NO_SYMBOLS, branches, null);
    }

    static Step mismatch(SlotRule rule, String problem) {
        return new Step(Op.MISMATCH, rule, NOTHING, 0, 1, problem, NO_SYMBOLS, NO_BRANCHES, null);
    }
}
