package dev.tidemark.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FloatSumTest {
    private static final long SEED = 20261130;

    @Test
    void aTenthSurvivesBetweenTwoHugeNumbersInEveryOrder() {
        double[] values = {1e16, -1e16, 0.1};
        int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (int[] order : orders) {
            FloatSum sum = new FloatSum();
            for (int i : order) {
                add(sum, values[i]);
            }
            assertThat(sum.sum()).isEqualTo(0.1);
            assertThat(sum.average()).isEqualTo(0.1 / 3);
        }
    }

    @Test
    void everythingCancelsToPlainZero() throws IOException {
        FloatSum sum = new FloatSum();
        double[] values = {Double.MAX_VALUE, Double.MIN_VALUE, -3.7, 1e-320, 5e200};
        for (double value : values) {
            add(sum, value);
        }
        for (double value : values) {
            retract(sum, value);
        }
        assertThat(Double.doubleToRawLongBits(sum.sum())).isZero();
        assertThat(written(sum)).isEqualTo(written(new FloatSum()));
    }

    @Test
    void subnormalsAreExact() {
        FloatSum sum = new FloatSum();
        for (int i = 0; i < 3; i++) {
            add(sum, Double.MIN_VALUE);
        }
        assertThat(sum.sum()).isEqualTo(3 * Double.MIN_VALUE);
        assertThat(sum.average()).isEqualTo(Double.MIN_VALUE);
        retract(sum, Double.MIN_VALUE);
        add(sum, -3 * Double.MIN_VALUE);
        assertThat(sum.sum()).isEqualTo(-Double.MIN_VALUE);
        // A third of the least double is rounded to zero, more than a half of it is not.
        assertThat(sum.average()).isEqualTo(0.0);
        add(sum, -Double.MIN_VALUE);
        add(sum, -Double.MIN_VALUE);
        assertThat(sum.average()).isEqualTo(-Double.MIN_VALUE);
    }

    @Test
    void aSumBeyondTheGreatestDoubleIsInfiniteAndComesBack() {
        FloatSum sum = new FloatSum();
        for (int i = 0; i < 1000; i++) {
            add(sum, Double.MAX_VALUE);
        }
        assertThat(sum.sum()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(sum.average()).isEqualTo(Double.MAX_VALUE);
        for (int i = 0; i < 999; i++) {
            retract(sum, Double.MAX_VALUE);
        }
        assertThat(sum.sum()).isEqualTo(Double.MAX_VALUE);
        retract(sum, Double.MAX_VALUE);
        retract(sum, Double.MAX_VALUE);
        assertThat(sum.sum()).isEqualTo(-Double.MAX_VALUE);
        // Half a unit in the last place of the greatest double is what makes it infinite.
        FloatSum edge = new FloatSum();
        add(edge, Double.MAX_VALUE);
        add(edge, Math.scalb(1.0, 969));
        assertThat(edge.sum()).isEqualTo(Double.MAX_VALUE);
        add(edge, Math.scalb(1.0, 969));
        assertThat(edge.sum()).isEqualTo(Double.POSITIVE_INFINITY);
        add(edge, -Double.MIN_VALUE);
        assertThat(edge.sum()).isEqualTo(Double.MAX_VALUE);
    }

    @Test
    void tiesGoToTheEvenOne() {
        double half = Math.ulp(1.0) / 2;
        FloatSum sum = new FloatSum();
        add(sum, 1.0);
        add(sum, half);
        assertThat(sum.sum()).isEqualTo(1.0);
        add(sum, Double.MIN_VALUE);
        assertThat(sum.sum()).isEqualTo(Math.nextUp(1.0));
        retract(sum, Double.MIN_VALUE);
        add(sum, 2 * half);
        assertThat(sum.sum()).isEqualTo(1.0 + 4 * half);
    }

    @Test
    void sumsAndAveragesEqualThoseOfExactDecimals() throws IOException {
        Random random = new Random(SEED);
        for (int round = 0; round < 300; round++) {
            int spread = 1 + random.nextInt(2000);
            FloatSum sum = new FloatSum();
            List<Double> in = new ArrayList<>();
            BigDecimal exact = BigDecimal.ZERO;
            for (int step = 0; step < 40; step++) {
                if (!in.isEmpty() && random.nextInt(3) == 0) {
                    double value = in.remove(random.nextInt(in.size()));
                    retract(sum, value);
                    exact = exact.subtract(new BigDecimal(value));
                } else {
                    double value = anyDouble(random, spread);
                    in.add(value);
                    add(sum, value);
                    exact = exact.add(new BigDecimal(value));
                }
                assertThat(sum.sum()).as("seed %s, round %s", SEED, round).isEqualTo(exact.doubleValue());
                if (!in.isEmpty()) {
                    assertNearest(exact, in.size(), sum.average());
                }
            }
            FloatSum anew = new FloatSum();
            Collections.shuffle(in, random);
            in.forEach(value -> add(anew, value));
            assertThat(written(sum))
                    .as("the written form depends on nothing but the members; seed %s, round %s", SEED, round)
                    .isEqualTo(written(anew));
            assertThat(read(written(sum)).sum()).isEqualTo(exact.doubleValue());
        }
    }

    @Test
    void carriesSurviveBeingWrittenAndReadInBetween() throws IOException {
        Random random = new Random(SEED);
        FloatSum sum = new FloatSum();
        BigDecimal exact = BigDecimal.ZERO;
        for (int step = 0; step < 2000; step++) {
            double value = anyDouble(random, 80);
            add(sum, value);
            exact = exact.add(new BigDecimal(value));
            sum = random.nextBoolean() ? read(written(sum)) : sum.copy();
        }
        assertThat(sum.sum()).isEqualTo(exact.doubleValue());
    }

    @Test
    void aSumOfFewLimbsGrowsDownwardsAfterItWasRead() throws IOException {
        FloatSum sum = new FloatSum();
        add(sum, Math.scalb(1.0, 100));
        sum = read(written(sum));
        add(sum, Math.scalb(1.0, 80) + Math.scalb(1.0, 30));
        assertThat(sum.sum()).isEqualTo(Math.scalb(1.0, 100) + Math.scalb(1.0, 80));
        retract(sum, Math.scalb(1.0, 100));
        assertThat(sum.sum()).isEqualTo(Math.scalb(1.0, 80) + Math.scalb(1.0, 30));
    }

    private static double anyDouble(Random random, int spread) {
        long exponent = Math.max(0, 1023 - spread / 2 + random.nextInt(spread)) % 2047;
        return Double.longBitsToDouble((random.nextLong() & 0x800f_ffff_ffff_ffffL) | exponent << 52);
    }

    /** Whether a double is the one nearest to exact / count, the even one if two are. */
    private static void assertNearest(BigDecimal exact, int count, double average) {
        BigDecimal n = BigDecimal.valueOf(count);
        BigDecimal twice = exact.multiply(BigDecimal.valueOf(2));
        BigDecimal middle = new BigDecimal(average);
        boolean isEven = (Double.doubleToLongBits(average) & 1) == 0;
        int above =
                twice.compareTo(middle.add(new BigDecimal(Math.nextUp(average))).multiply(n));
        int below = twice.compareTo(
                middle.add(new BigDecimal(Math.nextDown(average))).multiply(n));
        assertThat(isEven ? above <= 0 && below >= 0 : above < 0 && below > 0)
                .as("%s is nearest to %s / %s", average, exact, count)
                .isTrue();
    }

    private static void add(FloatSum sum, double value) {
        sum.count++;
        sum.add(Double.doubleToLongBits(value));
    }

    private static void retract(FloatSum sum, double value) {
        sum.count--;
        sum.subtract(Double.doubleToLongBits(value));
    }

    private static String written(FloatSum sum) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sum.write(new DataOutputStream(out));
        return HexFormat.of().formatHex(out.toByteArray());
    }

    private static FloatSum read(String hex) throws IOException {
        return (FloatSum) Accumulator.read(
                new DataInputStream(new ByteArrayInputStream(HexFormat.of().parseHex(hex))));
    }
}
