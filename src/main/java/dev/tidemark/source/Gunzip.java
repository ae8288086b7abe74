package dev.tidemark.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses gzip, all members of a file. Unlike {@link java.util.zip.GZIPInputStream} it reports damage to a later
 * member, trusts no {@code available()}, and gives up the same bytes before the damage however it is read: it inflates in
 * steps of its own.
 */
public final class Gunzip extends InputStream {
    private static final int STEP = 64 << 10;
    private static final int HEADER_CRC = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;

    private final InputStream in;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private final byte[] compressed = new byte[STEP];
    private int at;
    private int end;
    private long filled;
    private final byte[] plain = new byte[STEP];
    private int plainAt;
    private int plainEnd;
    private boolean inMember;
    private int members;

    public Gunzip(InputStream in) {
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        return ensurePlain() ? plain[plainAt++] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!ensurePlain()) {
            return -1;
        }
        int count = Math.min(length, plainEnd - plainAt);
        System.arraycopy(plain, plainAt, into, offset, count);
        plainAt += count;
        return count;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        in.close();
    }

    private boolean ensurePlain() throws IOException {
        while (plainAt == plainEnd) {
            if (!inMember) {
                if (!beginMember()) {
                    return false;
                }
            } else if (inflater.finished()) {
                endMember();
            } else {
                inflate();
            }
        }
        return true;
    }

    private void inflate() throws IOException {
        if (inflater.needsInput()) {
            if (at == end && !fill()) {
                throw new ContentDamage("the gzip stream breaks off at byte " + position());
            }
            inflater.setInput(compressed, at, end - at);
            at = end;
        }
        try {
            int count = inflater.inflate(plain, 0, STEP);
            plainAt = 0;
            plainEnd = count;
            crc.update(plain, 0, count);
        } catch (DataFormatException e) {
            throw damaged("has bytes that are no compressed data");
        }
        if (inflater.needsDictionary()) {
            throw damaged("wants a dictionary");
        }
        if (inflater.finished()) {
            at = end - inflater.getRemaining();
        }
    }

    /** Reads a member's header; false at the end of the file, which zeros may pad. */
    private boolean beginMember() throws IOException {
        int first = peek();
        while (members > 0 && first == 0) {
            at++;
            first = peek();
        }
        if (first < 0) {
            return false;
        }
        if (next() != 0x1f || next() != 0x8b || next() != 8) {
            throw damaged("has a header that is not gzip's");
        }
        int flags = next();
        for (int i = 0; i < 6; i++) {
            next();
        }
        if ((flags & EXTRA) != 0) {
            for (int rest = next() | next() << 8; rest > 0; rest--) {
                next();
            }
        }
        for (int text = flags & (NAME | COMMENT); text != 0; text &= text - 1) {
            while (next() != 0) {
                // the text of a name or comment
            }
        }
        if ((flags & HEADER_CRC) != 0) {
            next();
            next();
        }
        inflater.reset();
        crc.reset();
        inMember = true;
        members++;
        return true;
    }

    private void endMember() throws IOException {
        long sum = fourBytes();
        long length = fourBytes();
        if (sum != crc.getValue() || length != (inflater.getBytesWritten() & 0xffffffffL)) {
            throw damaged("has a wrong check sum");
        }
        inMember = false;
    }

    private long fourBytes() throws IOException {
        long value = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            value |= (long) next() << shift;
        }
        return value;
    }

    private int next() throws IOException {
        int value = peek();
        if (value < 0) {
            throw new ContentDamage("the gzip stream breaks off at byte " + position());
        }
        at++;
        return value;
    }

    private int peek() throws IOException {
        return at == end && !fill() ? -1 : compressed[at] & 0xff;
    }

    private boolean fill() throws IOException {
        int count = in.readNBytes(compressed, 0, STEP);
        filled += count;
        at = 0;
        end = count;
        return count > 0;
    }

    private long position() {
        return filled - (end - at);
    }

    private ContentDamage damaged(String how) {
        return new ContentDamage("the gzip stream " + how + ", at about byte " + position());
    }
}
