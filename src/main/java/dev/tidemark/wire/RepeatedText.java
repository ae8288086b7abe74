package dev.tidemark.wire;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serial;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Texts that repeat from record to record, such as the name of a log: writes them as {@link Wire#writeText} does, reads
 * the same instance again while they do not change. One for each text; not thread-safe. It remembers nothing when it is
 * shipped to another process.
 */
public final class RepeatedText implements Serializable {
    private static final long serialVersionUID = 1L;

    private transient String written = "";
    private transient byte[] writtenBytes = new byte[0];
    private transient String read = "";
    private transient byte[] readBytes = new byte[0];
    private transient byte[] buffer = new byte[64];

    public void write(String text, DataOutput out) throws IOException {
        if (!text.equals(written)) {
            written = text;
            writtenBytes = text.getBytes(StandardCharsets.UTF_8);
        }
        Wire.writeContent(writtenBytes, out);
    }

    public String read(DataInput in) throws IOException {
        int length = Wire.readUnsigned(in);
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

    @Serial
    private Object readResolve() {
        return new RepeatedText();
    }
}
