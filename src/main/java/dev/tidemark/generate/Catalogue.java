package dev.tidemark.generate;

/**
 * What is sold: 6,000 products, the same for every seed. The first are bought most (the n-th quarter of the numbers has
 * about as many buyers as the square root says), and prices are such that an order is worth $75.83 on average.
 */
final class Catalogue {
    static final int PRODUCTS = 6_000;
    static final double ORDER_VALUE_CENTS = 7_583;
    static final double FURTHER_LINES = 1.7;
    /** e to the power of minus {@link #FURTHER_LINES}. */
    static final double NO_FURTHER_LINE = StrictMath.exp(-FURTHER_LINES);

    private static final double MEAN_QUANTITY = 0.7 + 0.2 * 2 + 0.1 * 3;
    private static final long SEED = 0x6B65737472656CL;

    private final long[] cents = new long[PRODUCTS];
    private final String[] names = new String[PRODUCTS];

    Catalogue() {
        double[] prices = new double[PRODUCTS];
        double mean = 0;
        for (int product = 0; product < PRODUCTS; product++) {
            Draws draws = new Draws(SEED, product);
            prices[product] = 0.25 + draws.fraction() + draws.fraction() * draws.fraction();
            double buyers = StrictMath.sqrt((product + 1.0) / PRODUCTS) - StrictMath.sqrt((double) product / PRODUCTS);
            mean += buyers * prices[product];
        }
        double unit = ORDER_VALUE_CENTS / ((1 + FURTHER_LINES) * MEAN_QUANTITY * mean);
        for (int product = 0; product < PRODUCTS; product++) {
            cents[product] = Math.max(1, StrictMath.round(prices[product] * unit));
            names[product] = "P" + (100_000 + product);
        }
    }

    /** A product that somebody buys. */
    int bought(Draws draws) {
        double place = draws.fraction();
        return (int) (PRODUCTS * place * place);
    }

    /** How many of it: seldom more than one. */
    static int quantity(Draws draws) {
        double draw = draws.fraction();
        return draw < 0.7 ? 1 : draw < 0.9 ? 2 : 3;
    }

    String name(int product) {
        return names[product];
    }

    long cents(int product) {
        return cents[product];
    }
}
