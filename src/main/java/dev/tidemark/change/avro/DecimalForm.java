package dev.tidemark.change.avro;

import dev.tidemark.change.Draft;
import dev.tidemark.job.FieldType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** How the decimals of one slot are checked and held: as a long if the precision allows, else as bytes. */
final class DecimalForm {
    private static final int LONGEST_TEXT = 400;
    private static final long[] POWERS = new long[FieldType.LONG_DIGITS + 1];

    static {
        POWERS[0] = 1;
        for (int i = 1; i < POWERS.length; i++) {
            POWERS[i] = 10 * POWERS[i - 1];
        }
    }

    private final SlotRule rule;
    private final int scale;
    private final int precision;
    private final int writtenScale;
    private final boolean isLong;
    private final BigInteger limit;

    /** @param writtenScale the scale of the binary form */
    DecimalForm(SlotRule rule, int writtenScale) {
        this.rule = rule;
        this.scale = rule.type().scale();
        this.precision = rule.type().precision();
        this.writtenScale = writtenScale;
        this.isLong = rule.type().isFixed();
        this.limit = BigInteger.TEN.pow(precision);
    }

    /** Puts an unscaled value in big-endian two's complement. */
    void put(Draft draft, byte[] bytes, int start, int count) {
        if (count == 0) {
            throw new Undecodable("field %s: a decimal of no bytes", rule.name());
        }
        int from = start;
        int length = count;
        while (length > 1 && bytes[from] == (bytes[from + 1] < 0 ? -1 : 0)) {
            from++;
            length--;
        }
        if (writtenScale != scale) {
            put(draft, new BigDecimal(new BigInteger(bytes, from, length), writtenScale));
        } else if (isLong) {
            if (length > Long.BYTES) {
                throw tooLong();
            }
            long value = bytes[from];
            for (int i = from + 1; i < from + length; i++) {
                value = value << 8 | (bytes[i] & 0xff);
            }
            putLong(draft, value);
        } else {
            if (length * Byte.SIZE > limit.bitLength()
                    && new BigInteger(bytes, from, length).abs().compareTo(limit) >= 0) {
                throw tooLong();
            }
            draft.setBytes(rule.slot(), bytes, from, length);
        }
    }

    /** Puts a decimal that is written out, with an exponent or without. */
    void put(Draft draft, char[] text, int start, int length) {
        if (!isLong || !putPlain(draft, text, start, start + length)) {
            put(draft, parse(text, start, length));
        }
    }

    /** The usual case: few digits, no exponent. False: it is not this one. */
    private boolean putPlain(Draft draft, char[] text, int start, int end) {
        int at = start;
        boolean negative = at < end && text[at] == '-';
        at += negative ? 1 : 0;
        long value = 0;
        int digits = 0;
        int fraction = -1;
        for (; at < end; at++) {
            char c = text[at];
            if (c == '.' && fraction < 0 && digits > 0) {
                fraction = 0;
            } else if (c >= '0' && c <= '9' && digits < FieldType.LONG_DIGITS) {
                value = 10 * value + (c - '0');
                digits++;
                fraction += fraction < 0 ? 0 : 1;
            } else {
                return false;
            }
        }
        int missing = scale - Math.max(fraction, 0);
        if (digits == 0 || fraction == 0 || missing < 0 || digits + missing > FieldType.LONG_DIGITS) {
            return false;
        }
        value *= POWERS[missing];
        putLong(draft, negative ? -value : value);
        return true;
    }

    private BigDecimal parse(char[] text, int start, int length) {
        if (length <= LONGEST_TEXT && isNumber(text, start, start + length)) {
            try {
                return new BigDecimal(text, start, length);
            } catch (NumberFormatException e) {
                // An exponent beyond reason: falls through.
            }
        }
        throw new Undecodable(
                "field %s: a decimal is expected, found \"%s\"",
                rule.name(), new String(text, start, Math.min(length, 40)));
    }

    /** Guards {@link BigDecimal}, which takes the digits of every script. */
    private static boolean isNumber(char[] text, int start, int end) {
        for (int i = start; i < end; i++) {
            char c = text[i];
            if ((c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E') {
                return false;
            }
        }
        return true;
    }

    private void put(Draft draft, BigDecimal value) {
        BigInteger unscaled;
        if (value.signum() == 0) {
            unscaled = BigInteger.ZERO;
        } else {
            BigDecimal least = value.stripTrailingZeros();
            if (least.scale() > scale) {
                throw new Undecodable(
                        "field %s: a decimal has more than %d digits after the point", rule.name(), scale);
            }
            if ((long) least.precision() - least.scale() > precision - scale) {
                throw tooLong();
            }
            unscaled = least.setScale(scale, RoundingMode.UNNECESSARY).unscaledValue();
        }
        if (isLong) {
            putLong(draft, unscaled.longValueExact());
        } else {
            byte[] bytes = unscaled.toByteArray();
            draft.setBytes(rule.slot(), bytes, 0, bytes.length);
        }
    }

    private void putLong(Draft draft, long unscaled) {
        long bound = POWERS[precision];
        if (unscaled >= bound || unscaled <= -bound) {
            throw tooLong();
        }
        draft.setFixed(rule.slot(), unscaled);
    }

    private Undecodable tooLong() {
        return new Undecodable(
                "field %s: a decimal has more digits than decimal(%d, %d) holds", rule.name(), precision, scale);
    }
}
