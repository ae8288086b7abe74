package dev.tidemark.source;

import dev.tidemark.change.RawRecord;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One record a line. Lines end in {@code \n} or {@code \r\n}, the last one need not; blank lines are no records; a byte
 * order mark before the first is passed over. A line of more than 16 MiB is a damaged record.
 */
public final class JsonLines implements Framing {
    static final int LONGEST_LINE = 16 << 20;
    private static final int FIRST_BUFFER = 256 << 10;

    private final InputStream in;
    private byte[] buffer = new byte[FIRST_BUFFER];
    private int at;
    private int end;
    /** Where the first byte of the buffer lies in the content. */
    private long base;

    private long resumePosition;
    private long resumeOrdinal;
    private boolean begun;
    private boolean ended;
    private @Nullable String damage;

    public JsonLines(Content content, long resumePosition, long resumeOrdinal) throws IOException {
        this.in = content.open(resumePosition);
        this.base = resumePosition;
        this.resumePosition = resumePosition;
        this.resumeOrdinal = resumeOrdinal;
    }

    @Override
    public boolean next(RawRecord into) throws IOException {
        if (!begun) {
            begun = true;
            skipByteOrderMark();
        }
        into.writerSchema = null;
        int scan = at;
        while (true) {
            int newline = find(scan);
            if (newline >= 0) {
                int from = at;
                at = newline + 1;
                if (frame(into, from, newline)) {
                    resumePosition = base + at;
                    resumeOrdinal++;
                    return true;
                }
                scan = at;
            } else if (end - at > LONGEST_LINE + 1) {
                return endless(into);
            } else {
                int looked = end - at;
                ended = ended || !fill();
                if (ended) {
                    return last(into);
                }
                scan = at + looked;
            }
        }
    }

    @Override
    public long resumePosition() {
        return resumePosition;
    }

    @Override
    public long resumeOrdinal() {
        return resumeOrdinal;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private boolean last(RawRecord into) {
        int from = at;
        at = end;
        String broken = damage;
        if (broken != null) {
            // Stays where it is, so that a new framing comes to the same damage.
            damage = null;
            damaged(into, from, end - from, end - from, broken);
            return true;
        }
        if (from == end || !frame(into, from, end)) {
            return false;
        }
        resumePosition = base + end;
        resumeOrdinal++;
        return true;
    }

    /** A line whose end is not in sight: keeps its beginning and looks for the end. */
    private boolean endless(RawRecord into) throws IOException {
        byte[] kept = Arrays.copyOfRange(buffer, at, at + KEPT_BYTES);
        long whole = (long) end - at;
        at = end;
        int newline = -1;
        while (newline < 0 && fill()) {
            newline = find(at);
            int until = newline < 0 ? end : newline;
            whole += until - at;
            at = newline < 0 ? end : newline + 1;
        }
        damaged(into, 0, kept.length, whole, tooLong(whole));
        into.bytes = kept;
        resumePosition = base + at;
        resumeOrdinal++;
        return true;
    }

    private boolean frame(RawRecord into, int from, int to) {
        int until = to > from && buffer[to - 1] == '\r' ? to - 1 : to;
        if (isBlank(from, until)) {
            return false;
        }
        int length = until - from;
        if (length > LONGEST_LINE) {
            damaged(into, from, KEPT_BYTES, length, tooLong(length));
            return true;
        }
        into.bytes = buffer;
        into.start = from;
        into.length = length;
        into.wholeLength = length;
        into.damage = null;
        return true;
    }

    private void damaged(RawRecord into, int from, int length, long whole, String how) {
        into.bytes = buffer;
        into.start = from;
        into.length = Math.min(length, KEPT_BYTES);
        into.wholeLength = whole;
        into.damage = how;
    }

    private static String tooLong(long length) {
        return "a line of " + length + " bytes; the longest that is read has " + LONGEST_LINE;
    }

    private boolean isBlank(int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = buffer[i];
            if (b != ' ' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return true;
    }

    private int find(int from) {
        byte[] bytes = buffer;
        for (int i = from, until = end; i < until; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    private void skipByteOrderMark() throws IOException {
        if (base != 0) {
            return;
        }
        while (end < 3 && !ended) {
            ended = !fill();
        }
        if (end >= 3 && buffer[0] == (byte) 0xef && buffer[1] == (byte) 0xbb && buffer[2] == (byte) 0xbf) {
            at = 3;
        }
    }

    /** Reads on behind the bytes from {@link #at}, which move to the front. False: there is no more. */
    private boolean fill() throws IOException {
        if (at > 0) {
            System.arraycopy(buffer, at, buffer, 0, end - at);
            base += at;
            end -= at;
            at = 0;
        }
        if (end == buffer.length) {
            buffer = Arrays.copyOf(buffer, buffer.length * 2);
        }
        try {
            int count = in.read(buffer, end, buffer.length - end);
            end += Math.max(count, 0);
            return count >= 0;
        } catch (ContentDamage e) {
            damage = e.getMessage();
            return false;
        }
    }
}
