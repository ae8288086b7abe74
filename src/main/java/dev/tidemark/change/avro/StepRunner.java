package dev.tidemark.change.avro;

import dev.tidemark.change.DatumShape;
import dev.tidemark.change.Draft;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/** Runs steps over a range of bytes. Strings and bytes go to the draft as ranges of the same array. */
final class StepRunner {
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MICROS_A_DAY = 86_400_000_000L;

    private final SlotRules rules;
    private byte[] bytes = {};
    private int at;
    private int end;

    StepRunner(SlotRules rules) {
        this.rules = rules;
    }

    /** Runs all steps over the range, which they must use up. */
    void run(Step[] steps, byte[] source, int start, int length, Draft draft) {
        begin(source, start, length);
        for (Step step : steps) {
            run(step, draft);
        }
        finish();
    }

    /** Runs one step over a range that is its own. */
    void run(Step step, byte[] source, Draft draft) {
        begin(source, 0, source.length);
        run(step, draft);
        finish();
    }

    private void begin(byte[] source, int start, int length) {
        bytes = source;
        at = start;
        end = start + length;
    }

    private void finish() {
        if (at != end) {
            throw new Undecodable("%d bytes are left over behind the last field", end - at);
        }
    }

    private void run(Step step, Draft draft) {
        switch (step.op) {
            case SKIP -> skip(step.shape);
            case NULL -> rules.missing(rule(step));
            case BOOLEAN -> bool(step, draft);
            case INT -> draft.setFixed(step.slot, integer(step));
            case LONG -> draft.setFixed(step.slot, varint());
            case LONG_AS_FLOAT -> draft.setDouble(step.slot, (float) varint());
            case LONG_AS_DOUBLE -> draft.setDouble(step.slot, (double) varint());
            case FLOAT -> draft.setDouble(step.slot, Float.intBitsToFloat((int) INTS.get(bytes, range(4))));
            case DOUBLE -> draft.setDouble(step.slot, Double.longBitsToDouble((long) LONGS.get(bytes, range(8))));
            case TIME -> time(step, draft);
            case TIME_OF_DAY -> timeOfDay(step, draft);
            case BYTES -> {
                int length = length();
                draft.setBytes(step.slot, bytes, range(length), length);
            }
            case FIXED -> draft.setBytes(step.slot, bytes, range(step.size), step.size);
            case ENUM -> symbol(step, draft);
            case DECIMAL -> {
                int length = length();
                Objects.requireNonNull(step.decimal).put(draft, bytes, range(length), length);
            }
            case DECIMAL_FIXED -> Objects.requireNonNull(step.decimal).put(draft, bytes, range(step.size), step.size);
            case UUID_TEXT -> {
                int length = length();
                draft.setBytes(step.slot, UuidText.parse(rule(step), bytes, range(length), length), 0, 16);
            }
            case UNION -> {
                long branch = varint();
                if (branch < 0 || branch >= step.branches.length) {
                    throw new Undecodable(
                            "field %s: the union has no branch %d", rule(step).name(), branch);
                }
                run(step.branches[(int) branch], draft);
            }
            case MISMATCH -> throw new Undecodable("%s", String.valueOf(step.problem));
        }
    }

    private void skip(DatumShape shape) {
        int after = shape.skip(bytes, at, end);
        if (after < 0) {
            throw breaksOff();
        }
        at = after;
    }

    private void bool(Step step, Draft draft) {
        byte value = bytes[range(1)];
        if (value != 0 && value != 1) {
            throw new Undecodable("field %s: %d is no boolean", rule(step).name(), value);
        }
        draft.setFixed(step.slot, value);
    }

    private long integer(Step step) {
        long value = varint();
        if (value != (int) value) {
            throw new Undecodable("field %s: %d is no int", rule(step).name(), value);
        }
        return value;
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
            throw new Undecodable(
                    "field %s: the enum has no symbol %d", rule(step).name(), index);
        }
        byte[] symbol = step.symbols[(int) index];
        if (symbol.length == 0) {
            throw new Undecodable(
                    "field %s: the reader's enum lacks the writer's symbol %d",
                    rule(step).name(), index);
        }
        draft.setBytes(step.slot, symbol, 0, symbol.length);
    }

    private int length() {
        long length = varint();
        if (length < 0 || length > end - at) {
            throw breaksOff();
        }
        return (int) length;
    }

    /** Moves on and gives the place before. */
    private int range(int length) {
        int from = at;
        if (length > end - from) {
            throw breaksOff();
        }
        at = from + length;
        return from;
    }

    private long varint() {
        byte[] source = bytes;
        int from = at;
        int limit = Math.min(end, from + 10);
        long bits = 0;
        int shift = 0;
        while (from < limit) {
            byte b = source[from++];
            bits |= (b & 0x7fL) << shift;
            if (b >= 0) {
                at = from;
                return (bits >>> 1) ^ -(bits & 1);
            }
            shift += 7;
        }
        throw breaksOff();
    }

    private static SlotRule rule(Step step) {
        return Objects.requireNonNull(step.rule);
    }

    private static Undecodable breaksOff() {
        return new Undecodable("the record breaks off inside a field");
    }
}
