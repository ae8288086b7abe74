package dev.tidemark.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.source.Backlog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class StatusCheckTest {
    private static final Instant NOW = Instant.parse("2024-03-13T08:00:00Z");
    private static final StatusCheck ENDLESS = new StatusCheck(false, Duration.ofDays(7), null);
    private static final StatusCheck BOUNDED = new StatusCheck(true, Duration.ofDays(7), null);

    @Test
    void aJobWithoutEndOwesAHeartbeatWithinFiveMinutes() {
        assertThat(names(ENDLESS, status(NOW.minusSeconds(301), NOW, 0, null))).containsExactly("no-heartbeat");
        assertThat(names(ENDLESS, status(NOW.minusSeconds(300), NOW, 0, null))).isEmpty();
        assertThat(names(BOUNDED, status(NOW.minus(Duration.ofDays(9)), NOW, 0, null)))
                .isEmpty();
    }

    @Test
    void openLateChangesAreAWarningOnlyWhenTheyWaitForLong() {
        assertThat(names(BOUNDED, status(NOW, NOW, 0, NOW.minus(Duration.ofDays(7)))))
                .isEmpty();
        assertThat(names(
                        BOUNDED,
                        status(NOW, NOW, 0, NOW.minus(Duration.ofDays(7)).minusMillis(1))))
                .containsExactly("late-open");
    }

    @Test
    void aLookbackThatIsMoreThanHalfUsedIsAWarning() {
        assertThat(names(BOUNDED, status(NOW, NOW, 3, null))).containsExactly("half-window");
    }

    @Test
    void aFrontierThatIsMoreThanADayAheadOfTheClockIsAWarning() {
        Instant tomorrow = NOW.plus(Duration.ofDays(1));

        assertThat(names(BOUNDED, status(NOW, NOW, 0, null, null, tomorrow))).isEmpty();
        assertThat(names(BOUNDED, status(NOW, NOW, 0, null, null, tomorrow.plusMillis(1))))
                .containsExactly("frontier-ahead");
    }

    @Test
    void thatNothingIsPublishedIsAWarning() {
        assertThat(names(BOUNDED, status(NOW, null, 0, null))).containsExactly("nothing-published");
    }

    @Test
    void theAgeOfTheLastPublicationIsJudgedWhenAskedFor() {
        JobStatus old = status(NOW, NOW.minus(Duration.ofHours(27)), 0, null);

        assertThat(names(BOUNDED, old)).isEmpty();
        assertThat(names(new StatusCheck(true, Duration.ofDays(7), Duration.ofHours(26)), old))
                .containsExactly("publication-old");
    }

    private static List<String> names(StatusCheck check, JobStatus status) {
        return names(check, status, new Backlog.Files(0, 0));
    }

    private static List<String> names(StatusCheck check, JobStatus status, Backlog backlog) {
        return check.warnings(status, backlog, NOW).stream()
                .map(StatusCheck.Warning::name)
                .toList();
    }

    @Test
    void aJobThatSaysHowOftenItPublishesIsJudgedByThat() {
        JobStatus minutely = status(NOW.minusSeconds(181), NOW, 0, null, Duration.ofMinutes(1));
        JobStatus hasty = status(NOW.minusSeconds(59), NOW, 0, null, Duration.ofSeconds(1));
        JobStatus slow = status(NOW.minusSeconds(1799), NOW, 0, null, Duration.ofMinutes(10));

        assertThat(names(ENDLESS, minutely)).containsExactly("no-heartbeat");
        assertThat(names(ENDLESS, hasty)).isEmpty();
        assertThat(names(ENDLESS, slow)).isEmpty();
    }

    @Test
    void anOldPublicationIsAWarningWhenThereIsMoreToRead() {
        JobStatus old = status(NOW, NOW.minus(Duration.ofMinutes(6)), 0, null);

        assertThat(names(ENDLESS, old, new Backlog.Records(1, 1))).containsExactly("not-publishing");
        assertThat(names(ENDLESS, old, new Backlog.Files(1, 9))).containsExactly("not-publishing");
        assertThat(names(ENDLESS, old, new Backlog.Records(0, 0))).isEmpty();
        assertThat(names(ENDLESS, old, new Backlog.Unknown("no answer"))).isEmpty();
        assertThat(names(BOUNDED, old, new Backlog.Files(1, 9))).isEmpty();
    }

    private static JobStatus status(
            Instant heartbeat, @Nullable Instant published, long halfWindowExceeded, @Nullable Instant oldestLate) {
        return status(heartbeat, published, halfWindowExceeded, oldestLate, null);
    }

    private static JobStatus status(
            Instant heartbeat,
            @Nullable Instant published,
            long halfWindowExceeded,
            @Nullable Instant oldestLate,
            @Nullable Duration checkpointInterval) {
        return status(heartbeat, published, halfWindowExceeded, oldestLate, checkpointInterval, null);
    }

    private static JobStatus status(
            Instant heartbeat,
            @Nullable Instant published,
            long halfWindowExceeded,
            @Nullable Instant oldestLate,
            @Nullable Duration checkpointInterval,
            @Nullable Instant frontier) {
        return new JobStatus(
                "sales",
                "shop.sales_by_day",
                "UTC",
                2,
                null,
                4,
                new JobStatus.Run(1, 1, "f1", checkpointInterval, NOW.minus(Duration.ofDays(30)), heartbeat, null),
                new JobStatus.Totals(0, 0, 0, 0, 0, 0, 0),
                published == null
                        ? null
                        : new JobStatus.Last(1, "stream", published, null, frontier, null, null, List.of()),
                new JobStatus.Recent(NOW, 1, 0, halfWindowExceeded),
                new JobStatus.OpenLate(oldestLate == null ? 0 : 1, oldestLate, List.of()),
                0,
                0,
                List.of(),
                null,
                null,
                List.of());
    }
}
