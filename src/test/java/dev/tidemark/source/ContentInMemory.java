package dev.tidemark.source;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** A file in memory that hands out few bytes at a time, as slow file systems do. */
public final class ContentInMemory implements Content {
    private final byte[] bytes;
    private final boolean isGzip;
    private final int step;

    private ContentInMemory(byte[] bytes, boolean isGzip, int step) {
        this.bytes = bytes;
        this.isGzip = isGzip;
        this.step = step;
    }

    public static ContentInMemory of(String text) {
        return new ContentInMemory(text.getBytes(StandardCharsets.UTF_8), false, Integer.MAX_VALUE);
    }

    public static ContentInMemory of(byte[] bytes) {
        return new ContentInMemory(bytes, false, Integer.MAX_VALUE);
    }

    public static ContentInMemory gzip(byte[] bytes) {
        return new ContentInMemory(bytes, true, Integer.MAX_VALUE);
    }

    public ContentInMemory inStepsOf(int bytesAtOnce) {
        return new ContentInMemory(bytes, isGzip, bytesAtOnce);
    }

    public static byte[] compressed(byte[] plain) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    @Override
    public InputStream open(long position) throws IOException {
        InputStream all = new Stepwise(new ByteArrayInputStream(bytes), step);
        InputStream in = isGzip ? new Gunzip(all) : all;
        in.skipNBytes(position);
        return in;
    }

    private static final class Stepwise extends InputStream {
        private final InputStream in;
        private final int step;

        private Stepwise(InputStream in, int step) {
            this.in = in;
            this.step = step;
        }

        @Override
        public int read() throws IOException {
            return in.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            return in.read(into, offset, Math.min(length, step));
        }

        @Override
        public int available() {
            return 0;
        }
    }
}
