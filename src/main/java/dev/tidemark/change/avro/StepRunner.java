package dev.tidemark.change.avro;

import dev.tidemark.change.Draft;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;

/**
 * Runs steps over a range of bytes. Strings and bytes go to the draft as ranges of the same array.
 *
 * <p>A value that its slot cannot hold is a fault of the slot, behind which reading goes on: a delete may have it. Where a
 * value ends cannot be told is the end of the record.
 */
final class StepRunner {
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MICROS_A_DAY = 86_400_000_000L;
    private static final int LONGEST_VARINT = 10;
    private static final int LAST_SHIFT = 63;

    private final SlotRules rules;
    private byte[] bytes = {};
    private int at;
    private int end;

    StepRunner(SlotRules rules) {
        this.rules = rules;
    }

    /** Runs all steps over the range, which they must use up. */
    void run(Step[] steps, byte[] source, int start, int length, Draft draft) {
        bytes = source;
        at = start;
        end = start + length;
        for (Step step : steps) {
            run(step, draft);
        }
        if (at != end) {
            throw new Undecodable("%d bytes are left over behind the last field", end - at);
        }
    }

    /** Runs a step at the cursor; one that reads nothing of the record may be run by itself. */
    void run(Step step, Draft draft) {
        try {
            perform(step, draft);
        } catch (Broken broken) {
            throw new Undecodable("%s%s%s", broken.before, step.place, broken.behind);
        }
    }

    private void perform(Step step, Draft draft) {
        switch (step.op) {
            case SKIP -> skip(step);
            case MISSING -> missing(step.rules);
            case RECORD -> {
                for (Step field : step.steps) {
                    run(field, draft);
                }
            }
            case UNION -> union(step, draft);
            case CONSTANT -> constant(step, draft);
            case BOOLEAN -> bool(step, draft);
            case INT -> integer(step, draft);
            case LONG -> draft.setFixed(step.slot, varint());
            case LONG_AS_FLOAT -> draft.setDouble(step.slot, (float) varint());
            case LONG_AS_DOUBLE -> draft.setDouble(step.slot, (double) varint());
            case FLOAT -> draft.setDouble(step.slot, Float.intBitsToFloat((int) INTS.get(bytes, range(Float.BYTES))));
            case DOUBLE ->
                draft.setDouble(step.slot, Double.longBitsToDouble((long) LONGS.get(bytes, range(Double.BYTES))));
            case TIME -> time(step, draft);
            case TIME_OF_DAY -> timeOfDay(step, draft);
            case NANOS -> draft.setFixed(step.slot, Math.floorDiv(varint(), 1000L));
            case BYTES -> {
                int length = length(step);
                draft.setBytes(step.slot, bytes, range(length), length);
            }
            case FIXED -> draft.setBytes(step.slot, bytes, range(step.size), step.size);
            case ENUM -> symbol(step, draft);
            case DECIMAL -> {
                int length = length(step);
                decimal(step, range(length), length, draft);
            }
            case DECIMAL_FIXED -> decimal(step, range(step.size), step.size, draft);
            case UUID_TEXT -> uuid(step, draft);
            case MISMATCH -> {
                skip(step);
                unreadable(step.rules, step.problem);
            }
        }
    }

    private void skip(Step step) {
        int after = step.shape.skip(bytes, at, end);
        if (after < 0) {
            throw new Undecodable("the record breaks off or is damaged inside %s", step.place);
        }
        at = after;
    }

    private void missing(List<SlotRule> without) {
        for (int i = 0; i < without.size(); i++) {
            rules.missing(without.get(i));
        }
    }

    private void unreadable(List<SlotRule> faulty, String problem) {
        for (int i = 0; i < faulty.size(); i++) {
            rules.unreadable(faulty.get(i), new Undecodable("%s", problem));
        }
    }

    private void union(Step step, Draft draft) {
        long branch = varint();
        if (branch < 0 || branch >= step.steps.length) {
            throw new Undecodable("%s: the union has no branch %d", step.place, branch);
        }
        run(step.steps[(int) branch], draft);
    }

