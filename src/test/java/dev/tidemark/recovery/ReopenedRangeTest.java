package dev.tidemark.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.job.Grain;
import dev.tidemark.publish.Standing;
import dev.tidemark.recovery.StateReach.NotHeld;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Promise 7 before a widening: what the state cannot answer is named, partition by partition. */
class ReopenedRangeTest {
    private static final Calendar DAYS = new Calendar(Grain.DAY, ZoneId.of("Europe/Berlin"));

    /** One log at 2026-09-20, lookback 2, the state remembers ten days. */
    private static StateReach at(String retainedFrom, String completeFrom, Map<String, String> wholeFrom) {
        Map<String, Long> whole = new TreeMap<>();
        wholeFrom.forEach((log, day) -> whole.put(log, DAYS.parse(day)));
        return new StateReach(
                7,
                2,
                DAYS.parse("2026-09-18"),
                DAYS.parse("2026-09-20"),
                DAYS.parse(completeFrom),
                DAYS.parse(retainedFrom),
                whole);
    }

    private static StateReach atEase() {
        return at("2026-09-10", "2026-09-18", Map.of());
    }

    private static List<String> named(StateReach reach, int lookback, NotHeld... notHeld) {
        return ReopenedRange.of(reach, DAYS, lookback).obstacles(reach, DAYS, List.of(notHeld)).stream()
                .map(obstacle -> obstacle.partition() + " " + obstacle.words())
                .toList();
    }

    private static List<String> ends(ReopenedRange range) {
        return List.of(DAYS.iso(range.from()), DAYS.iso(range.before()));
    }

    @Test
    void reopensFromTheLeastFrontierLessTheLookbackUpToWhatIsOpen() {
        ReopenedRange range = ReopenedRange.of(atEase(), DAYS, 5);
        assertThat(ends(range)).containsExactly("2026-09-15", "2026-09-18");
        assertThat(range.partitions(DAYS)).isEqualTo(3);
        assertThat(named(atEase(), 5)).isEmpty();
    }

    @Test
    void reopensWhatTheLogAheadHasClosed() {
        StateReach uneven = at("2026-09-10", "2026-09-21", Map.of());
        assertThat(ends(ReopenedRange.of(uneven, DAYS, 3))).containsExactly("2026-09-17", "2026-09-21");
    }

    @Test
    void anEqualOrSmallerLookbackReopensNothing() {
        assertThat(ReopenedRange.of(atEase(), DAYS, 2).isEmpty()).isTrue();
        assertThat(ReopenedRange.of(atEase(), DAYS, 0).isEmpty()).isTrue();
        assertThat(ReopenedRange.of(atEase(), DAYS, 3).isEmpty()).isFalse();
    }

    @Test
    void aForgottenPartitionIsAnObstacle() {
        assertThat(named(at("2026-09-14", "2026-09-18", Map.of()), 8))
                .containsExactly("2026-09-12 the state has forgotten it", "2026-09-13 the state has forgotten it");
        assertThat(named(at("2026-09-14", "2026-09-18", Map.of()), 6)).isEmpty();
    }

    @Test
    void aPartitionInWhichALogWasBegunIsAnObstacleAlsoIfItIsOpen() {
        StateReach begun = at("2026-09-10", "2026-09-19", Map.of("orders-1", "2026-09-19", "orders-0", "2026-09-17"));
        assertThat(named(begun, 4))
                .containsExactly(
                        "2026-09-16 the log orders-0 is not held whole from its start on",
                        "2026-09-16 the log orders-1 is not held whole from its start on",
                        "2026-09-17 the log orders-1 is not held whole from its start on",
                        "2026-09-18 the log orders-1 is not held whole from its start on");
    }

    @Test
    void changesThatTheStateDoesNotHoldAreObstacles() {
        assertThat(named(
                        atEase(),
                        5,
                        new NotHeld("2026-09-15", "state-expired", 2),
                        new NotHeld("2026-09-17", "before-start", 1)))
                .containsExactly(
                        "2026-09-15 2 ledger rows are state-expired, so not in the state",
                        "2026-09-17 1 ledger row is before-start, so not in the state");
    }

    @Test
    void withoutAFrontierThereIsNothingToReopen() {
        StateReach none =
                new StateReach(1, 2, Standing.NOWHERE, Standing.NOWHERE, Standing.NOWHERE, Standing.NOWHERE, Map.of());
        assertThatThrownBy(() -> ReopenedRange.of(none, DAYS, 3)).hasMessageContaining("has no frontier yet");
    }

    @Test
    void hoursAreCountedAcrossAChangeOfClocks() {
        Calendar hours = new Calendar(Grain.HOUR, ZoneId.of("Europe/Berlin"));
        StateReach reach = new StateReach(
                7,
                1,
                hours.parse("2026-10-25T01:00:00Z"),
                hours.parse("2026-10-25T02:00:00Z"),
                hours.parse("2026-10-25T01:00:00Z"),
                hours.parse("2026-10-25T00:00:00Z"),
                Map.of());
        ReopenedRange range = ReopenedRange.of(reach, hours, 3);
        assertThat(hours.iso(range.from())).isEqualTo("2026-10-24T23:00:00Z");
        assertThat(range.obstacles(reach, hours, List.of()))
                .extracting(Obstacle::partition)
                .containsExactly("2026-10-24T23:00:00Z");
    }
}
