package dev.tidemark.change;

import java.util.ArrayList;
import java.util.List;

/**
 * How long the data of a schema are in Avro's binary encoding: finds where a datum ends without making anything of it.
 * Built bottom-up from the parts of a schema; records may contain themselves.
 */
public final class DatumShape {
    /** The datum runs out of its range or cannot be of the shape. */
    public static final int UNREADABLE = -1;

    private static final int DEEPEST = 500;

    private enum Kind {
        NOTHING,
        BOOLEAN,
        VARINT,
        FIXED,
        BYTES,
        ARRAY,
        MAP,
        UNION,
        RECORD
    }

    private Kind kind;
    private final int size;
    private DatumShape[] parts;

    private DatumShape(Kind kind, int size, DatumShape... parts) {
        this.kind = kind;
        this.size = size;
        this.parts = parts;
    }

    /** null. */
    public static DatumShape nothing() {
        return new DatumShape(Kind.NOTHING, 0);
    }

    /** One byte. */
    public static DatumShape bool() {
        return new DatumShape(Kind.BOOLEAN, 1);
    }

    /** int, long, enum. */
    public static DatumShape varint() {
        return new DatumShape(Kind.VARINT, 0);
    }

    /** float, double, fixed. */
    public static DatumShape fixed(int size) {
        return size == 0 ? nothing() : new DatumShape(Kind.FIXED, size);
    }

    /** string, bytes. */
    public static DatumShape bytes() {
        return new DatumShape(Kind.BYTES, 0);
    }

    public static DatumShape array(DatumShape item) {
        return new DatumShape(Kind.ARRAY, 0, item);
    }

    public static DatumShape map(DatumShape value) {
        return new DatumShape(Kind.MAP, 0, value);
    }

    public static DatumShape union(List<DatumShape> branches) {
        return new DatumShape(Kind.UNION, 0, branches.toArray(DatumShape[]::new));
    }

    /** A record whose fields are told by {@link #fields}, so that they can contain it. */
    public static DatumShape record() {
        return new DatumShape(Kind.RECORD, 0);
    }

    /** Tells the fields of a record. */
    public DatumShape fields(List<DatumShape> fields) {
        List<DatumShape> joined = new ArrayList<>();
        for (DatumShape field : fields) {
            DatumShape before = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (before != null
                    && before.kind == Kind.FIXED
                    && field.kind == Kind.FIXED
                    && field.size <= Integer.MAX_VALUE - before.size) {
                joined.set(joined.size() - 1, fixed(before.size + field.size));
            } else if (field.kind != Kind.NOTHING) {
                joined.add(field);
            }
        }
        parts = joined.toArray(DatumShape[]::new);
        if (joined.isEmpty()) {
            kind = Kind.NOTHING;
        }
        return this;
    }

    /** The position after the datum that begins at {@code at}, or {@link #UNREADABLE}. */
    public int skip(byte[] bytes, int at, int end) {
        return skip(this, bytes, at, end, 0);
    }

    private static int skip(DatumShape node, byte[] bytes, int from, int end, int depth) {
        int at = from;
        switch (node.kind) {
            case NOTHING -> {
                return at;
            }
            case BOOLEAN -> {
                return at < end ? at + 1 : UNREADABLE;
            }
            case VARINT -> {
                return skipVarint(bytes, at, end);
            }
            case FIXED -> {
                return end - at >= node.size ? at + node.size : UNREADABLE;
            }
            case BYTES -> {
                return skipBytes(bytes, at, end);
            }
            case RECORD -> {
                if (depth > DEEPEST) {
                    return UNREADABLE;
                }
                for (DatumShape part : node.parts) {
                    at = switch (part.kind) {
                        case VARINT -> skipVarint(bytes, at, end);
                        case BYTES -> skipBytes(bytes, at, end);
                        default -> skip(part, bytes, at, end, depth + 1);
                    };
                    if (at < 0) {
                        return UNREADABLE;
                    }
                }
                return at;
            }
            case UNION -> {
                int after = skipVarint(bytes, at, end);
                if (after < 0 || depth > DEEPEST) {
                    return UNREADABLE;
                }
                long branch = varint(bytes, at);
                if (branch < 0 || branch >= node.parts.length) {
                    return UNREADABLE;
                }
                return skip(node.parts[(int) branch], bytes, after, end, depth + 1);
            }
            case ARRAY, MAP -> {
                return depth > DEEPEST ? UNREADABLE : skipItems(node, bytes, at, end, depth);
            }
        }
        return UNREADABLE;
    }

    private static int skipItems(DatumShape node, byte[] bytes, int from, int end, int depth) {
        int at = from;
        DatumShape item = node.parts[0];
        while (true) {
            int after = skipVarint(bytes, at, end);
            if (after < 0) {
                return UNREADABLE;
            }
            long count = varint(bytes, at);
            at = after;
            if (count == 0) {
                return at;
            }
            if (count < 0) {
                after = skipBytes(bytes, at, end);
                if (after < 0) {
                    return UNREADABLE;
                }
                at = after;
                continue;
            }
            if (node.kind == Kind.ARRAY && item.kind == Kind.NOTHING) {
                continue;
            }
            for (long i = 0; i < count; i++) {
                at = node.kind == Kind.MAP ? skipBytes(bytes, at, end) : at;
                at = at < 0 ? UNREADABLE : skip(item, bytes, at, end, depth + 1);
                if (at < 0) {
                    return UNREADABLE;
                }
            }
        }
    }

    private static int skipVarint(byte[] bytes, int from, int end) {
        int at = from;
        int limit = Math.min(end, from + 10);
        while (at < limit) {
            if (bytes[at++] >= 0) {
                return at;
            }
        }
        return UNREADABLE;
    }

    private static int skipBytes(byte[] bytes, int from, int end) {
        int at = skipVarint(bytes, from, end);
        if (at < 0) {
            return UNREADABLE;
        }
        long length = varint(bytes, from);
        return length < 0 || length > end - at ? UNREADABLE : at + (int) length;
    }

    /** A number whose end has been seen. */
    private static long varint(byte[] bytes, int from) {
        long bits = 0;
        int at = from;
        int shift = 0;
        byte b;
        do {
            b = bytes[at++];
            bits |= (b & 0x7fL) << shift;
            shift += 7;
        } while (b < 0);
        return (bits >>> 1) ^ -(bits & 1);
    }
}
