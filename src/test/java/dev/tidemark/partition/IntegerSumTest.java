package dev.tidemark.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IntegerSumTest {
    private static final long SEED = 20261130;
    private static final long[] EDGES = {Long.MIN_VALUE, Long.MAX_VALUE, -1, 0, 1};

    @Test
    void sumsOfLongsAndOfWideDecimalsAreExactOnBothSidesOfEveryEdge() throws IOException {
        Random random = new Random(SEED);
        IntegerSum sum = new IntegerSum();
        BigInteger exact = BigInteger.ZERO;
        for (int step = 0; step < 20_000; step++) {
            boolean isAdded = random.nextBoolean();
            BigInteger value;
            if (random.nextBoolean()) {
                long number = random.nextBoolean() ? EDGES[random.nextInt(EDGES.length)] : random.nextLong();
                value = BigInteger.valueOf(number);
                if (isAdded) {
                    sum.add(number);
                } else {
                    sum.subtract(number);
                }
            } else {
                BigInteger magnitude = new BigInteger(random.nextInt(94), random);
                value = random.nextBoolean() ? magnitude : magnitude.negate();
                byte[] bytes = value.toByteArray();
                byte[] padded = new byte[bytes.length + 2];
                System.arraycopy(bytes, 0, padded, 1, bytes.length);
                if (isAdded) {
                    sum.add(padded, 1, bytes.length);
                } else {
                    sum.subtract(padded, 1, bytes.length);
                }
            }
            exact = isAdded ? exact.add(value) : exact.subtract(value);
            assertThat(sum.sum()).as("seed %s, step %s", SEED, step).isEqualTo(exact);
            sum = random.nextBoolean() ? rewritten(sum) : sum.copy();
        }
    }

    private static IntegerSum rewritten(IntegerSum sum) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sum.write(new DataOutputStream(out));
        return (IntegerSum) Accumulator.read(new DataInputStream(new ByteArrayInputStream(out.toByteArray())));
    }
}
