package dev.tidemark.partition;

import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * An exact sum of finite doubles, and of how many; rounded only when it is asked for.
 *
 * <p>Every finite double is a multiple of 2^-1074 below 2^2098 of them. The sum is that multiple, in limbs of 32 bits of
 * which only those between the least and the greatest ever touched exist. A limb is a long, so that carries can wait
 * for half a milliard of additions.
 */
final class FloatSum extends Accumulator {
    static final int KIND = 3;

    private static final int LIMB_BITS = 32;
    private static final int LIMBS_OF_A_DOUBLE = 3;
    private static final long LIMB_MASK = 0xffff_ffffL;
    private static final int LEAST_EXPONENT = -1074;
    private static final int PRECISION = 53;
    private static final int ADDITIONS_BEFORE_CARRY = 1 << 29;
    private static final long[] NO_LIMBS = {};

    long count;
    /** The number of the limb at index 0: it counts multiples of 2^(32 first - 1074). */
    private int first;

    private long[] limbs = NO_LIMBS;
    private int uncarried;

    /** Adds a double, given as its bits. */
    void add(long bits) {
        accumulate(bits, bits < 0);
    }

    /** Subtracts a double, given as its bits. */
    void subtract(long bits) {
        accumulate(bits, bits >= 0);
    }

    private void accumulate(long bits, boolean isNegative) {
        long mantissa = bits & 0xf_ffff_ffff_ffffL;
        int exponent = (int) (bits >>> 52) & 0x7ff;
        if (exponent != 0) {
            mantissa |= 1L << 52;
            exponent--;
        } else if (mantissa == 0) {
            return;
        }
        int shift = exponent & (LIMB_BITS - 1);
        long low = (mantissa << shift) & LIMB_MASK;
        long middle = (mantissa >>> (LIMB_BITS - shift)) & LIMB_MASK;
        long high = shift == 0 ? 0 : mantissa >>> (2 * LIMB_BITS - shift);
        int at = reserve(exponent / LIMB_BITS, LIMBS_OF_A_DOUBLE);
        if (isNegative) {
            limbs[at] -= low;
            limbs[at + 1] -= middle;
            limbs[at + 2] -= high;
        } else {
            limbs[at] += low;
            limbs[at + 1] += middle;
            limbs[at + 2] += high;
        }
        if (++uncarried == ADDITIONS_BEFORE_CARRY) {
            carry();
        }
    }

    /** Makes room for limbs from a number on, and gives the index of the first. */
    private int reserve(int number, int size) {
        if (limbs.length == 0) {
            first = number;
            limbs = new long[size];
            return 0;
        }
        int wantedFirst = Math.min(first, number);
        int wantedSize = Math.max(first + limbs.length, number + size) - wantedFirst;
        if (wantedSize > limbs.length) {
            long[] wider = new long[wantedSize];
            System.arraycopy(limbs, 0, wider, first - wantedFirst, limbs.length);
            limbs = wider;
            first = wantedFirst;
        }
        return number - first;
    }

    /** Brings all limbs but the last into 0 to 2^32 - 1, and the last into the range of an int. */
    private void carry() {
        uncarried = 0;
        if (limbs.length == 0) {
            return;
        }
        long carried = 0;
        int last = limbs.length - 1;
        for (int i = 0; i < last; i++) {
            long value = limbs[i] + carried;
            limbs[i] = value & LIMB_MASK;
            carried = value >> LIMB_BITS;
        }
        long top = limbs[last] + carried;
        if (top == (int) top) {
            limbs[last] = top;
        } else {
            limbs = Arrays.copyOf(limbs, limbs.length + 1);
            limbs[last] = top & LIMB_MASK;
            limbs[last + 1] = top >> LIMB_BITS;
        }
    }

    /** The sum, rounded once to the nearest double, ties to even; infinite if it is beyond the greatest double. */
    double sum() {
        BigInteger exact = multiple();
        double magnitude = rounded(exact.abs(), false, exponent());
        return exact.signum() < 0 ? -magnitude : magnitude;
    }

