package dev.tidemark.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tidemark.generate.RecordedRows.Row;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What TTC's story promises, of 130 days. */
class TtcTest {
    private static final Progress UNHEARD = (day, records) -> {};
    private static final int DAYS = 130;
    private static final int PRODUCT = 0;
    private static final int SNAPSHOT = 1;
    private static final int SEQ = 2;
    private static final int ON_HAND = 3;
    private static final int AT = 4;
    private static final int SEEN = 5;

    private static TtcFigures figures;
    private static List<Row> products;
    private static List<Row> locations;

    @BeforeAll
    static void tell() throws IOException {
        RecordedRows productRows = new RecordedRows();
        RecordedRows locationRows = new RecordedRows();
        figures = new Ttc(0.0005, DAYS, 2).write(productRows, locationRows, UNHEARD);
        products = productRows.rows();
        locations = locationRows.rows();
    }

    private static ZonedDateTime local(long micros) {
        return Instant.ofEpochSecond(micros / 1_000_000).atZone(Ttc.ZONE);
    }

    @Test
    void sizesFollowTheRootOfTheScale() throws IOException {
        assertThat(figures.products()).isEqualTo((int) Math.round(6_000 * Math.sqrt(0.0005)));
        assertThat(figures.productRows()).isEqualTo(products.size());
        assertThat(figures.locationRows()).isEqualTo(locations.size());
        assertThat(products.size() - figures.retries() - figures.corrections())
                .isEqualTo(figures.snapshots() * figures.products());
        assertThat(new Ttc(0.0001, 2).write(new NoRows(), new NoRows(), UNHEARD).days())
                .isEqualTo(10);
    }

    @Test
    void rowsComeInTheOrderOfTheirArrivalAndAreSeenAfterTheyWereTaken() {
        for (List<Row> table : List.of(products, locations)) {
            assertThat(table.stream().map(Row::arrivedAt)).isSorted();
        }
        assertThat(products).allMatch(row -> row.arrivedAt() == row.number(SEEN) && row.number(SEEN) > row.number(AT));
    }

    @Test
    void daysHaveTwentyFourSnapshotsButForThoseOnWhichTheClocksArePut() {
        Map<LocalDate, Set<Long>> snapshots = new TreeMap<>();
        for (Row row : products) {
            ZonedDateTime near = local(row.number(AT)).plusSeconds(60);
            if (row.number(SEQ) == 1 && row.number(SEEN) - row.number(AT) < 130 * 1_000_000L) {
                snapshots
                        .computeIfAbsent(near.toLocalDate(), day -> new HashSet<>())
                        .add(row.number(SNAPSHOT));
            }
        }
        for (Row row : locations) {
            snapshots
                    .computeIfAbsent(local(row.number(4)).plusSeconds(60).toLocalDate(), day -> new HashSet<>())
                    .add(row.number(SNAPSHOT));
        }
        assertThat(snapshots.get(LocalDate.of(2023, 11, 5))).hasSize(25);
        assertThat(snapshots.get(LocalDate.of(2024, 3, 10))).hasSize(23);
        assertThat(snapshots.get(LocalDate.of(2024, 1, 1))).hasSize(24);
    }

    @Test
    void theSnapshotOfMidnightLiesOnBothDays() {
        Set<LocalTime> times = new TreeSet<>();
        long near = 0;
        for (Row row : products) {
            LocalTime time = local(row.number(AT)).toLocalTime();
            if (time.toSecondOfDay() <= 60 || time.toSecondOfDay() >= 86_400 - 60) {
                near++;
                times.add(time);
            }
        }
        assertThat(near).isEqualTo(figures.aroundMidnight()).isPositive();
        assertThat(times).anyMatch(time -> time.getHour() == 23).anyMatch(time -> time.getHour() == 0);
    }

