package dev.tidemark.expression;

import dev.tidemark.job.Function;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Functions of text, on its bytes in UTF-8. Characters are code points. */
final class Texts {
    private Texts() {}

    /** Bytes that grow and are used again. */
    private static final class Buffer {
        private byte[] content = new byte[64];
        private int size;

        void clear() {
            size = 0;
        }

        void put(byte[] source, int from, int count) {
            if (size + count > content.length) {
                content = Arrays.copyOf(content, Math.max(2 * content.length, size + count));
            }
            System.arraycopy(source, from, content, size, count);
            size += count;
        }
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String string(Evaluator text) {
        return new String(text.bytes, text.start, text.length, StandardCharsets.UTF_8);
    }

    private static boolean isLead(byte b) {
        return (b & 0xc0) != 0x80;
    }

    private static int characters(Evaluator text) {
        int count = 0;
        for (int i = text.start; i < text.start + text.length; i++) {
            count += isLead(text.bytes[i]) ? 1 : 0;
        }
        return count;
    }

    /** Where a text's character of that number begins, from 0; its end if it has fewer. */
    private static int offset(Evaluator text, long number) {
        int at = text.start;
        int end = text.start + text.length;
        long left = number;
        while (at < end) {
            if (isLead(text.bytes[at])) {
                if (left == 0) {
                    return at;
                }
                left--;
            }
            at++;
        }
        return end;
    }

    /** {@code lower} and {@code upper}, by code points and by no language. */
    static final class Folded extends Evaluator {
        private final Evaluator value;
        private final boolean upper;
        private byte[] folded = NO_BYTES;

        Folded(Evaluator value, boolean upper) {
            this.value = value;
            this.upper = upper;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            int count = value.length;
            if (folded.length < count) {
                folded = new byte[2 * count];
            }
            for (int i = 0; i < count; i++) {
                byte b = value.bytes[value.start + i];
                if (b < 0) {
                    byte[] all = utf8(foldedText(string(value)));
                    return text(all, 0, all.length);
                }
                folded[i] = upper
                        ? (b >= 'a' && b <= 'z' ? (byte) (b - 32) : b)
                        : (b >= 'A' && b <= 'Z' ? (byte) (b + 32) : b);
            }
            return text(folded, 0, count);
        }

        private String foldedText(String text) {
            StringBuilder all = new StringBuilder();
            text.codePoints()
                    .map(point -> upper ? Character.toUpperCase(point) : Character.toLowerCase(point))
                    .forEach(all::appendCodePoint);
            return all.toString();
        }
    }

    /** {@code length}. */
    static final class Length extends Evaluator {
        private final Evaluator value;

        Length(Evaluator value) {
            this.value = value;
        }

        @Override
        boolean evaluate(Slots row) {
            return value.evaluate(row) && whole(characters(value));
        }
    }

    /** {@code substring}: from 1; what lies before the text counts as nothing. */
    static final class Substring extends Evaluator {
        private final Evaluator value;
        private final Evaluator from;
        private final Evaluator[] count;

