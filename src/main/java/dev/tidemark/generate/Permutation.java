package dev.tidemark.generate;

/**
 * A seeded bijection of the numbers from 0 up to a size, in constant memory: a Feistel network over the least even number of
 * bits that holds the size, walked along until it falls below the size again.
 */
final class Permutation {
    private static final int ROUNDS = 6;

    private final long size;
    private final long seed;
    private final int halfBits;
    private final long halfMask;

    Permutation(long seed, long size) {
        this.seed = seed;
        this.size = size;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, size - 1));
        this.halfBits = Math.max(1, (bits + 1) / 2);
        this.halfMask = (1L << halfBits) - 1;
    }

    long of(long number) {
        if (number < 0 || number >= size) {
            throw new IllegalArgumentException(number + " is not among " + size + " numbers");
        }
        long at = number;
        do {
            at = once(at);
        } while (at >= size);
        return at;
    }

    private long once(long number) {
        long left = number >>> halfBits;
        long right = number & halfMask;
        for (int round = 0; round < ROUNDS; round++) {
            long mixed = Draws.mix(seed + Draws.mix(right + ((long) (round + 1) << 56))) & halfMask;
            long next = left ^ mixed;
            left = right;
            right = next;
        }
        return left << halfBits | right;
    }
}
