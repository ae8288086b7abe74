package dev.tidemark.lateness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrictReadsTest {
    private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");

    private record Seen(long record, long observedAt, long version) {}

    @Test
    void aRowThatIsSeenAfterAReadThatLoadedANewerOneIsPassedOver() {
        StrictReads reads = new StrictReads(ReadTimes.of(new long[] {10, 20, 30}));

        assertThat(asks(reads, 5, 4)).isTrue();
        assertThat(asks(reads, 10, 9)).isTrue();
        // 9 was loaded at 10: what was written before, and is seen at 20, is lost; in the very instant of a read it is
        // seen
        assertThat(asks(reads, 11, 8)).isFalse();
        assertThat(asks(reads, 15, 14)).isTrue();
        assertThat(asks(reads, 16, 10)).isTrue();
        assertThat(asks(reads, 25, 14)).isFalse();
        assertThat(reads.isRead(30)).isTrue();
        assertThat(reads.isRead(31)).isFalse();
        assertThat(asks(reads, 31, 99)).isFalse();
    }

    /** As it happened, at ten o'clock: 5001 was written first and committed last, 5002 was loaded in between. */
    @Test
    void theInversionOfTwoWritersIsLostForGoodAndALookbackBringsItIn() {
        long ten = 10 * 3_600_000_000L;
        long updatedFirst = ten;
        long updatedSecond = ten + 100_000;
        long committedSecond = ten + 150_000;
        long committedFirst = ten + 3_000_000;
        // the reader reads two seconds after ten, and a thousand times more
        long[] times = LongStream.range(0, 1_001)
                .map(read -> ten + 2_000_000 + read * 86_400_000_000L)
                .toArray();
        StrictReads strict = new StrictReads(ReadTimes.of(times));
        StrictReads lookingBack = new StrictReads(ReadTimes.of(times), Duration.ofMillis(100));
        StrictReads tooLittle = new StrictReads(ReadTimes.of(times), Duration.ofMillis(99));

        assertThat(asks(strict, committedSecond, updatedSecond)).isTrue();
        assertThat(asks(strict, committedFirst, updatedFirst)).isFalse();
        assertThat(asks(tooLittle, committedSecond, updatedSecond)).isTrue();
        assertThat(asks(tooLittle, committedFirst, updatedFirst)).isFalse();
        // the start of a lookback is in it
        assertThat(asks(lookingBack, committedSecond, updatedSecond)).isTrue();
        assertThat(asks(lookingBack, committedFirst, updatedFirst)).isTrue();
        assertThat(lookingBack.loadings(committedSecond, updatedSecond)).isEqualTo(2);
        assertThat(lookingBack.loadings(committedFirst, updatedFirst)).isEqualTo(1);
        assertThatThrownBy(() -> new StrictReads(ReadTimes.of(times), Duration.ofMillis(-1)))
                .hasMessageContaining("is no lookback");
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0", "3, 0", "4, 0", "5, 0", "6, 0", "1, 100", "2, 100", "3, 2500", "4, 2500", "5, 30000"})
    void whateverTheOrderOfTheRowsTheSameAreLost(long seed, long lookback) {
        Random random = new Random(seed);
        List<Seen> rows = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            long version = random.nextInt(100_000);
            rows.add(new Seen(random.nextInt(700), version + (long) Math.pow(10, random.nextDouble() * 4), version));
        }
        long[] times = random.longs(40, 0, 115_000).toArray();

        Naive naive = naive(rows, times, lookback);
        Collections.shuffle(rows, random);
        StrictReplay replay = new StrictReplay(ReadTimes.of(times), Duration.ofNanos(lookback * 1_000));
        rows.forEach(row -> replay.survey(row.observedAt(), row.version()));
        Collections.shuffle(rows, random);
        rows.forEach(row -> replay.replay(new StrictReplay.Row(
                hash(row.record()),
                hash(row.record()),
                false,
                row.observedAt(),
                row.version(),
                row.version(),
                0,
                null)));

        StrictLoss loss = replay.loss();
        assertThat(loss.lost()).as("seed %d", seed).isEqualTo(naive.lost());
        if (lookback < 10_000) {
            assertThat(loss.lost()).isPositive();
        } else {
            assertThat(loss.lost()).isZero();
        }
        assertThat(loss.reads()).isEqualTo(naive.reads());
        assertThat(loss.loadings()).isEqualTo(naive.loadings());
        assertThat(loss.loadedAgain()).isEqualTo(naive.loadedAgain());
        assertThat(loss.loadedAgain() > 0).isEqualTo(lookback > 0);
        assertThat(loss.changes()).isEqualTo(2_000);
        assertThat(loss.records())
                .isEqualTo(rows.stream().map(Seen::record).distinct().count());
    }

    @Test
    void aRecordThatALaterChangeShowsIsNotLostAndOneThatIsLostIsWorthItsRows() {
        StrictReplay replay = new StrictReplay(ReadTimes.of(new long[] {100, 200, 300}));
        List<StrictReplay.Row> rows = List.of(
                row(1, 1, 90, 90, "1.00"),
                row(2, 2, 110, 80, "2.00"),
                row(2, 3, 110, 80, "3.50"),
                row(3, 4, 110, 81, "9.00"),
                row(3, 4, 210, 205, "9.00"));
        rows.forEach(row -> replay.survey(row.observedAt(), row.version()));
        rows.forEach(replay::replay);

        StrictLoss loss = replay.loss();

        assertThat(loss.records()).isEqualTo(3);
        assertThat(loss.lost()).isEqualTo(1);
        assertThat(loss.value()).isEqualByComparingTo("5.50");
        assertThat(loss.days()).containsEntry(LocalDate.EPOCH, new StrictLoss.Day(3, 1, new BigDecimal("5.50")));
        assertThat(loss.minutes())
                .singleElement()
                .extracting(StrictLoss.Minute::lost)
                .isEqualTo(1L);
    }

    @Test
    void nightlyReadsKeepTheTimeOnTheWallWhenTheClocksChange() {
        DailyReads nightly = reads(Duration.ofDays(1), "03:30", List.of(), null);

        assertThat(next(nightly, "2026-03-07T12:00:00Z")).isEqualTo("2026-03-08T07:30:00Z");
        assertThat(next(nightly, "2026-03-08T07:30:00Z")).isEqualTo("2026-03-08T07:30:00Z");
        assertThat(next(nightly, "2026-03-08T07:30:00.000001Z")).isEqualTo("2026-03-09T07:30:00Z");
        assertThat(next(nightly, "2026-03-06T12:00:00Z")).isEqualTo("2026-03-07T08:30:00Z");
    }

    @Test
    void furtherReadsAreOnTheirDayOnly() {
        DailyReads busy = reads(Duration.ofDays(1), "03:30", List.of("05:05", "13:20"), LocalDate.of(2026, 11, 27));

        assertThat(next(busy, "2026-11-26T09:00:00Z")).isEqualTo("2026-11-27T08:30:00Z");
        assertThat(next(busy, "2026-11-27T08:31:00Z")).isEqualTo("2026-11-27T10:05:00Z");
        assertThat(next(busy, "2026-11-27T10:06:00Z")).isEqualTo("2026-11-27T18:20:00Z");
        assertThat(next(busy, "2026-11-27T18:21:00Z")).isEqualTo("2026-11-28T08:30:00Z");
    }

    @Test
    void readsWithinADayBeginAnewEveryDayAndRareOnesKeepTheirDays() {
        DailyReads sixHours = reads(Duration.ofHours(6), "01:00", List.of(), null);
        DailyReads weekly = reads(Duration.ofDays(7), "01:00", List.of(), null);

        assertThat(next(sixHours, "2026-06-01T04:59:00Z")).isEqualTo("2026-06-01T05:00:00Z");
        assertThat(next(sixHours, "2026-06-01T05:01:00Z")).isEqualTo("2026-06-01T11:00:00Z");
        String first = next(weekly, "2026-06-01T00:00:00Z");
        assertThat(next(weekly, first)).isEqualTo(first);
        assertThat(Instant.parse(
                        next(weekly, Instant.parse(first).plusSeconds(1).toString())))
                .isEqualTo(Instant.parse(first).plus(Duration.ofDays(7)));
        assertThatThrownBy(() -> reads(Duration.ofHours(36), "01:00", List.of(), null))
                .hasMessageContaining("whole days");
    }

    private record Naive(long lost, long reads, long loadings, long loadedAgain) {}

    /** Read by read, over all rows; a read that finds nothing new to see is left out. */
    private static Naive naive(List<Seen> rows, long[] times, long lookback) {
        long[] sorted = Arrays.stream(times).sorted().toArray();
        Set<Long> loaded = new HashSet<>();
        Set<Long> passed = new HashSet<>();
        Set<Seen> once = Collections.newSetFromMap(new IdentityHashMap<>());
        long greatest = Long.MIN_VALUE;
        long reads = 0;
        long loadings = 0;
        for (int i = 0; i < sorted.length; i++) {
            long read = sorted[i];
            long before = i == 0 ? Long.MIN_VALUE : sorted[i - 1];
            if (rows.stream().noneMatch(row -> row.observedAt() <= read && row.observedAt() > before)) {
                continue;
            }
            reads++;
            long newest = greatest;
            for (Seen row : rows) {
                boolean isNewer = greatest == Long.MIN_VALUE
                        || (lookback == 0 ? row.version() > greatest : row.version() >= greatest - lookback);
                if (row.observedAt() <= read && isNewer) {
                    loaded.add(row.record());
                    once.add(row);
                    loadings++;
                    newest = Math.max(newest, row.version());
                } else if (row.observedAt() <= read) {
                    passed.add(row.record());
                }
            }
            greatest = newest;
        }
        passed.removeAll(loaded);
        return new Naive(passed.size(), reads, loadings, loadings - once.size());
    }

    private static long hash(long record) {
        return record * 0x9e3779b97f4a7c15L;
    }

    private static StrictReplay.Row row(long record, long row, long observedAt, long version, String value) {
        return new StrictReplay.Row(
                hash(record), hash(row), false, observedAt, version, version, 0, new BigDecimal(value));
    }

    private static boolean asks(StrictReads reads, long observedAt, long version) {
        reads.see(observedAt, version);
        return reads.loads(observedAt, version);
    }

    private static DailyReads reads(Duration every, String first, List<String> further, @Nullable LocalDate on) {
        return new DailyReads(
                NEW_YORK,
                every,
                LocalTime.parse(first),
                further.stream().map(LocalTime::parse).toList(),
                on);
    }

    private static String next(DailyReads reads, String from) {
        Instant instant = Instant.parse(from);
        long micros = instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
        return Instant.ofEpochSecond(reads.atOrAfter(micros) / 1_000_000).toString();
    }
}
