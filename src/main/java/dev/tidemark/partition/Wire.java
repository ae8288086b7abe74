package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** How numbers and byte strings are written: seven bits a byte, the lowest first; signed ones zigzag. */
public final class Wire {
    private Wire() {}

    /** Writes an int of which the sign is one more bit. */
    public static void writeUnsigned(DataOutput out, int value) throws IOException {
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
    public static void writeSigned(DataOutput out, long value) throws IOException {
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
    public static void writeBytes(DataOutput out, Bytes bytes) throws IOException {
        writeUnsigned(out, bytes.length());
        out.write(bytes.array());
    }

    /** The inverse of {@link #writeBytes}. */
    public static Bytes readBytes(DataInput in) throws IOException {
        byte[] content = new byte[readUnsigned(in)];
        in.readFully(content);
        return Bytes.of(content);
    }
}
