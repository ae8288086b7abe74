package dev.tidemark.source.avro;

import dev.tidemark.source.ContentDamage;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Reads a container file's own words and knows where it is. What is missing is {@link ContentDamage}. */
final class ByteInput implements Closeable {
    private static final int FIRST_STEP = 1 << 20;

    private final InputStream in;
    private final byte[] buffer = new byte[64 << 10];
    private int at;
    private int end;
    /** The position of the buffer's end. */
    private long filled;

    ByteInput(InputStream in, long position) {
        this.in = in;
        this.filled = position;
    }

    long position() {
        return filled - (end - at);
    }

    boolean atEnd() throws IOException {
        return at == end && !fill();
    }

    byte next() throws IOException {
        if (atEnd()) {
            throw new ContentDamage("the file breaks off at byte " + position());
        }
        return buffer[at++];
    }

    long varint() throws IOException {
        long bits = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            byte b = next();
            bits |= (b & 0x7fL) << shift;
            if (b >= 0) {
                return (bits >>> 1) ^ -(bits & 1);
            }
        }
        throw new ContentDamage("a number of more than ten bytes ends at byte " + position());
    }

    /** Reads so many bytes into the array, or into a larger one, which it returns. The length is not trusted. */
    byte[] fully(byte[] into, int length) throws IOException {
        byte[] target = into;
        int count = 0;
        while (count < length) {
            if (count == target.length) {
                target = Arrays.copyOf(target, Math.min(length, Math.max(FIRST_STEP, target.length * 2)));
            }
            int wanted = Math.min(length, target.length) - count;
            int have = end - at;
            if (have > 0) {
                int moved = Math.min(have, wanted);
                System.arraycopy(buffer, at, target, count, moved);
                at += moved;
                count += moved;
            } else if (wanted < buffer.length) {
                if (!fill()) {
                    throw new ContentDamage("the file breaks off at byte " + position());
                }
            } else {
                int got = in.read(target, count, wanted);
                if (got < 0) {
                    throw new ContentDamage("the file breaks off at byte " + position());
                }
                filled += got;
                count += got;
            }
        }
        return target;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private boolean fill() throws IOException {
        at = 0;
        end = 0;
        int got = in.read(buffer, 0, buffer.length);
        end = Math.max(got, 0);
        filled += end;
        return got > 0;
    }
}
