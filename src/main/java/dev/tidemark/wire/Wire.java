package dev.tidemark.wire;

import dev.tidemark.change.Bytes;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The atoms of the wire: numbers seven bits a byte, the lowest first, signed ones zigzag; byte strings and texts behind
 * their length; null as length 0, or behind a flag, where it is allowed.
 */
public final class Wire {
    private Wire() {}

    /** Writes an int of which the sign is one more bit: lengths, counts and flags. */
    public static void writeUnsigned(int value, DataOutput out) throws IOException {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            out.writeByte((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    /** The inverse of {@link #writeUnsigned}. */
    public static int readUnsigned(DataInput in) throws IOException {
        int value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            byte next = in.readByte();
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IOException("A number has more than five bytes: this is not what was written");
    }

    /** Writes a long, small ones of either sign in few bytes. */
    public static void writeSigned(long value, DataOutput out) throws IOException {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7fL) != 0) {
            out.writeByte((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }

    /** The inverse of {@link #writeSigned}. */
    public static long readSigned(DataInput in) throws IOException {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            byte next = in.readByte();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw new IOException("A number has more than ten bytes: this is not what was written");
    }

    /** Writes a byte string behind its length. */
    public static void writeBytes(Bytes bytes, DataOutput out) throws IOException {
        writeContent(bytes.array(), out);
    }

    /** The inverse of {@link #writeBytes}. */
    public static Bytes readBytes(DataInput in) throws IOException {
        return Bytes.of(readContent(readUnsigned(in), in));
    }

    /** Writes a byte string behind its length and one, or a zero. */
    public static void writeNullableBytes(@Nullable Bytes bytes, DataOutput out) throws IOException {
        if (bytes == null) {
            writeUnsigned(0, out);
        } else {
            writeUnsigned(bytes.length() + 1, out);
            out.write(bytes.array());
        }
    }

    /** The inverse of {@link #writeNullableBytes}. */
    public static @Nullable Bytes readNullableBytes(DataInput in) throws IOException {
        int length = readUnsigned(in);
        return length == 0 ? null : Bytes.of(readContent(length - 1, in));
    }

    /** Writes a text as UTF-8 behind the number of its bytes. */
    public static void writeText(String text, DataOutput out) throws IOException {
        writeContent(text.getBytes(StandardCharsets.UTF_8), out);
    }

    /** The inverse of {@link #writeText}. */
    public static String readText(DataInput in) throws IOException {
        return new String(readContent(readUnsigned(in), in), StandardCharsets.UTF_8);
    }

    /** Writes whether there is a text, and the text. */
    public static void writeNullableText(@Nullable String text, DataOutput out) throws IOException {
        out.writeBoolean(text != null);
        if (text != null) {
            writeText(text, out);
        }
    }

    /** The inverse of {@link #writeNullableText}. */
    public static @Nullable String readNullableText(DataInput in) throws IOException {
        return in.readBoolean() ? readText(in) : null;
    }

    static void writeContent(byte[] content, DataOutput out) throws IOException {
        writeUnsigned(content.length, out);
        out.write(content);
    }

    private static byte[] readContent(int length, DataInput in) throws IOException {
        if (length < 0) {
            throw new IOException("A length is negative: this is not what was written");
        }
        byte[] content = new byte[length];
        in.readFully(content);
        return content;
    }
}
