package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** How numbers and byte strings are written: seven bits a byte, the lowest first; signed ones zigzag. */
final class Wire {
    private Wire() {}

    static void writeUnsigned(DataOutputView out, int value) throws IOException {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            out.writeByte((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    static int readUnsigned(DataInputView in) throws IOException {
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

    static void writeSigned(DataOutputView out, long value) throws IOException {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7fL) != 0) {
            out.writeByte((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }

    static long readSigned(DataInputView in) throws IOException {
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

    static void writeBytes(DataOutputView out, Bytes bytes) throws IOException {
        writeUnsigned(out, bytes.length());
        out.write(bytes.array());
    }

    static Bytes readBytes(DataInputView in) throws IOException {
        return Bytes.of(readArray(in));
    }

    static byte[] readArray(DataInputView in) throws IOException {
        byte[] content = new byte[readUnsigned(in)];
        in.readFully(content);
        return content;
    }
}
