package dev.tidemark.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tidemark.generate.KestrelFigures.LagShare;
import dev.tidemark.generate.KestrelFigures.Minute;
import dev.tidemark.generate.RecordedRows.Row;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What Kestrel's story promises, of sixty days at a twentieth of the size, and of the whole of it. */
class KestrelTest {
    private static final double SCALE = 0.05;
    private static final int DAYS = 60;
    private static final long SEED = 4;
    private static final Progress UNHEARD = (day, records) -> {};

    private static KestrelFigures figures;
    private static List<OrderLine> lines;

    @BeforeAll
    static void tell() throws IOException {
        RecordedRows rows = new RecordedRows();
        figures = new Kestrel(SCALE, DAYS, SEED).write(rows, UNHEARD);
        lines = rows.rows().stream().map(KestrelTest::line).toList();
    }

    private static OrderLine line(Row row) {
        assertThat(row.key()).isEqualTo(row.number(0));
        assertThat(row.arrivedAt()).isEqualTo(row.number(10));
        return new OrderLine(
                row.number(0),
                (int) row.number(1),
                row.number(2),
                row.text(3),
                row.text(4),
                (int) row.number(5),
                row.number(6),
                row.text(7),
                row.number(8),
                row.number(9),
                row.number(10));
    }

    /** Of each order the lines of its first arrival. */
    private static Map<Long, List<OrderLine>> firsts() {
        Map<Long, List<OrderLine>> firsts = new LinkedHashMap<>();
        for (OrderLine line : lines) {
            if (line.op().equals("c")) {
                List<OrderLine> first = firsts.computeIfAbsent(line.orderId(), id -> new ArrayList<>());
                if (first.isEmpty() || first.get(0).ingestedAt() == line.ingestedAt()) {
                    first.add(line);
                }
            }
        }
        return firsts;
    }

    private static ZonedDateTime local(long micros) {
        return Instant.ofEpochSecond(0, micros * 1_000).atZone(Kestrel.ZONE);
    }

    @Test
    void changesComeInTheOrderOfTheirArrival() {
        assertThat(lines.stream().map(OrderLine::ingestedAt)).isSorted();
        assertThat(lines)
                .allMatch(line -> line.orderedAt() <= line.updatedAt() && line.updatedAt() < line.ingestedAt());
        assertThat(figures.changes()).isEqualTo(lines.size());
    }

    @Test
    void theLagsOfAllOrdersHaveExactlyThePublishedPercentiles() {
        long[] lags = firsts().values().stream()
                .map(order -> order.get(0))
                .mapToLong(line -> line.ingestedAt() - line.updatedAt())
                .sorted()
                .toArray();
        assertThat(LagsTest.percentile(lags, 0.5)).isEqualTo(Duration.ofMillis(800));
        assertThat(LagsTest.percentile(lags, 0.99)).isEqualTo(Duration.ofMinutes(41));
        assertThat(LagsTest.percentile(lags, 0.999)).isEqualTo(Duration.ofMinutes(4 * 60 + 12));
        assertThat(LagsTest.percentile(lags, 0.9999)).isEqualTo(Duration.ofHours(19));
        assertThat(LagsTest.percentile(lags, 1)).isEqualTo(Duration.ofHours(52));
        assertThat(figures.lags()).allMatch(LagShare::exact);
    }

    /** So a lookback of 52 hours or three days brings in everything. */
    @Test
    void nothingComesLaterThanTheLongestLagAfterItsOrder() {
        assertThat(lines.stream()
                        .mapToLong(line -> line.ingestedAt() - line.orderedAt())
                        .max())
                .hasValue(Duration.ofHours(52).toNanos() / 1_000);
    }

    @Test
    void thereAreAsManyOrdersAsTheCaseStudyHas() {
        Map<LocalDate, Long> days = firsts().values().stream()
                .collect(Collectors.groupingBy(
                        order -> local(order.get(0).orderedAt()).toLocalDate(), Collectors.counting()));
        assertThat(days).hasSize(DAYS + 1);
        assertThat(days.remove(Kestrel.GREAT_DAY)).isEqualTo(Math.round(41_300 * SCALE));
        assertThat(days.values().stream().mapToLong(orders -> orders).sum())
                .isEqualTo(Math.round(1_598_073.0 / 243 * DAYS * SCALE))
                .isEqualTo(figures.ordinaryOrders());
        assertThat(days.values()).allMatch(orders -> Math.abs(orders - 329) < 329 * 0.08);
    }

