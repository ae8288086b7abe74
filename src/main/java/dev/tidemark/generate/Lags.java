package dev.tidemark.generate;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Which order has which lag. Together the lags are exactly those of the curve: every rank of it is given away once. The
 * orders of the great day take the ranks that come nearest to what each of them asks for; the ordinary ones share the rest by
 * a permutation. Memory depends on the great day alone.
 */
final class Lags {
    private final LagCurve curve;
    private final Permutation ordinary;
    private final long[] great;
    private final long[] taken;

    /**
     * @param curve over all orders, ordinary and great
     * @param asked for each order of the great day, the rank it asks for
     */
    Lags(long seed, LagCurve curve, long[] asked) {
        this.curve = curve;
        this.great = given(asked, curve.arrivals());
        this.taken = great.clone();
        Arrays.sort(taken);
        this.ordinary = new Permutation(seed, Math.max(1, curve.arrivals() - asked.length));
    }

    /** Of those that ask for the same rank all but one take the next that is free, or the one before if the end is full. */
    private static long[] given(long[] asked, long ranks) {
        int[] order = IntStream.range(0, asked.length)
                .boxed()
                .sorted(Comparator.<Integer>comparingLong(i -> asked[i]).thenComparing(i -> i))
                .mapToInt(i -> i)
                .toArray();
        long[] given = new long[asked.length];
        long next = 0;
        for (int i : order) {
            given[i] = Math.max(asked[i], next);
            next = given[i] + 1;
        }
        long last = ranks - 1;
        for (int at = order.length - 1; at >= 0 && given[order[at]] > last; at--) {
            given[order[at]] = last;
            last--;
        }
        return given;
    }

    /** The lag of an order of the great day, in microseconds. */
    long ofGreat(int number) {
        return curve.lag(great[number]);
    }

    /** The lag of an order of the ordinary days, in microseconds. */
    long ofOrdinary(long number) {
        long free = ordinary.of(number);
        int low = 0;
        int high = taken.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (taken[middle] - middle <= free) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return curve.lag(free + low);
    }
}
