package dev.tidemark.change.avro;

import java.nio.charset.StandardCharsets;

/** The text form of a uuid: 32 hexadecimal digits in groups of 8, 4, 4, 4, 12. */
final class UuidText {
    private static final int LENGTH = 36;

    private UuidText() {}

    /** The sixteen bytes. */
    static byte[] parse(SlotRule rule, byte[] text, int start, int length) {
        if (length != LENGTH) {
            throw bad(rule, text, start, length);
        }
        byte[] bytes = new byte[16];
        int digits = 0;
        for (int i = 0; i < LENGTH; i++) {
            byte c = text[start + i];
            if (i == 8 || i == 13 || i == 18 || i == 23) {
                if (c != '-') {
                    throw bad(rule, text, start, length);
                }
                continue;
            }
            int digit = c < 0 ? -1 : Character.digit(c, 16);
            if (digit < 0) {
                throw bad(rule, text, start, length);
            }
            bytes[digits >> 1] |= (byte) ((digits & 1) == 0 ? digit << 4 : digit);
            digits++;
        }
        return bytes;
    }

    private static Undecodable bad(SlotRule rule, byte[] text, int start, int length) {
        return new Undecodable(
                "field %s: a uuid is expected, found \"%s\"",
                rule.name(), new String(text, start, Math.min(length, 40), StandardCharsets.UTF_8));
    }
}
