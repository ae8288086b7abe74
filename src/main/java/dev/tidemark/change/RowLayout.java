package dev.tidemark.change;

import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import java.io.Serializable;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of a fixed list of typed values, each of which may be null: a bitmap (bit set: not null), then the
 * values that are not null, fixed ones in eight bytes, others behind a varint length. Equal values have equal bytes.
 */
public final class RowLayout implements Serializable {
    private static final long serialVersionUID = 1L;

    private final List<FieldType> types;
    private final boolean[] isFixed;

    public RowLayout(List<FieldType> types) {
        this.types = List.copyOf(types);
        this.isFixed = new boolean[types.size()];
        for (int i = 0; i < isFixed.length; i++) {
            isFixed[i] = types.get(i).isFixed();
        }
    }

    public static RowLayout ofFields(List<Field> fields) {
        return new RowLayout(fields.stream().map(Field::type).toList());
    }

    public List<FieldType> types() {
        return types;
    }

    public int size() {
        return isFixed.length;
    }

    /** Encodes slots of a draft, one a value of the layout. */
    public Bytes encode(ByteBuilder scratch, Draft draft, int[] slots) {
        begin(scratch);
        for (int i = 0; i < slots.length; i++) {
            int slot = slots[i];
            if (draft.isNull(slot)) {
                continue;
            }
            if (isFixed[i]) {
                putFixed(scratch, i, draft.fixed(slot));
            } else {
                putBytes(scratch, i, draft.bytes(slot), draft.start(slot), draft.length(slot));
            }
        }
        return scratch.build();
    }

    /** Starts an encoding of which no value is set; {@code putFixed} and {@code putBytes} follow in order. */
    public void begin(ByteBuilder scratch) {
        scratch.clear();
        for (int i = 0; i < isFixed.length; i += 8) {
            scratch.put(0);
        }
    }

    public void putFixed(ByteBuilder scratch, int index, long value) {
        scratch.setBit(index >> 3, index & 7);
        scratch.putLong(value);
    }

    public void putBytes(ByteBuilder scratch, int index, byte[] source, int start, int length) {
        scratch.setBit(index >> 3, index & 7);
        scratch.putVarint(length);
        scratch.put(source, start, length);
    }

    /** Puts a decimal in the form that its type has. */
    public void putDecimal(ByteBuilder scratch, int index, BigInteger unscaled) {
        if (isFixed[index]) {
            putFixed(scratch, index, unscaled.longValueExact());
        } else {
            byte[] bytes = unscaled.toByteArray();
            putBytes(scratch, index, bytes, 0, bytes.length);
        }
    }

    /** The values as Java objects, see {@link Values}. */
    public List<@Nullable Object> values(Bytes encoded) {
        Cursor cursor = new Cursor(this);
        cursor.read(encoded.array());
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < isFixed.length; i++) {
            values.add(cursor.value(i));
        }
        return values;
    }

    /** Random access to one encoded row. Reused from row to row. */
    public static final class Cursor {
        private final RowLayout layout;
        private final int[] start;
        private final int[] length;
        private byte[] source = new byte[0];

        public Cursor(RowLayout layout) {
            this.layout = layout;
            this.start = new int[layout.size()];
            this.length = new int[layout.size()];
        }

        /** Finds where the values of a row lie. */
        public Cursor read(byte[] row) {
            source = row;
            int at = (layout.isFixed.length + 7) >> 3;
            for (int i = 0; i < layout.isFixed.length; i++) {
                if ((row[i >> 3] & (1 << (i & 7))) == 0) {
                    start[i] = -1;
                } else if (layout.isFixed[i]) {
                    start[i] = at;
                    length[i] = 8;
                    at += 8;
                } else {
                    int size = 0;
                    int shift = 0;
                    byte next;
                    do {
                        next = row[at++];
                        size |= (next & 0x7f) << shift;
                        shift += 7;
                    } while (next < 0);
                    start[i] = at;
                    length[i] = size;
                    at += size;
                }
            }
            return this;
        }

        public boolean isNull(int index) {
            return start[index] < 0;
        }

        public long fixed(int index) {
            long value = 0;
            for (int i = start[index], end = i + 8; i < end; i++) {
                value = (value << 8) | (source[i] & 0xff);
            }
            return value;
        }

        public byte[] source() {
            return source;
        }

        public int start(int index) {
            return start[index];
        }

        public int length(int index) {
            return length[index];
        }

        /** A decimal's unscaled value, in whichever form its type has. */
        public BigInteger unscaled(int index) {
            return layout.isFixed[index]
                    ? BigInteger.valueOf(fixed(index))
                    : new BigInteger(source, start[index], length[index]);
        }

        /** The value as a Java object, see {@link Values}. */
        public @Nullable Object value(int index) {
            if (isNull(index)) {
                return null;
            }
            FieldType type = layout.types.get(index);
            return layout.isFixed[index]
                    ? Values.ofFixed(type, fixed(index))
                    : Values.ofBytes(type, source, start[index], length[index]);
        }
    }
}
