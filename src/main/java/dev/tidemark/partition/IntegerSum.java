package dev.tidemark.partition;

import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.math.BigInteger;

/**
 * An exact sum of integers, and of how many. The sum is kept in two longs, as one two's complement number of 128 bits:
 * values of 28 digits would have to be 17 thousand millions to leave it, longs more than a cell can count. Since it is a
 * group modulo 2^128, a sum that fits is exact whatever the sums on the way to it were.
 */
final class IntegerSum extends Accumulator {
    static final int KIND = 2;

    long count;
    private long high;
    private long low;

    void add(long value) {
        add(value >> 63, value);
    }

    void subtract(long value) {
        subtract(value >> 63, value);
    }

    /** Adds a big-endian two's complement number. */
    void add(byte[] source, int start, int length) {
        add(highOf(source, start, length), lowOf(source, start, length));
    }

    /** Subtracts a big-endian two's complement number. */
    void subtract(byte[] source, int start, int length) {
        subtract(highOf(source, start, length), lowOf(source, start, length));
    }

    BigInteger sum() {
        if (high == low >> 63) {
            return BigInteger.valueOf(low);
        }
        BigInteger unsignedLow = BigInteger.valueOf(low >>> 1).shiftLeft(1).or(BigInteger.valueOf(low & 1));
        return BigInteger.valueOf(high).shiftLeft(64).or(unsignedLow);
    }

    private void add(long moreHigh, long moreLow) {
        low += moreLow;
        high += moreHigh + (Long.compareUnsigned(low, moreLow) < 0 ? 1 : 0);
    }

    private void subtract(long lessHigh, long lessLow) {
        high -= lessHigh + (Long.compareUnsigned(low, lessLow) < 0 ? 1 : 0);
        low -= lessLow;
    }

    private static long highOf(byte[] source, int start, int length) {
        if (length > 16) {
            throw new IllegalArgumentException("A decimal of " + length + " bytes has more than 38 digits");
        }
        return length <= 8 ? source[start] >> 7 : signed(source, start, length - 8);
    }

    private static long lowOf(byte[] source, int start, int length) {
        return length <= 8 ? signed(source, start, length) : signed(source, start + length - 8, 8);
    }

    private static long signed(byte[] source, int start, int length) {
        long value = source[start];
        for (int i = start + 1; i < start + length; i++) {
            value = (value << 8) | (source[i] & 0xff);
        }
        return value;
    }

    @Override
    IntegerSum copy() {
        IntegerSum copy = new IntegerSum();
        copy.count = count;
        copy.high = high;
        copy.low = low;
        return copy;
    }

    @Override
    void merge(Accumulator other) {
        IntegerSum sum = (IntegerSum) other;
        count += sum.count;
        add(sum.high, sum.low);
    }

    @Override
    void write(DataOutput out) throws IOException {
        out.writeByte(KIND);
        Wire.writeSigned(count, out);
        boolean isShort = high == low >> 63;
        out.writeBoolean(isShort);
        if (isShort) {
            Wire.writeSigned(low, out);
        } else {
            out.writeLong(high);
            out.writeLong(low);
        }
    }

    static IntegerSum readBody(DataInput in) throws IOException {
        IntegerSum read = new IntegerSum();
        read.count = Wire.readSigned(in);
        if (in.readBoolean()) {
            read.low = Wire.readSigned(in);
            read.high = read.low >> 63;
        } else {
            read.high = in.readLong();
            read.low = in.readLong();
        }
        return read;
    }
}
