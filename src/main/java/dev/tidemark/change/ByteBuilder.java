package dev.tidemark.change;

import com.dynatrace.hash4j.hashing.Hasher64;
import java.util.Arrays;

/** A growing byte array that is reused from record to record. Numbers are big-endian. */
public final class ByteBuilder {
    private byte[] bytes = new byte[256];
    private int size;

    /** Forgets the content, keeps the room. */
    public ByteBuilder clear() {
        size = 0;
        return this;
    }

    public int size() {
        return size;
    }

    public void put(int value) {
        room(1);
        bytes[size++] = (byte) value;
    }

    public void putLong(long value) {
        room(8);
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes[size++] = (byte) (value >>> shift);
        }
    }

    public void put(byte[] source, int start, int length) {
        room(length);
        System.arraycopy(source, start, bytes, size, length);
        size += length;
    }

    /** Writes 7 bits a byte, the lowest first. */
    public void putVarint(int value) {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            put((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        put(rest);
    }

    /** Writes the decimal digits of a number as ASCII. */
    public void putDigits(long value) {
        if (value == Long.MIN_VALUE) {
            putAscii("-9223372036854775808");
            return;
        }
        long rest = value;
        if (rest < 0) {
            put('-');
            rest = -rest;
        }
        int digits = 1;
        for (long limit = 10; digits < 19 && rest >= limit; limit *= 10) {
            digits++;
        }
        room(digits);
        for (int at = size + digits - 1; at >= size; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        size += digits;
    }

    public void putAscii(String text) {
        room(text.length());
        for (int i = 0; i < text.length(); i++) {
            bytes[size++] = (byte) text.charAt(i);
        }
    }

    /** Sets a bit in a byte written before. */
    public void setBit(int position, int bit) {
        bytes[position] |= (byte) (1 << bit);
    }

    /** A hash of the content. */
    public long hash(Hasher64 hasher) {
        return hasher.hashBytesToLong(bytes, 0, size);
    }

    /** The content, in an array of its own. */
    public Bytes build() {
        return Bytes.of(Arrays.copyOf(bytes, size));
    }

    private void room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }
}