    @Test
    void linesAndValuesAreThoseOfTheCaseStudy() {
        Collection<List<OrderLine>> orders = firsts().values();
        double count = orders.size();
        assertThat(orders.stream().mapToInt(List::size).sum() / count).isCloseTo(2.7, within(0.03));
        assertThat(orders.stream().filter(order -> order.size() == 1).count() / count)
                .isCloseTo(Math.exp(-1.7), within(0.01));
        assertThat(orders.stream()
                                .flatMap(List::stream)
                                .mapToLong(line -> line.cents() * line.quantity())
                                .sum()
                        / count)
                .isCloseTo(7_583, within(100.0));
        assertThat(orders).allSatisfy(order -> {
            assertThat(order.stream().map(OrderLine::lineNumber))
                    .isEqualTo(java.util.stream.IntStream.rangeClosed(1, order.size())
                            .boxed()
                            .toList());
            assertThat(order.stream().map(OrderLine::customerId).distinct()).hasSize(1);
        });
    }

    @Test
    void theDayHasItsQuietAndItsBusyHours() {
        long[] hours = new long[24];
        firsts().values().stream()
                .map(order -> local(order.get(0).orderedAt()))
                .filter(at -> !at.toLocalDate().equals(Kestrel.GREAT_DAY))
                .forEach(at -> hours[at.getHour()]++);
        double hour = figures.ordinaryOrders() / 24.0;
        assertThat(hours[4] / hour).isCloseTo(1 - 0.87 * Math.cos(2 * Math.PI * 0.5 / 24), within(0.03));
        assertThat(hours[10] / hour).isCloseTo(1 - 0.87 * Math.cos(2 * Math.PI * 6.5 / 24), within(0.05));
        assertThat(hours[16] / hour).isCloseTo(1 - 0.87 * Math.cos(2 * Math.PI * 12.5 / 24), within(0.07));
    }

    @Test
    void theGreatDayHasThreeSpikes() {
        Map<LocalTime, Long> minutes = firsts().values().stream()
                .map(order -> local(order.get(0).orderedAt()))
                .filter(at -> at.toLocalDate().equals(Kestrel.GREAT_DAY))
                .collect(Collectors.groupingBy(
                        at -> at.toLocalTime().withSecond(0).withNano(0), Collectors.counting()));
        assertThat(minutes.entrySet().stream()
                        .sorted(Map.Entry.<LocalTime, Long>comparingByValue().reversed())
                        .limit(5)
                        .map(Map.Entry::getKey))
                .containsExactlyInAnyOrder(
                        LocalTime.of(5, 0),
                        LocalTime.of(5, 1),
                        LocalTime.of(13, 13),
                        LocalTime.of(13, 14),
                        LocalTime.of(20, 47));
    }

    @Test
    void laterChangesAreFewAndNewerThanWhatTheyChange() {
        Map<List<Long>, OrderLine> firsts = new HashMap<>();
        Map<List<Long>, OrderLine> newest = new HashMap<>();
        Map<String, Set<Long>> orders = new HashMap<>();
        for (OrderLine line : lines) {
            List<Long> id = List.of(line.orderId(), (long) line.lineNumber());
            OrderLine first = firsts.putIfAbsent(id, line);
            OrderLine before = newest.put(id, line);
            if (first == null || before == null) {
                assertThat(line.op()).isEqualTo("c");
            } else if (line.op().equals("c")) {
                assertThat(line).isEqualTo(first.again(line.ingestedAt()));
                newest.put(id, before);
                orders.computeIfAbsent("again", key -> new HashSet<>()).add(line.orderId());
            } else {
                assertThat(line.updatedAt()).isGreaterThan(before.updatedAt());
                assertThat(line.orderedAt()).isEqualTo(before.orderedAt());
                orders.computeIfAbsent(line.status(), key -> new HashSet<>()).add(line.orderId());
            }
        }
        double count = firsts().size();
        Map<String, Double> shares = new HashMap<>();
        orders.forEach((change, changed) -> shares.put(change, changed.size() / count));
        assertThat(shares).containsOnlyKeys("paid", "shipped", "cancelled", "again");
        assertThat(shares).hasEntrySatisfying("paid", share -> assertThat(share).isCloseTo(0.03, within(0.005)));
        assertThat(shares)
                .hasEntrySatisfying("shipped", share -> assertThat(share).isCloseTo(0.02, within(0.004)));
        assertThat(shares)
                .hasEntrySatisfying("cancelled", share -> assertThat(share).isCloseTo(0.01, within(0.003)));
        assertThat(shares)
                .hasEntrySatisfying("again", share -> assertThat(share).isCloseTo(0.005, within(0.002)));
        assertThat(figures.changes())
                .isEqualTo(figures.created()
                        + figures.corrected()
                        + figures.shipped()
                        + figures.withdrawn()
                        + figures.again());
    }

    /** The strict reader as SQL has it, over all that is stored, against the one that keeps nothing. */
    @Test
    void theStrictReaderLosesWhatTheQueryWouldLose() {
        assertThat(figures.nightly().ordinary() + figures.nightly().great())
                .isEqualTo(lostBy(false).size());
        assertThat(figures.busy().ordinary() + figures.busy().great())
                .isEqualTo(lostBy(true).size())
                .isGreaterThan(20);
    }