    /** The sum divided by the count, rounded once as a whole. */
    double average() {
        BigInteger exact = multiple();
        BigInteger divisor = BigInteger.valueOf(count);
        int shift = Math.max(0, PRECISION + 2 + divisor.bitLength() - exact.bitLength());
        BigInteger[] quotient = exact.abs().shiftLeft(shift).divideAndRemainder(divisor);
        double magnitude = rounded(quotient[0], quotient[1].signum() != 0, exponent() - shift);
        return exact.signum() < 0 ? -magnitude : magnitude;
    }

    private int exponent() {
        return first * LIMB_BITS + LEAST_EXPONENT;
    }

    private BigInteger multiple() {
        carry();
        BigInteger multiple = BigInteger.ZERO;
        for (int i = limbs.length - 1; i >= 0; i--) {
            multiple = multiple.shiftLeft(LIMB_BITS).add(BigInteger.valueOf(limbs[i]));
        }
        return multiple;
    }

    /**
     * The double nearest to magnitude x 2^exponent.
     *
     * @param isMore whether the exact value is a little more; the magnitude then has more bits than a double
     */
    private static double rounded(BigInteger magnitude, boolean isMore, int exponent) {
        if (magnitude.signum() == 0) {
            return 0.0;
        }
        int drop = Math.max(magnitude.bitLength() - PRECISION, LEAST_EXPONENT - exponent);
        if (drop <= 0) {
            return Math.scalb((double) magnitude.longValue(), exponent);
        }
        long kept = magnitude.shiftRight(drop).longValue();
        boolean isHalfOrMore = magnitude.testBit(drop - 1);
        boolean isOffHalf = isMore || magnitude.getLowestSetBit() < drop - 1;
        if (isHalfOrMore && (isOffHalf || (kept & 1) != 0)) {
            kept++;
        }
        return Math.scalb((double) kept, exponent + drop);
    }

    @Override
    FloatSum copy() {
        FloatSum copy = new FloatSum();
        copy.count = count;
        copy.first = first;
        copy.limbs = limbs.clone();
        copy.uncarried = uncarried;
        return copy;
    }

    @Override
    void merge(Accumulator other) {
        FloatSum sum = (FloatSum) other;
        count += sum.count;
        if (sum.limbs.length == 0) {
            return;
        }
        sum.carry();
        carry();
        int at = reserve(sum.first, sum.limbs.length);
        for (int i = 0; i < sum.limbs.length; i++) {
            limbs[at + i] += sum.limbs[i];
        }
        // What is carried has limbs no greater than those of one double.
        uncarried++;
    }

    /** Writes the one form that a sum has: without zeros at either end, the last limb not -1 unless it is the only one. */
    @Override
    void write(DataOutput out) throws IOException {
        carry();
        int start = 0;
        int end = limbs.length;
        while (end > start && limbs[end - 1] == 0) {
            end--;
        }
        while (start < end && limbs[start] == 0) {
            start++;
        }
        long top = end > start ? limbs[end - 1] : 0;
        while (top == -1 && end - start > 1) {
            end--;
            top = limbs[end - 1] - (1L << LIMB_BITS);
        }
        out.writeByte(KIND);
        Wire.writeSigned(count, out);
        Wire.writeUnsigned(end - start, out);
        if (end > start) {
            Wire.writeUnsigned(first + start, out);
            for (int i = start; i < end - 1; i++) {
                Wire.writeSigned(limbs[i], out);
            }
            Wire.writeSigned(top, out);
        }
    }

    static FloatSum readBody(DataInput in) throws IOException {
        FloatSum read = new FloatSum();
        read.count = Wire.readSigned(in);
        int size = Wire.readUnsigned(in);
        if (size > 0) {
            read.first = Wire.readUnsigned(in);
            read.limbs = new long[size];
            for (int i = 0; i < size; i++) {
                read.limbs[i] = Wire.readSigned(in);
            }
        }
        return read;
    }
}
