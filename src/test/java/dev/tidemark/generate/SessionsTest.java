package dev.tidemark.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tidemark.generate.RecordedRows.Row;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the story of the sessions promises, of thirty days at a twentieth of the size, and of the whole of it. */
class SessionsTest {
    private static final Progress UNHEARD = (day, records) -> {};
    private static final int ID = 0;
    private static final int STARTED = 4;
    private static final int UPDATED = 5;
    private static final int SEEN = 6;

    private static SessionsFigures figures;
    private static List<Row> rows;

    @BeforeAll
    static void tell() throws IOException {
        RecordedRows recorded = new RecordedRows();
        figures = new Sessions(0.05, Sessions.DAYS, 4).write(recorded, UNHEARD);
        rows = recorded.rows();
    }

    /** Of each session its first version. */
    private static Map<Long, Row> firsts() {
        Map<Long, Row> firsts = new LinkedHashMap<>();
        rows.forEach(row -> firsts.merge(
                row.number(ID), row, (one, other) -> one.number(UPDATED) < other.number(UPDATED) ? one : other));
        return firsts;
    }

    @Test
    void versionsComeInTheOrderOfTheirArrivalAfterTheirSessionHasEnded() {
        assertThat(rows.stream().map(Row::arrivedAt)).isSorted();
        assertThat(rows)
                .allMatch(row -> row.arrivedAt() == row.number(SEEN)
                        && row.number(STARTED) < row.number(UPDATED)
                        && row.number(UPDATED) < row.number(SEEN));
        assertThat(rows).hasSize((int) figures.versions());
        assertThat(firsts()).hasSize((int) figures.sessions());
        assertThat((double) (figures.versions() - figures.sessions()) / figures.sessions())
                .isCloseTo(0.01, within(0.003));
    }

    @Test
    void aDayHasSixTimesAsManySessionsAsOrders() {
        Map<LocalDate, Long> days = new TreeMap<>();
        firsts().values()
                .forEach(row -> days.merge(
                        Instant.ofEpochSecond(row.number(STARTED) / 1_000_000)
                                .atZone(Kestrel.ZONE)
                                .toLocalDate(),
                        1L,
                        Long::sum));
        assertThat(days).hasSize(Sessions.DAYS).containsOnlyKeys(days.keySet());
        assertThat(days.keySet()).allMatch(day -> day.isBefore(Kestrel.GREAT_DAY));
        assertThat(days.values()).allMatch(count -> Math.abs(count - 6 * 6_576.4 * 0.05) < 2);
    }

    @Test
    void lagsAreThoseOfTheOrdersTimesTheRootOfSix() {
        long[] lags = firsts().values().stream()
                .mapToLong(row -> row.number(SEEN) - row.number(UPDATED))
                .sorted()
                .toArray();
        assertThat(seconds(LagsTest.percentile(lags, 0.5))).isCloseTo(0.8 * Math.sqrt(6), within(0.001));
        assertThat(seconds(LagsTest.percentile(lags, 0.99))).isCloseTo(41 * 60 * Math.sqrt(6), within(0.001));
        assertThat(seconds(LagsTest.percentile(lags, 1))).isCloseTo(52 * 3_600 * Math.sqrt(6), within(0.001));
        assertThat(figures.longestLagMicros()).isEqualTo(lags[lags.length - 1]);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    /** The strict reader as SQL has it, over all that is stored. */
    @Test
    void theStrictReaderLosesWhatTheQueryWouldLose() {
        Set<Long> loaded = new HashSet<>();
        long greatest = Long.MIN_VALUE;
        for (long read : Kestrel.nightly(Sessions.DAYS)) {
            long watermark = greatest;
            List<Row> newer = new ArrayList<>();
            for (Row row : rows) {
                if (row.number(SEEN) <= read && row.number(UPDATED) > watermark) {
                    newer.add(row);
                    greatest = Math.max(greatest, row.number(UPDATED));
                }
            }
            newer.forEach(row -> loaded.add(row.number(ID)));
        }
        assertThat(figures.lost()).isEqualTo(figures.sessions() - loaded.size()).isGreaterThan(20);
    }

    /** 0.14 %, a band of 13 % either side; without anybody who compares them. */
    @Test
    void atFullSizeAStrictReaderLosesFourTimesTheShareOfTheOrders() throws IOException {
        SessionsFigures all = new Sessions(1, Sessions.DAYS, 20261127).write(new NoRows(), UNHEARD);
        assertThat((double) all.lost() / all.sessions()).isCloseTo(0.0014, within(0.0014 * 0.13));
    }

    @Test
    void theSameSeedTellsTheSameAndAnotherSomethingElse() throws IOException {
        assertThat(told(4)).isEqualTo(rows.subList(0, 500));
        assertThat(told(5)).isNotEqualTo(rows.subList(0, 500));
    }

    private static List<Row> told(long seed) throws IOException {
        RecordedRows again = new RecordedRows();
        new Sessions(0.05, Sessions.DAYS, seed).write(again, UNHEARD);
        return again.rows().subList(0, 500);
    }
}