    @Test
    void whatTheStrictReaderLoadsIsAllButWhatItPassesOver() throws IOException {
        RecordedRows loaded = new RecordedRows();
        KestrelFigures told = new Kestrel(SCALE, DAYS, SEED).writeLoaded(loaded, UNHEARD);

        Set<Long> orders = loaded.rows().stream().map(row -> row.number(0)).collect(Collectors.toSet());
        Set<Long> lost = lostBy(true);
        assertThat(orders)
                .hasSize((int) (told.ordinaryOrders() + told.greatOrders()) - lost.size())
                .doesNotContainAnyElementsOf(lost);
        assertThat(told).isEqualTo(figures);
        assertThat(loaded.rows()).hasSize((int) told.loaded());
    }

    @Test
    void theTotalsAreThoseOfTheLinesThatStand() {
        Map<List<Long>, OrderLine> newest = new HashMap<>();
        lines.forEach(line -> newest.merge(
                List.of(line.orderId(), (long) line.lineNumber()),
                line,
                (old, next) -> next.updatedAt() > old.updatedAt() ? next : old));
        Map<LocalDate, KestrelFigures.DayTotal> totals = new HashMap<>();
        newest.values().stream()
                .filter(line -> !line.op().equals("d"))
                .forEach(line -> totals.merge(
                        local(line.orderedAt()).toLocalDate(),
                        new KestrelFigures.DayTotal(1, line.cents() * line.quantity()),
                        KestrelFigures.DayTotal::plus));
        assertThat(figures.totals()).isEqualTo(totals).hasSize(DAYS + 1);
    }

    private static Set<Long> lostBy(boolean busy) {
        List<Long> reads = new ArrayList<>();
        for (LocalDate day = Kestrel.GREAT_DAY.minusDays(DAYS);
                day.isBefore(Kestrel.GREAT_DAY.plusDays(5));
                day = day.plusDays(1)) {
            reads.add(micros(day, LocalTime.of(3, 30)));
            if (busy && day.equals(Kestrel.GREAT_DAY)) {
                reads.add(micros(day, LocalTime.of(5, 5)));
                reads.add(micros(day, LocalTime.of(13, 20)));
                reads.add(micros(day, LocalTime.of(20, 50)));
            }
        }
        Set<Long> loaded = new HashSet<>();
        long greatest = Long.MIN_VALUE;
        for (long read : reads) {
            long watermark = greatest;
            for (OrderLine line : lines) {
                if (line.ingestedAt() <= read && line.updatedAt() > watermark) {
                    loaded.add(line.orderId());
                    greatest = Math.max(greatest, line.updatedAt());
                }
            }
        }
        Set<Long> lost = lines.stream().map(OrderLine::orderId).collect(Collectors.toCollection(HashSet::new));
        lost.removeAll(loaded);
        return lost;
    }

    private static long micros(LocalDate day, LocalTime time) {
        return day.atTime(time).atZone(Kestrel.ZONE).toEpochSecond() * 1_000_000L;
    }

    @Test
    void theSameSeedTellsTheSameAndAnotherSomethingElse() throws IOException {
        RecordedRows again = new RecordedRows();
        new Kestrel(SCALE, DAYS, SEED).write(again, UNHEARD);
        assertThat(again.rows().stream().map(KestrelTest::line).toList()).isEqualTo(lines);
        RecordedRows other = new RecordedRows();
        new Kestrel(SCALE, DAYS, SEED + 1).write(other, UNHEARD);
        assertThat(other.rows().stream().map(KestrelTest::line).toList()).isNotEqualTo(lines);
    }

    @Test
    void atFullSizeAStrictReaderLosesWhatKestrelLost() throws IOException {
        KestrelFigures all = new Kestrel(1, Kestrel.DAYS, 20261127).write(new NoRows(), UNHEARD);
        assertThat(all.ordinaryOrders()).isEqualTo(1_598_073);
        assertThat(all.greatOrders()).isEqualTo(41_300);
        assertThat(all.lags()).allMatch(LagShare::exact);
        assertThat((double) all.valueCents() / (all.ordinaryOrders() + all.greatOrders()))
                .isCloseTo(7_583, within(15.0));
        assertThat((double) all.nightly().ordinary()).isCloseTo(591, within(591 * 0.13));
        assertThat(all.nightly().most()).isLessThanOrEqualTo(9);
        assertThat((double) all.busy().great() / all.greatOrders()).isCloseTo(0.021, within(0.001));
        assertThat(all.busy().worstMinutes().stream().limit(5).map(Minute::minute))
                .containsExactlyInAnyOrder("05:00", "05:01", "13:13", "13:14", "20:47");
    }
}
