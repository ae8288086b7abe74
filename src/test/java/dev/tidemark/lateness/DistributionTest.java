package dev.tidemark.lateness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DistributionTest {
    private static final long DAY = LocalDate.of(2024, 3, 10).toEpochDay();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void percentilesAreNeverTooLowAndAtMostTwoPercentTooHighAndTheMaximumIsExact(long seed) {
        Random random = new Random(seed);
        int changes = 1 + random.nextInt(20_000);
        List<Long> exact = new ArrayList<>();
        LatenessCounter counter = new LatenessCounter();
        Distribution stored = new Distribution();
        for (int i = 0; i < changes; i++) {
            long millis = (long) Math.pow(10, random.nextDouble() * 11) - 1;
            exact.add(millis);
            counter.count(DAY, false, millis / 86_400_000, millis, false);
            if (random.nextInt(1000) == 0) {
                counter.drain().forEach(stored::add);
            }
        }
        counter.drain().forEach(stored::add);
        exact.sort(null);

        assertThat(stored.changes()).as("seed %d", seed).isEqualTo(changes);
        for (Quantile quantile : Quantile.values()) {
            long wanted = exact.get((int) quantile.rank(changes) - 1);
            assertThat(stored.millis(quantile))
                    .as("%s of %d, seed %d", quantile.word(), changes, seed)
                    .isBetween(wanted, Math.round(wanted * 1.02));
        }
        assertThat(stored.maxMillis()).isEqualTo(exact.get(changes - 1));
        assertThat(stored.upTo(3).changes() + stored.beyond(3).changes()).isEqualTo(changes);
        assertThat(stored.upTo(3).changes())
                .isEqualTo(exact.stream()
                        .filter(millis -> millis / 86_400_000 <= 3)
                        .count());
    }

    @Test
    void ranksAreThoseOfTheNearestRankWithoutRounding() {
        assertThat(Quantile.P50.rank(1)).isEqualTo(1);
        assertThat(Quantile.P50.rank(2)).isEqualTo(1);
        assertThat(Quantile.P99.rank(100)).isEqualTo(99);
        assertThat(Quantile.P99.rank(101)).isEqualTo(100);
        assertThat(Quantile.P9999.rank(10_000)).isEqualTo(9_999);
        assertThat(Quantile.P9999.rank(10_001)).isEqualTo(10_000);
        assertThat(Quantile.P95.rank(1_000_000_000_000_000_000L)).isEqualTo(950_000_000_000_000_000L);
        assertThat(Quantile.MAXIMUM.rank(7)).isEqualTo(7);
        assertThat(Quantile.P9999.isTold(10_000)).isTrue();
        assertThat(Quantile.P9999.isTold(9_999)).isFalse();
    }

    @Test
    void nothingIsSaidOfNothing() {
        Distribution nothing = new Distribution();

        assertThat(nothing.millis(Quantile.P99)).isEqualTo(-1);
        assertThat(nothing.maxMillis()).isEqualTo(-1);
        assertThat(nothing.maxAge()).isEqualTo(-1);
    }
}
