package dev.tidemark.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tidemark.generate.RecordedRows.Row;
import dev.tidemark.generate.WebAnalytics.Shape;
import dev.tidemark.generate.WebAnalytics.Trouble;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The story of a web site: what {@link WebAnalytics} says of it is so. */
class WebAnalyticsTest {
    private static final int DAYS = 4;
    private static final double SCALE = 0.02;
    private static final long DAY = 86_400_000_000L;
    private static final long FIRST = WebAnalytics.FIRST_DAY.toEpochDay();
    private static final int ID = 0;
    private static final int DEVICE = 1;
    private static final int USER = 2;
    private static final int PLATFORM = 3;
    private static final int AT = 4;
    private static final int SEEN = 5;

    private @Nullable WebAnalyticsFigures told;

    private List<Row> told(Shape shape, Trouble... troubles) throws IOException {
        RecordedRows rows = new RecordedRows();
        told = new WebAnalytics(SCALE, DAYS, 5, shape, Set.of(troubles)).write(rows, (day, records) -> {});
        return rows.rows();
    }

    private WebAnalyticsFigures figures() {
        return Objects.requireNonNull(told);
    }

    @Test
    void eventsComeInTheOrderOfArrivalEachOnceUnlessSomethingGoesWrong() throws IOException {
        for (Shape shape : Shape.values()) {
            List<Row> rows = told(shape);

            assertThat(rows.stream().map(Row::arrivedAt)).isSorted();
            assertThat(rows)
                    .allMatch(row -> row.arrivedAt() == row.number(SEEN)
                            && row.number(SEEN) - row.number(AT) >= 0
                            && row.number(SEEN) - row.number(AT) <= 2_000_000);
            assertThat(rows.stream().map(row -> row.text(ID)).distinct()).hasSize(rows.size());
            assertThat(figures().events()).isEqualTo(rows.size());
            assertThat(rows.size()).isCloseTo((int) (DAYS * SCALE * WebAnalytics.EVENTS), within(rows.size() / 20));
            assertThat(rows).allMatch(row -> row.number(AT) >= FIRST * DAY && row.number(AT) < (FIRST + DAYS) * DAY);
        }
    }

    @Test
    void evenEventsAreAsManyInEachHourAndHalfOfThemAreSomebodys() throws IOException {
        List<Row> rows = told(Shape.UNIFORM);
        Map<Long, Integer> hours = new HashMap<>();
        rows.forEach(row -> hours.merge(row.number(AT) / 3_600_000_000L, 1, Integer::sum));

        assertThat(rows).hasSize(8_000);
        assertThat(hours).hasSize(24 * DAYS);
        assertThat(hours.values()).allMatch(events -> events >= 82 && events <= 85);
        long signedIn = rows.stream().filter(row -> !row.text(USER).isEmpty()).count();
        assertThat(signedIn).isEqualTo(figures().signedIn());
        // 25 of 130 pairs have nobody, and of the others three in ten events.
        assertThat(signedIn / 8_000.0).isCloseTo(0.7 * 105 / 130, within(0.03));
        assertThat(users(rows)).isEqualTo(List.of(0.25, 0.6, 0.15));
    }

    /** Of the groups: devices without user, with one that has no other, and all else; in twentieths. */
    private static List<Double> users(List<Row> rows) {
        Map<String, Set<String>> usersOf = new HashMap<>();
        Map<String, Set<String>> devicesOf = new HashMap<>();
        for (Row row : rows) {
            Set<String> users = usersOf.computeIfAbsent(row.text(DEVICE), device -> new HashSet<>());
            if (!row.text(USER).isEmpty()) {
                users.add(row.text(USER));
                devicesOf
                        .computeIfAbsent(row.text(USER), user -> new HashSet<>())
                        .add(row.text(DEVICE));
            }
        }
        double groups = 2_000 * 0.6;
        double nobody = usersOf.values().stream().filter(Set::isEmpty).count() / groups;
        double single = usersOf.values().stream()
                        .filter(users -> users.size() == 1
                                && devicesOf
                                        .getOrDefault(users.iterator().next(), Set.of())
                                        .size() == 1)
                        .count()
                / groups;
        return List.of(twentieths(nobody), twentieths(single), twentieths(1 - nobody - single));
    }

    private static double twentieths(double share) {
        return Math.round(share * 20) / 20.0;
    }

    @Test
    void aSessionHasOnePlatformAndUserAndSomeReachOverMidnight() throws IOException {
        List<Row> rows = told(Shape.DENSE);

        assertThat(figures().sessions()).isEqualTo(DAYS * (2 * 2_000 / 22));
        assertThat(figures().acrossMidnight() / (figures().sessions() * (DAYS - 1.0) / DAYS))
                .isCloseTo(0.03, within(0.02));
        Map<String, Row> last = new HashMap<>();
        long across = 0;
        long continued = 0;
        for (Row row : rows.stream()
                .sorted(Comparator.comparingLong(row -> row.number(AT)))
                .toList()) {
            Row before = last.put(row.text(DEVICE), row);
            if (before != null && row.number(AT) - before.number(AT) <= 4 * 60_000_000L) {
                continued++;
                across += row.number(AT) / DAY != before.number(AT) / DAY
                                && row.text(PLATFORM).equals(before.text(PLATFORM))
                        ? 1
                        : 0;
            }
        }
        assertThat(across).isBetween(figures().acrossMidnight(), figures().acrossMidnight() + 3);
        assertThat(continued / (double) rows.size()).isGreaterThan(0.88);
    }

    @Test
    void aFifthIsLateAndTwoInAHundredComeAgainIfItIsAskedFor() throws IOException {
        List<Row> rows = told(Shape.UNIFORM, Trouble.LATE_ARRIVALS, Trouble.REDELIVERIES);
        Map<String, Row> first = new HashMap<>();
        Map<Long, Integer> hours = new HashMap<>();
        for (Row row : rows) {
            if (first.putIfAbsent(row.text(ID), row) == null) {
                hours.merge((row.number(SEEN) - row.number(AT)) / 3_600_000_000L, 1, Integer::sum);
            } else {
                assertThat(row.values().subList(0, SEEN))
                        .isEqualTo(first.get(row.text(ID)).values().subList(0, SEEN));
            }
        }

        assertThat(first).hasSize(8_000);
        assertThat(rows.size() - 8_000).isEqualTo((int) figures().again());
        assertThat(figures().again() / 8_000.0).isCloseTo(0.02, within(0.005));
        assertThat(hours.getOrDefault(0L, 0) / 8_000.0).isCloseTo(0.8, within(0.02));
        assertThat(hours.getOrDefault(1L, 0) / 8_000.0).isCloseTo(0.1, within(0.015));
        assertThat(hours.getOrDefault(24L, 0) / 8_000.0).isCloseTo(0.05, within(0.01));
        assertThat(hours.getOrDefault(72L, 0) / 8_000.0).isCloseTo(0.05, within(0.01));
        assertThat(hours).hasSize(4);
        assertThat(figures().late()).isEqualTo(8_000 - hours.getOrDefault(0L, 0));
    }

    @Test
    void theSameArgumentsTellTheSame() throws IOException {
        assertThat(told(Shape.DENSE, Trouble.LATE_ARRIVALS)).isEqualTo(told(Shape.DENSE, Trouble.LATE_ARRIVALS));
    }
}
