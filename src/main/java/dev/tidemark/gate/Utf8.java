package dev.tidemark.gate;

/** Looks at UTF-8 without making strings of it. */
final class Utf8 {
    private Utf8() {}

    /**
     * The number of characters (code points), or -1 when the bytes are not well-formed UTF-8 (Unicode 15, table 3-7) or
     * hold a NUL: what PostgreSQL cannot store as text.
     */
    static int countStorable(byte[] bytes, int start, int length) {
        int end = start + length;
        int at = start;
        int count = 0;
        while (at < end) {
            int first = bytes[at];
            count++;
            if (first > 0) {
                at++;
                continue;
            }
            int size = sizeOf(first & 0xff);
            if (size == 0 || at + size > end || !isWellFormed(bytes, at, size)) {
                return -1;
            }
            at += size;
        }
        return count;
    }

    private static int sizeOf(int first) {
        if (first >= 0xc2 && first <= 0xdf) {
            return 2;
        }
        if (first >= 0xe0 && first <= 0xef) {
            return 3;
        }
        return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
    }

    private static boolean isWellFormed(byte[] bytes, int at, int size) {
        int first = bytes[at] & 0xff;
        int second = bytes[at + 1] & 0xff;
        int lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        int highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (second < lowest || second > highest) {
            return false;
        }
        for (int i = 2; i < size; i++) {
            if ((bytes[at + i] & 0xc0) != 0x80) {
                return false;
            }
        }
        return true;
    }
}