    private void constant(Step step, Draft draft) {
        byte[] outer = bytes;
        int outerAt = at;
        int outerEnd = end;
        run(step.steps, step.constant, 0, step.constant.length, draft);
        bytes = outer;
        at = outerAt;
        end = outerEnd;
    }

    private void bool(Step step, Draft draft) {
        byte value = bytes[range(1)];
        if (value == 0 || value == 1) {
            draft.setFixed(step.slot, value);
        } else {
            unreadable(step.rules, step.place + ": " + value + " is no boolean");
        }
    }

    private void integer(Step step, Draft draft) {
        long value = varint();
        if (value == (int) value) {
            draft.setFixed(step.slot, value);
        } else {
            unreadable(step.rules, step.place + ": " + value + " is no int");
        }
    }

    private void time(Step step, Draft draft) {
        long value = varint();
        long micros = value * step.factor;
        if (step.factor != 1 && Math.multiplyHigh(value, step.factor) != micros >> 63) {
            rules.outOfRange(rule(step), draft, value + " ms");
            micros = value < 0 ? -Long.MAX_VALUE : Long.MAX_VALUE;
        }
        draft.setFixed(step.slot, micros);
    }

    private void timeOfDay(Step step, Draft draft) {
        long value = varint();
        if (value < 0 || value >= MICROS_A_DAY / step.factor) {
            rules.outOfRange(rule(step), draft, "the time of day " + value);
            return;
        }
        draft.setFixed(step.slot, value * step.factor);
    }

    private void symbol(Step step, Draft draft) {
        long index = varint();
        if (index < 0 || index >= step.symbols.length) {
            throw new Undecodable("%s: the enum has no symbol %d", step.place, index);
        }
        byte[] symbol = step.symbols[(int) index];
        if (symbol.length > 0) {
            draft.setBytes(step.slot, symbol, 0, symbol.length);
        } else {
            unreadable(
                    step.rules,
                    step.place + ": the reader's enum lacks the writer's symbol " + step.written.get((int) index)
                            + ", and has no default");
        }
    }

    private void decimal(Step step, int from, int length, Draft draft) {
        try {
            Objects.requireNonNull(step.decimal).put(draft, bytes, from, length);
        } catch (Undecodable fault) {
            rules.unreadable(rule(step), fault);
        }
    }

    private void uuid(Step step, Draft draft) {
        int length = length(step);
        int from = range(length);
        try {
            UuidText.parse(rule(step), bytes, from, length, step.constant);
            draft.setBytes(step.slot, step.constant, 0, UuidText.BYTES);
        } catch (Undecodable fault) {
            rules.unreadable(rule(step), fault);
        }
    }

    private int length(Step step) {
        long length = varint();
        if (length < 0 || length > end - at) {
            throw new Undecodable("%s: it claims to be %d bytes long, and %d are left", step.place, length, end - at);
        }
        return (int) length;
    }

    /** Moves on and gives the place before. */
    private int range(int length) {
        int from = at;
        if (length > end - from) {
            throw Broken.off();
        }
        at = from + length;
        return from;
    }

    private long varint() {
        byte[] source = bytes;
        int from = at;
        int limit = Math.min(end, from + LONGEST_VARINT);
        long bits = 0;
        int shift = 0;
        while (from < limit) {
            byte b = source[from++];
            bits |= (b & 0x7fL) << shift;
            if (b >= 0) {
                if (shift == LAST_SHIFT && b > 1) {
                    break;
                }
                at = from;
                return (bits >>> 1) ^ -(bits & 1);
            }
            shift += 7;
        }
        throw shift < LAST_SHIFT ? Broken.off() : Broken.tooLarge();
    }

    private static SlotRule rule(Step step) {
        return Objects.requireNonNull(step.rule);
    }

    /** A fault at the cursor, of which the step knows the place. */
    private static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final String before;
        private final String behind;

        private Broken(String before, String behind) {
            super(before + behind, null, false, false);
            this.before = before;
            this.behind = behind;
        }

        private static Broken off() {
            return new Broken("the record breaks off inside ", "");
        }

        private static Broken tooLarge() {
            return new Broken("", ": a number of more than 64 bits");
        }
    }
}
