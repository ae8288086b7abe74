package dev.tidemark.change.avro;

/**
 * Holds the strings of one record as UTF-8. A lone surrogate is written in its three-byte form, so that it can be seen
 * later. Ranges handed out stay valid until {@link #clear}.
 */
final class TextBuffer {
    private byte[] bytes = new byte[4 << 10];
    private int size;

    void clear() {
        size = 0;
    }

    byte[] bytes() {
        return bytes;
    }

    int size() {
        return size;
    }

    /** Appends a text and gives the place where it begins in {@link #bytes}. */
    int put(char[] text, int start, int length) {
        if (bytes.length - size < 3 * length) {
            bytes = new byte[Math.max(2 * bytes.length, 3 * length)];
            size = 0;
        }
        int begin = size;
        byte[] target = bytes;
        int at = begin;
        int end = start + length;
        for (int i = start; i < end; i++) {
            char c = text[i];
            if (c < 0x80) {
                target[at++] = (byte) c;
            } else if (c < 0x800) {
                target[at++] = (byte) (0xc0 | c >> 6);
                target[at++] = (byte) (0x80 | (c & 0x3f));
            } else if (Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(text[i + 1])) {
                int point = Character.toCodePoint(c, text[++i]);
                target[at++] = (byte) (0xf0 | point >> 18);
                target[at++] = (byte) (0x80 | (point >> 12 & 0x3f));
                target[at++] = (byte) (0x80 | (point >> 6 & 0x3f));
                target[at++] = (byte) (0x80 | (point & 0x3f));
            } else {
                target[at++] = (byte) (0xe0 | c >> 12);
                target[at++] = (byte) (0x80 | (c >> 6 & 0x3f));
                target[at++] = (byte) (0x80 | (c & 0x3f));
            }
        }
        size = at;
        return begin;
    }
}
