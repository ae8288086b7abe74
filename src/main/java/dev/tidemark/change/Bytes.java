package dev.tidemark.change;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An immutable byte string that can be a key: equal by content, ordered by unsigned bytes, its hash computed when it is
 * first asked for. The hash spreads ids that differ in a few digits over all its bits; it decides where state lies, so it
 * must never change.
 *
 * <p>The array handed in is not copied and must not be changed afterwards; the array handed out must not either.
 */
public final class Bytes implements Comparable<Bytes>, Serializable {
    private static final long serialVersionUID = 1L;

    public static final Bytes EMPTY = new Bytes(new byte[0]);

    private final byte[] content;
    private int hash;

    private Bytes(byte[] content) {
        this.content = content;
    }

    public static Bytes of(byte[] content) {
        return content.length == 0 ? EMPTY : new Bytes(content);
    }

    public static Bytes utf8(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    public byte[] array() {
        return content;
    }

    public int length() {
        return content.length;
    }

    public boolean isEmpty() {
        return content.length == 0;
    }

    /** The content read as UTF-8. */
    public String text() {
        return new String(content, StandardCharsets.UTF_8);
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(content, other.content);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof Bytes bytes && Arrays.equals(content, bytes.content));
    }

    /** MurmurHash3's 32-bit finalizer over the array's hash; 0 means that it has not been computed. */
    @Override
    public int hashCode() {
        int known = hash;
        if (known == 0) {
            known = Arrays.hashCode(content);
            known = (known ^ (known >>> 16)) * 0x85ebca6b;
            known = (known ^ (known >>> 13)) * 0xc2b2ae35;
            known ^= known >>> 16;
            hash = known;
        }
        return known;
    }

    @Override
    public String toString() {
        return "Bytes(" + java.util.HexFormat.of().formatHex(content) + ")";
    }
}