        /**
         * A part of a text.
         *
         * @param count none or one
         */
        Substring(Evaluator value, Evaluator from, Evaluator... count) {
            this.value = value;
            this.from = from;
            this.count = count;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row) || !from.evaluate(row)) {
                return false;
            }
            long first = from.fixed;
            int begin = offset(value, Math.max(first, 1) - 1);
            int end = value.start + value.length;
            if (count.length > 0) {
                if (!count[0].evaluate(row)) {
                    return false;
                }
                if (count[0].fixed < 0) {
                    throw new OutOfRange("negative substring length not allowed");
                }
                end = offset(value, Math.max(first + count[0].fixed, 1) - 1);
            }
            return text(value.bytes, begin, Math.max(end - begin, 0));
        }
    }

    /** {@code left} and {@code right}: a negative number leaves so many away on the other side. */
    static final class Side extends Evaluator {
        private final Evaluator value;
        private final Evaluator count;
        private final boolean left;

        Side(Evaluator value, Evaluator count, boolean left) {
            this.value = value;
            this.count = count;
            this.left = left;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row) || !count.evaluate(row)) {
                return false;
            }
            long all = characters(value);
            long kept = count.fixed < 0 ? Math.max(all + count.fixed, 0) : Math.min(count.fixed, all);
            int cut = offset(value, left ? kept : all - kept);
            int end = value.start + value.length;
            return left ? text(value.bytes, value.start, cut - value.start) : text(value.bytes, cut, end - cut);
        }
    }

    /** {@code trim}: takes characters of a set away from the ends. */
    static final class Trimmed extends Evaluator {
        private final Function side;
        private final Evaluator value;
        private final Evaluator set;

        Trimmed(Function side, Evaluator value, Evaluator set) {
            this.side = side;
            this.value = value;
            this.set = set;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row) || !set.evaluate(row)) {
                return false;
            }
            int begin = value.start;
            int end = value.start + value.length;
            while (side != Function.RTRIM && begin < end) {
                int next = begin + 1;
                while (next < end && !isLead(value.bytes[next])) {
                    next++;
                }
                if (!isInSet(begin, next)) {
                    break;
                }
                begin = next;
            }
            while (side != Function.LTRIM && begin < end) {
                int last = end - 1;
                while (last > begin && !isLead(value.bytes[last])) {
                    last--;
                }
                if (!isInSet(last, end)) {
                    break;
                }
                end = last;
            }
            return text(value.bytes, begin, end - begin);
        }

        private boolean isInSet(int from, int to) {
            int count = to - from;
            for (int at = set.start; at + count <= set.start + set.length; at++) {
                boolean isWhole = isLead(set.bytes[at])
                        && (at + count == set.start + set.length || isLead(set.bytes[at + count]));
                if (isWhole && Arrays.equals(set.bytes, at, at + count, value.bytes, from, to)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Where a part lies in a text, at or behind a place; -1: nowhere. */
    private static int find(Evaluator text, Evaluator part, int from) {
        int last = text.start + text.length - part.length;
        for (int at = from; at <= last; at++) {
            if (Arrays.equals(text.bytes, at, at + part.length, part.bytes, part.start, part.start + part.length)) {
                return at;
            }
        }
        return -1;
    }

    /** {@code strpos}. */
    static final class Position extends Evaluator {
        private final Evaluator value;
        private final Evaluator part;

        Position(Evaluator value, Evaluator part) {
            this.value = value;
            this.part = part;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row) || !part.evaluate(row)) {
                return false;
            }
            int found = find(value, part, value.start);
            int count = 0;
            for (int i = value.start; i <= found && i < value.start + value.length; i++) {
                count += isLead(value.bytes[i]) ? 1 : 0;
            }
            return whole(found < 0 ? 0 : Math.max(count, 1));
        }
    }

    /** {@code replace}. */
    static final class Replaced extends Evaluator {
        private final Evaluator value;
        private final Evaluator part;
        private final Evaluator other;
        private final Buffer buffer = new Buffer();

        Replaced(Evaluator value, Evaluator part, Evaluator other) {
            this.value = value;
            this.part = part;
            this.other = other;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row) || !part.evaluate(row) || !other.evaluate(row)) {
                return false;
            }
            int found = part.length == 0 ? -1 : find(value, part, value.start);
            if (found < 0) {
                return take(value);
            }
            buffer.clear();
            int at = value.start;
            while (found >= 0) {
                buffer.put(value.bytes, at, found - at);
                buffer.put(other.bytes, other.start, other.length);
                at = found + part.length;
                found = find(value, part, at);
            }
            buffer.put(value.bytes, at, value.start + value.length - at);
            return text(buffer.content, 0, buffer.size);
        }
    }

    /** {@code ||} and {@code concat}. */
    static final class Joined extends Evaluator {
        private final Evaluator[] parts;
        private final boolean passesOverNulls;
        private final Buffer buffer = new Buffer();

        Joined(Evaluator[] parts, boolean passesOverNulls) {
            this.parts = parts;
            this.passesOverNulls = passesOverNulls;
        }

        @Override
        boolean evaluate(Slots row) {
            buffer.clear();
            for (Evaluator part : parts) {
                if (part.evaluate(row)) {
                    buffer.put(part.bytes, part.start, part.length);
                } else if (!passesOverNulls) {
                    return false;
                }
            }
            return text(buffer.content, 0, buffer.size);
        }
    }

    /** {@code like} with a constant pattern. */
    static final class Like extends Evaluator {
        private static final byte PLAIN = 0;
        private static final byte ANY_ONE = 1;
        private static final byte ANY = 2;

        private final Evaluator value;
        private final byte[] pattern;
        private final byte[] kinds;

        /**
         * Like a pattern.
         *
         * @param escape one character or none
         */
        Like(Evaluator value, String pattern, String escape) {
            this.value = value;
            StringBuilder plain = new StringBuilder();
            StringBuilder signs = new StringBuilder();
            int at = 0;
            while (at < pattern.length()) {
                boolean escaped = !escape.isEmpty() && pattern.startsWith(escape, at);
                at += escaped ? escape.length() : 0;
                String character = new String(Character.toChars(pattern.codePointAt(at)));
                byte kind = escaped ? PLAIN : character.equals("%") ? ANY : character.equals("_") ? ANY_ONE : PLAIN;
                plain.append(character);
                signs.append(String.valueOf((char) kind).repeat(utf8(character).length));
                at += character.length();
            }
            this.pattern = utf8(plain.toString());
            this.kinds = utf8(signs.toString());
        }

        @Override
        boolean evaluate(Slots row) {
            return value.evaluate(row) && truth(matches(value.bytes, value.start, value.start + value.length));
        }

        /** Greedy, going back to the last {@code %} only: each later one makes those before it settled. */
        private boolean matches(byte[] text, int from, int end) {
            int at = from;
            int sign = 0;
            int lastAny = -1;
            int anyAt = 0;
            while (at < end) {
                if (sign < kinds.length && kinds[sign] == ANY) {
                    lastAny = sign++;
                    anyAt = at;
                } else if (sign < kinds.length && kinds[sign] == ANY_ONE) {
                    sign++;
                    at = next(text, at, end);
                } else if (sign < kinds.length && pattern[sign] == text[at]) {
                    sign++;
                    at++;
                } else if (lastAny >= 0) {
                    anyAt = next(text, anyAt, end);
                    at = anyAt;
                    sign = lastAny + 1;
                } else {
                    return false;
                }
            }
            while (sign < kinds.length && kinds[sign] == ANY) {
                sign++;
            }
            return sign == kinds.length;
        }

        private static int next(byte[] text, int at, int end) {
            int next = at + 1;
            while (next < end && !isLead(text[next])) {
                next++;
            }
            return next;
        }
    }
}
