package dev.tidemark.wire;

import dev.tidemark.change.Bytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/** The atoms of the wire: lengths as varints, byte strings behind their length, null as length 0 where it is allowed. */
public final class Wire {
    private Wire() {}

    /** Writes a number from 0 up, seven bits a byte. */
    public static void writeLength(int length, DataOutputView out) throws IOException {
        int rest = length;
        while ((rest & ~0x7f) != 0) {
            out.writeByte((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    public static int readLength(DataInputView in) throws IOException {
        int length = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            byte next = in.readByte();
            length |= (next & 0x7f) << shift;
            if (next >= 0) {
                return length;
            }
        }
        throw new IOException("a length of more than five bytes");
    }

    public static void writeBytes(Bytes bytes, DataOutputView out) throws IOException {
        writeLength(bytes.length(), out);
        out.write(bytes.array(), 0, bytes.length());
    }

    public static Bytes readBytes(DataInputView in) throws IOException {
        return readContent(readLength(in), in);
    }

    public static void writeNullableBytes(@Nullable Bytes bytes, DataOutputView out) throws IOException {
        if (bytes == null) {
            writeLength(0, out);
        } else {
            writeLength(bytes.length() + 1, out);
            out.write(bytes.array(), 0, bytes.length());
        }
    }

    public static @Nullable Bytes readNullableBytes(DataInputView in) throws IOException {
        int length = readLength(in);
        return length == 0 ? null : readContent(length - 1, in);
    }

    public static void writeText(String text, DataOutputView out) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        writeLength(utf8.length, out);
        out.write(utf8, 0, utf8.length);
    }

    public static String readText(DataInputView in) throws IOException {
        return new String(content(readLength(in), in), StandardCharsets.UTF_8);
    }

    public static void writeNullableText(@Nullable String text, DataOutputView out) throws IOException {
        out.writeBoolean(text != null);
        if (text != null) {
            writeText(text, out);
        }
    }

    public static @Nullable String readNullableText(DataInputView in) throws IOException {
        return in.readBoolean() ? readText(in) : null;
    }

    private static Bytes readContent(int length, DataInputView in) throws IOException {
        return Bytes.of(content(length, in));
    }

    private static byte[] content(int length, DataInputView in) throws IOException {
        byte[] content = new byte[length];
        in.readFully(content);
        return content;
    }

    /**
     * Texts that repeat from record to record, such as the name of a split: writes them in full, reads the same instance
     * again while they do not change. One for each text; not thread-safe.
     */
    public static final class RepeatedText {
        private String written = "";
        private byte[] writtenBytes = new byte[0];
        private String read = "";
        private byte[] readBytes = new byte[0];
        private byte[] buffer = new byte[64];

        public void write(String text, DataOutputView out) throws IOException {
            if (!text.equals(written)) {
                written = text;
                writtenBytes = text.getBytes(StandardCharsets.UTF_8);
            }
            writeLength(writtenBytes.length, out);
            out.write(writtenBytes, 0, writtenBytes.length);
        }

        public String read(DataInputView in) throws IOException {
            int length = readLength(in);
            if (length > buffer.length) {
                buffer = new byte[length];
            }
            in.readFully(buffer, 0, length);
            if (!Arrays.equals(buffer, 0, length, readBytes, 0, readBytes.length)) {
                readBytes = Arrays.copyOf(buffer, length);
                read = new String(readBytes, StandardCharsets.UTF_8);
            }
            return read;
        }
    }
}
