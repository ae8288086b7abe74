package dev.tidemark.change;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An immutable byte string that can be a key: equal by content, ordered by unsigned bytes, its hash computed once.
 *
 * <p>The array handed in is not copied and must not be changed afterwards; the array handed out must not either.
 */
public final class Bytes implements Comparable<Bytes>, Serializable {
    private static final long serialVersionUID = 1L;

    public static final Bytes EMPTY = new Bytes(new byte[0]);

    private final byte[] content;
    private final int hash;

    private Bytes(byte[] content) {
        this.content = content;
        this.hash = Arrays.hashCode(content);
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
        return this == other
                || (other instanceof Bytes bytes && hash == bytes.hash && Arrays.equals(content, bytes.content));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return "Bytes(" + java.util.HexFormat.of().formatHex(content) + ")";
    }
}
