package dev.tidemark.generate;

/**
 * A stream of pseudo-random numbers: SplitMix64, written out here because the example data must stay the same whatever a
 * Java release does to its own generators. Streams with different names are independent of each other, so that a record
 * can be made without those before it.
 */
final class Draws {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private long state;

    /** The stream with a name, for instance an order's number, of the family that a seed begins. */
    Draws(long seed, long name) {
        this.state = mix(mix(seed) + name * GOLDEN);
    }

    /** SplitMix64's finalizer: a bijection of 64 bits. */
    static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    long next() {
        state += GOLDEN;
        return mix(state);
    }

    /** At least 0, below 1, in steps of 2^-53. */
    double fraction() {
        return (next() >>> 11) * 0x1.0p-53;
    }

    /** At least 0, below the limit. */
    int below(int limit) {
        return (int) (fraction() * limit);
    }

    /** From the first to the last, both included. */
    long between(long first, long last) {
        return first + (long) (fraction() * (last - first + 1));
    }

    /** Between two spans, evenly in the logarithm. */
    long logarithmic(long shortest, long longest) {
        return StrictMath.round(shortest * StrictMath.pow((double) longest / shortest, fraction()));
    }

    /** A Poisson number, given e to the power of minus its mean. */
    int poisson(double chanceOfNone) {
        int count = 0;
        double chance = chanceOfNone;
        double mean = -StrictMath.log(chanceOfNone);
        double left = fraction();
        while (left >= chance && count < 1_000) {
            left -= chance;
            count++;
            chance *= mean / count;
        }
        return count;
    }
}
