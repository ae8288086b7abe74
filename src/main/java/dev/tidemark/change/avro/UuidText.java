package dev.tidemark.change.avro;

import java.nio.charset.StandardCharsets;

/** The text form of a uuid: 32 hexadecimal digits in groups of 8, 4, 4, 4, 12. */
final class UuidText {
    /** How many bytes a uuid has. */
    static final int BYTES = 16;

    private static final int LENGTH = 36;

    private UuidText() {}

    /** Writes the sixteen bytes. */
    static void parse(SlotRule rule, byte[] text, int start, int length, byte[] into) {
        if (length != LENGTH) {
            throw bad(rule, text, start, length);
        }
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
            int half = digits >> 1;
            into[half] = (byte) ((digits & 1) == 0 ? digit << 4 : into[half] | digit);
            digits++;
        }
    }

    private static Undecodable bad(SlotRule rule, byte[] text, int start, int length) {
        return new Undecodable(
                "field %s: a uuid is expected, found \"%s\"",
                rule.name(), new String(text, start, Math.min(length, 40), StandardCharsets.UTF_8));
    }
}
