package dev.tidemark.change.avro;

import dev.tidemark.change.DatumShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One step of decoding Avro's binary form: what stands at the cursor, and the slot that it goes to. */
final class Step {
    /** What to do with the bytes at the cursor. */
    enum Op {
        /** Passes over {@link #shape}. */
        SKIP,
        /** No bytes: the {@link #rules} have no value, which the reader schema does not allow. */
        MISSING,
        /** The fields of a record: {@link #steps}. */
        RECORD,
        /** An index into {@link #steps}. */
        UNION,
        /** No bytes in the record: the one of {@link #steps} reads {@link #constant}. */
        CONSTANT,
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
        /** long, of which the nanoseconds are cut off towards the past. */
        NANOS,
        /** A length, then as many bytes. */
        BYTES,
        /** {@link #size} bytes. */
        FIXED,
        ENUM,
        DECIMAL,
        DECIMAL_FIXED,
        UUID_TEXT,
        /** {@link #shape}, which the reader schema has no room for: {@link #problem} says why. */
        MISMATCH
    }

    private static final DatumShape NOTHING = DatumShape.nothing();
    private static final byte[][] NO_SYMBOLS = {};
    private static final Step[] NO_STEPS = {};
    private static final byte[] NO_BYTES = {};

    final Op op;
    /** What people call the place. */
    final String place;

    final int slot;
    final @Nullable SlotRule rule;
    final List<SlotRule> rules;

    // Each is set once, by the factory of its kind of step.
    DatumShape shape = NOTHING;
    int size;
    long factor = 1;
    String problem = "";
    /** By the writer's index, as UTF-8; an empty one is no symbol of the reader's. */
    byte[][] symbols = NO_SYMBOLS;

    /** By the writer's index, for messages. */
    List<String> written = List.of();

    Step[] steps = NO_STEPS;
    byte[] constant = NO_BYTES;

    @Nullable
    DecimalForm decimal;

    private Step(Op op, String place, @Nullable SlotRule rule, List<SlotRule> rules) {
        this.op = op;
        this.place = place;
        this.slot = rule == null ? -1 : rule.slot();
        this.rule = rule;
        this.rules = rules;
    }

    private Step(Op op, SlotRule rule) {
        this(op, "field " + rule.name(), rule, List.of(rule));
    }

    /** @param names of the writer's fields that are passed over */
    static Step skip(DatumShape shape, List<String> names) {
        String place = names.size() == 1
                ? "field " + names.get(0) + ", which the job does not read"
                : "the fields from " + names.get(0) + " to " + names.get(names.size() - 1)
                        + ", which the job does not read";
        Step step = new Step(Op.SKIP, place, null, List.of());
        step.shape = shape;
        return step;
    }

    /** A null that the reader schema allows: no bytes, and the slots are null already. */
    static Step nothing(FieldNode node) {
        return new Step(Op.SKIP, "field " + node.path(), null, List.of());
    }

    static Step missing(FieldNode node) {
        return new Step(Op.MISSING, "field " + node.path(), null, node.rules());
    }

    static Step record(FieldNode node, Step[] fields) {
        Step step = new Step(Op.RECORD, "field " + node.path(), null, node.rules());
        step.steps = fields;
        return step;
    }

    static Step union(FieldNode node, Step[] branches) {
        Step step = new Step(Op.UNION, "field " + node.path(), null, node.rules());
        step.steps = branches;
        return step;
    }

    static Step constant(FieldNode node, byte[] constant, Step reading) {
        Step step = new Step(Op.CONSTANT, "field " + node.path(), null, node.rules());
        step.constant = constant;
        step.steps = new Step[] {reading};
        return step;
    }

    static Step mismatch(FieldNode node, DatumShape shape, String problem) {
        Step step = new Step(Op.MISMATCH, "field " + node.path(), null, node.rules());
        step.shape = shape;
        step.problem = problem;
        return step;
    }

    static Step plain(Op op, SlotRule rule) {
        return new Step(op, rule);
    }

    static Step time(Op op, SlotRule rule, long factor) {
        Step step = new Step(op, rule);
        step.factor = factor;
        return step;
    }

    static Step fixed(SlotRule rule, int size) {
        Step step = new Step(Op.FIXED, rule);
        step.size = size;
        return step;
    }

    static Step symbols(SlotRule rule, byte[][] symbols, List<String> written) {
        Step step = new Step(Op.ENUM, rule);
        step.symbols = symbols;
        step.written = written;
        return step;
    }

    static Step decimal(SlotRule rule, DecimalForm form) {
        Step step = new Step(Op.DECIMAL, rule);
        step.decimal = form;
        return step;
    }

    static Step decimalFixed(SlotRule rule, int size, DecimalForm form) {
        Step step = new Step(Op.DECIMAL_FIXED, rule);
        step.size = size;
        step.decimal = form;
        return step;
    }

    /** The text goes to {@link #constant}, which is the step's own. */
    static Step uuidText(SlotRule rule) {
        Step step = new Step(Op.UUID_TEXT, rule);
        step.constant = new byte[UuidText.BYTES];
        return step;
    }
}
