package dev.tidemark.change;

import dev.tidemark.job.FieldType;
import java.math.BigInteger;

/**
 * An encoding of typed tuples whose unsigned byte order is the order of the tuples. Nulls, where allowed, are lowest.
 *
 * <p>Integers and times: eight bytes, sign flipped. Floating point: IEEE bits, all flipped when negative, else the sign
 * flipped. Long decimals: two's complement in as many bytes as the precision needs, sign flipped. Byte strings: 0x00 is
 * written as 0x00 0xFF, the end as 0x00 0x00. uuid: its sixteen bytes.
 */
public final class OrderedBytes {
    private OrderedBytes() {}

    /** Appends a slot that may be null, behind a byte 0 (null) or 1. */
    public static void putNullable(ByteBuilder out, FieldType type, Draft draft, int slot) {
        if (draft.isNull(slot)) {
            out.put(0);
        } else {
            out.put(1);
            put(out, type, draft, slot);
        }
    }

    /** Appends a slot that is not null. */
    public static void put(ByteBuilder out, FieldType type, Draft draft, int slot) {
        if (type.isFixed()) {
            out.putLong(ordered(type, draft.fixed(slot)));
        } else {
            putVariable(out, type, draft.bytes(slot), draft.start(slot), draft.length(slot));
        }
    }

    /** A fixed value as a long whose unsigned order is the value's order. */
    public static long ordered(FieldType type, long fixed) {
        if (type.isFloatingPoint()) {
            return fixed < 0 ? ~fixed : fixed ^ Long.MIN_VALUE;
        }
        return fixed ^ Long.MIN_VALUE;
    }

    /** The inverse of {@link #ordered}. */
    public static long unordered(FieldType type, long ordered) {
        if (type.isFloatingPoint()) {
            return ordered < 0 ? ordered ^ Long.MIN_VALUE : ~ordered;
        }
        return ordered ^ Long.MIN_VALUE;
    }

    /** Appends a variable value. */
    public static void putVariable(ByteBuilder out, FieldType type, byte[] source, int start, int length) {
        switch (type.kind()) {
            case UUID -> out.put(source, start, length);
            case DECIMAL -> {
                int width = decimalWidth(type.precision());
                int fill = source[start] < 0 ? 0xff : 0;
                for (int i = length; i < width; i++) {
                    out.put(i == length ? fill ^ 0x80 : fill);
                }
                if (length == width) {
                    out.put(source[start] ^ 0x80);
                    out.put(source, start + 1, length - 1);
                } else {
                    out.put(source, start, length);
                }
            }
            default -> {
                for (int i = start; i < start + length; i++) {
                    out.put(source[i]);
                    if (source[i] == 0) {
                        out.put(0xff);
                    }
                }
                out.put(0);
                out.put(0);
            }
        }
    }

    /** The bytes that the greatest unscaled value of a precision needs in two's complement. */
    static int decimalWidth(int precision) {
        return BigInteger.TEN.pow(precision).bitLength() / 8 + 1;
    }

    /** Reads values back in the order in which they were written. */
    public static final class Reader {
        private final byte[] source;
        private int at;

        public Reader(Bytes encoded) {
            this.source = encoded.array();
        }

        /** The next value as {@link Values} gives it. */
        public Object next(FieldType type) {
            if (type.isFixed()) {
                long ordered = 0;
                for (int i = 0; i < 8; i++) {
                    ordered = (ordered << 8) | (source[at++] & 0xff);
                }
                return Values.ofFixed(type, unordered(type, ordered));
            }
            byte[] content = switch (type.kind()) {
                case UUID -> range(16);
                case DECIMAL -> {
                    byte[] unscaled = range(decimalWidth(type.precision()));
                    unscaled[0] ^= (byte) 0x80;
                    yield unscaled;
                }
                default -> unescaped();
            };
            return Values.ofBytes(type, content, 0, content.length);
        }

        private byte[] range(int length) {
            at += length;
            return java.util.Arrays.copyOfRange(source, at - length, at);
        }

        private byte[] unescaped() {
            java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
            while (true) {
                byte next = source[at++];
                if (next != 0) {
                    out.write(next);
                } else if (source[at++] == 0) {
                    return out.toByteArray();
                } else {
                    out.write(0);
                }
            }
        }
    }
}
