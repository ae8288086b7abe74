package dev.tidemark.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers, permutations and lags behind the stories. */
class LagsTest {
    /** The reference values of SplitMix64 for the seed 1234567. */
    @Test
    void theMixerIsThatOfSplitMix64() {
        long golden = 0x9E3779B97F4A7C15L;
        assertThat(LongStream.rangeClosed(1, 3)
                        .map(i -> Draws.mix(1234567 + i * golden))
                        .mapToObj(Long::toUnsignedString))
                .containsExactly("6457827717110365317", "3203168211198807973", "9817491932198370423");
    }

    @Test
    void poissonNumbersHaveTheirMeanAndVariance() {
        Draws draws = new Draws(1, 1);
        int[] numbers = new int[100_000];
        Arrays.setAll(numbers, i -> draws.poisson(Math.exp(-1.7)));
        double mean = Arrays.stream(numbers).average().orElseThrow();
        double variance = Arrays.stream(numbers)
                .mapToDouble(number -> (number - mean) * (number - mean))
                .average()
                .orElseThrow();
        assertThat(mean).isBetween(1.68, 1.72);
        assertThat(variance).isBetween(1.66, 1.74);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 64, 65, 1000, 4097, 100_003})
    void aPermutationGivesEachNumberOnce(long size) {
        Permutation permutation = new Permutation(7, size);
        assertThat(LongStream.range(0, size).map(permutation::of).sorted().toArray())
                .isEqualTo(LongStream.range(0, size).toArray());
    }

    @Test
    void aPermutationLeavesNoTraceOfTheOrder() {
        int size = 10_000;
        Permutation permutation = new Permutation(7, size);
        double mean =
                LongStream.range(0, size / 2).map(permutation::of).average().orElseThrow();
        assertThat(mean).isBetween(size * 0.49, size * 0.51);
        assertThat(LongStream.range(0, size).map(new Permutation(8, size)::of).toArray())
                .isNotEqualTo(LongStream.range(0, size).map(permutation::of).toArray());
    }

    @ParameterizedTest
    @ValueSource(ints = {10_000, 10_001, 123_457, 1_000_000})
    void thePercentilesOfTheCurveAreExact(int arrivals) {
        LagCurve curve = new LagCurve(arrivals);
        long[] ascending = LongStream.range(0, arrivals)
                .map(rank -> curve.lag(arrivals - 1 - rank))
                .toArray();
        assertThat(ascending).isSorted();
        assertThat(percentile(ascending, 0.5)).isEqualTo(Duration.ofMillis(800));
        assertThat(percentile(ascending, 0.99)).isEqualTo(Duration.ofMinutes(41));
        assertThat(percentile(ascending, 0.999)).isEqualTo(Duration.ofMinutes(4 * 60 + 12));
        assertThat(percentile(ascending, 0.9999)).isEqualTo(Duration.ofHours(19));
        assertThat(percentile(ascending, 1)).isEqualTo(Duration.ofHours(52));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 99, 101, 5_000})
    void ofFewArrivalsTheLongestIsStillTheMaximum(int arrivals) {
        LagCurve curve = new LagCurve(arrivals);
        long[] ascending = LongStream.range(0, arrivals)
                .map(rank -> curve.lag(arrivals - 1 - rank))
                .toArray();
        assertThat(ascending).isSorted();
        assertThat(percentile(ascending, 1)).isEqualTo(Duration.ofHours(52));
        assertThat(ascending[0]).isPositive();
    }

    @Test
    void aRankIsFoundByItsLag() {
        LagCurve curve = new LagCurve(50_000);
        for (long rank : new long[] {0, 1, 4, 5, 6, 49, 500, 24_999, 25_000, 49_999}) {
            assertThat(curve.rank((double) curve.lag(rank))).isEqualTo(rank);
        }
        assertThat(curve.rank(1)).isEqualTo(49_999);
        assertThat(curve.rank(Double.MAX_VALUE)).isZero();
    }

    @Test
    void everyLagOfTheCurveIsGivenAwayOnce() {
        int arrivals = 2_000;
        LagCurve curve = new LagCurve(arrivals);
        for (long[] asked : new long[][] {
            {}, {5, 5, 5, 5}, {1_999, 1_999, 1_999}, {0, 1_998, 1_999, 1_999, 700}, new long[2_000], new long[1_500]
        }) {
            Lags lags = new Lags(3, curve, asked);
            LongStream great = LongStream.range(0, asked.length).map(i -> lags.ofGreat((int) i));
            LongStream ordinary = LongStream.range(0, arrivals - asked.length).map(lags::ofOrdinary);
            assertThat(LongStream.concat(great, ordinary).sorted().toArray())
                    .isEqualTo(LongStream.range(0, arrivals)
                            .map(curve::lag)
                            .sorted()
                            .toArray());
        }
    }

    static Duration percentile(long[] ascendingMicros, double share) {
        int rank = (int) Math.ceil(Math.round(share * 10_000) / 10_000.0 * ascendingMicros.length - 1e-6);
        return Duration.ofNanos(ascendingMicros[rank - 1] * 1_000);
    }
}
