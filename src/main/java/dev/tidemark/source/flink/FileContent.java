package dev.tidemark.source.flink;

import dev.tidemark.source.Content;
import dev.tidemark.source.Gunzip;
import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.core.fs.FSDataInputStream;

/**
 * The content of a file as it was when it was begun. That it still is what it was is checked before its end is believed,
 * so that the last record of a file that is being written is never read in half.
 */
final class FileContent implements Content {
    private static final int STEP = 64 << 10;

    private final SourceFolder folder;
    private final String name;
    private final FileMark mark;

    FileContent(SourceFolder folder, String name, FileMark mark) {
        this.folder = folder;
        this.name = name;
        this.mark = mark;
    }

    @Override
    public InputStream open(long position) throws IOException {
        FSDataInputStream file = folder.open(name);
        try {
            if (!name.endsWith(".gz")) {
                if (position > 0) {
                    file.seek(position);
                }
                return new Checked(file, mark.length() - position);
            }
            InputStream plain = new Gunzip(new Checked(file, mark.length()));
            skip(plain, position);
            return plain;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private void skip(InputStream in, long count) throws IOException {
        byte[] passed = new byte[STEP];
        for (long rest = count; rest > 0; ) {
            int got = in.read(passed, 0, (int) Math.min(rest, passed.length));
            if (got < 0) {
                throw new IOException("The file " + name + " is shorter than the job has read it: it has changed.");
            }
            rest -= got;
        }
    }

    /** Ends where the file ended when it was begun. */
    private final class Checked extends InputStream {
        private final InputStream in;
        private long rest;

        private Checked(InputStream in, long rest) {
            this.in = in;
            this.rest = rest;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            int count = rest <= 0 ? -1 : in.read(into, offset, (int) Math.min(length, rest));
            if (count > 0) {
                rest -= count;
                return count;
            }
            folder.unchanged(folder.lookAgain(name), mark);
            if (rest > 0) {
                throw new IOException(
                        "The file " + name + " ended " + rest + " bytes before the length that its file system tells.");
            }
            return -1;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