    @Test
    void someSnapshotsAreLateAsAWhole() {
        Map<Long, Set<Long>> seen = new HashMap<>();
        products.stream()
                .filter(row -> row.number(SEQ) == 2)
                .forEach(row -> seen.computeIfAbsent(row.number(SNAPSHOT), id -> new HashSet<>())
                        .add(row.number(SEEN)));
        assertThat(seen.values()).allMatch(instants -> instants.size() == 1);
        long late = locations.stream()
                .filter(row -> row.number(5) - row.number(4) > 600 * 1_000_000L)
                .map(row -> row.number(SNAPSHOT))
                .distinct()
                .count();
        assertThat(late).isEqualTo(figures.lateSnapshots());
        assertThat((double) late / figures.snapshots()).isCloseTo(0.005, within(0.004));
        assertThat(locations).allMatch(row -> row.number(5) - row.number(4) < 48 * 3_600 * 1_000_000L);
    }

    @Test
    void aRetryIsOfTheSameSecondWithAnotherQuantity() {
        Map<List<Object>, Row> firsts = new HashMap<>();
        long retries = 0;
        for (Row row : products) {
            List<Object> of = List.of(row.text(PRODUCT), row.number(SNAPSHOT), row.number(AT));
            if (row.number(SEQ) == 1) {
                firsts.put(of, row);
            } else {
                Row first = Objects.requireNonNull(firsts.get(of), "a retry comes behind what it tries again");
                assertThat(row.number(ON_HAND) < first.number(ON_HAND) || first.number(ON_HAND) == 0)
                        .isTrue();
                retries++;
            }
        }
        assertThat(retries).isEqualTo(figures.retries());
        assertThat((double) retries / products.size()).isCloseTo(0.001, within(0.0003));
    }

    @Test
    void aCorrectionIsOfASecondThatHasARowAndUpToSixtyDaysOld() {
        Set<List<Object>> taken = new HashSet<>();
        Map<Long, Long> begins = new HashMap<>();
        locations.forEach(row -> begins.put(row.number(SNAPSHOT), row.number(4)));
        long corrections = 0;
        long oldest = 0;
        for (Row row : products) {
            long begin = begins.getOrDefault(row.number(SNAPSHOT), 0L);
            boolean own = row.number(AT) >= begin && row.number(AT) < begin + 60 * 1_000_000L;
            if (own) {
                taken.add(List.of(row.text(PRODUCT), row.number(AT)));
            } else {
                corrections++;
                oldest = Math.max(oldest, row.number(SEEN) - row.number(AT));
            }
        }
        assertThat(products).allMatch(row -> taken.contains(List.of(row.text(PRODUCT), row.number(AT))));
        assertThat(corrections).isEqualTo(figures.corrections()).isPositive();
        assertThat(oldest).isBetween(20 * 86_400_000_000L, 60 * 86_400_000_000L + 3_600_000_000L);
    }

    @Test
    void aLocationHoldsWhatItsProductsHold() {
        Map<Long, Map<String, Long>> last = new HashMap<>();
        Map<Long, Long> begins = new HashMap<>();
        locations.forEach(row -> begins.put(row.number(SNAPSHOT), row.number(4)));
        for (Row row : products) {
            long begin = begins.getOrDefault(row.number(SNAPSHOT), 0L);
            if (row.number(AT) >= begin && row.number(AT) < begin + 60 * 1_000_000L) {
                last.computeIfAbsent(row.number(SNAPSHOT), id -> new HashMap<>())
                        .put(row.text(PRODUCT), row.number(ON_HAND));
            }
        }
        Map<Long, Long> held = new HashMap<>();
        locations.forEach(row -> held.merge(row.number(SNAPSHOT), row.number(3), Long::sum));
        assertThat(held).hasSize((int) figures.snapshots());
        held.forEach((snapshot, onHand) -> assertThat(last.getOrDefault(snapshot, Map.of()).values().stream()
                        .mapToLong(each -> each)
                        .sum())
                .isEqualTo(onHand));
    }

    @Test
    void oneRowInTenMillionIsDatedAhead() throws IOException {
        TtcFigures many = new Ttc(1, 36, 2).write(new NoRows(), new NoRows(), UNHEARD);
        assertThat(many.productRows()).isBetween(5_000_000L, 15_000_000L);
        assertThat(many.futureDated()).isEqualTo(1);
    }
}
