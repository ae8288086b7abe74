package dev.tidemark.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.job.Grain;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PublicationRuleTest {
    private static final long DAY = 86_400_000_000L;
    private final PublicationRule rule = new PublicationRule(new Calendar(Grain.DAY, ZoneId.of("UTC")), 3, 6);

    @Test
    void boundsFollowLeastAndGreatestFrontier() {
        Decision.Publish decision =
                publish(Standing.NONE, List.of(), part("s", 1, 3, log("a", 0, 2, "10"), log("b", 0, 1, "12")));

        assertThat(decision.frontierLeast()).isEqualTo(micros("10"));
        assertThat(decision.frontierGreatest()).isEqualTo(micros("12"));
        assertThat(decision.closedBefore()).isEqualTo(day("07"));
        assertThat(decision.completeFrom()).isEqualTo(day("09"));
        assertThat(decision.endedBefore()).isEqualTo(day("10"));
        assertThat(decision.read()).isEqualTo(3);
        assertThat(decision.counts().applied()).isEqualTo(3);
    }

    @Test
    void boundsNeverGoBackAndDoNotWaitForIdleLogs() {
        Standing standing =
                new Standing(4, "s", List.of(log("a", 0, 2, "10")), day("09"), day("12"), Standing.NOWHERE, 3);

        Decision.Publish back = publish(standing, List.of(), part("s", 2, 1, log("a", 2, 3, "10")));
        assertThat(back.closedBefore()).isEqualTo(day("09"));
        assertThat(back.endedBefore()).isEqualTo(day("12"));

        LogCut idle = new LogCut("b", "b", 1, "b", 0, micros("01"), false, true);
        Decision.Publish ahead = publish(standing, List.of(), part("s", 2, 2, log("a", 2, 3, "20"), idle));
        assertThat(ahead.closedBefore()).isEqualTo(day("17"));
        assertThat(ahead.frontierLeast()).isEqualTo(micros("20"));
    }

    @Test
    void aLogWithoutMarkHoldsTheBounds() {
        LogCut unmarked = new LogCut("b", "b", 1, "b", 0, LogCut.UNKNOWN);

        Decision.Publish decision = publish(Standing.NONE, List.of(), part("s", 1, 2, log("a", 0, 1, "10"), unmarked));

        assertThat(decision.closedBefore()).isEqualTo(Standing.NOWHERE);
        assertThat(decision.endedBefore()).isEqualTo(Standing.NOWHERE);
        assertThat(decision.completeFrom()).isEqualTo(day("07"));
    }

    @Test
    void boundsWaitUntilEveryOperatorHasItsLogs() {
        Standing standing =
                new Standing(4, "s", List.of(log("a", 0, 2, "10")), day("07"), day("10"), Standing.NOWHERE, 3);
        StagedPart part = part(
                "s",
                2,
                new Cut(0, 2, true, 1, 0, List.of(log("a", 2, 3, "20"))),
                new Cut(1, 2, false, 0, 0, List.of()));

        Decision.Publish decision = publish(standing, List.of(), part);

        assertThat(decision.frontierLeast()).isEqualTo(LogCut.UNKNOWN);
        assertThat(decision.closedBefore()).isEqualTo(day("07"));
        assertThat(decision.endedBefore()).isEqualTo(day("10"));
        assertThat(decision.completeFrom()).isEqualTo(day("17"));
    }

    @Test
    void anIdleLogWithoutMarkHoldsNothing() {
        LogCut unmarked = new LogCut("b", "b", 1, "b", 0, LogCut.UNKNOWN, false, true);
        LogCut idle = new LogCut("a", "a", 1, "a", 0, micros("10"), false, true);

        Decision.Publish decision = publish(Standing.NONE, List.of(), part("s", 1, 2, idle, unmarked));

        assertThat(decision.frontierLeast()).isEqualTo(micros("10"));
        assertThat(decision.closedBefore()).isEqualTo(day("07"));
    }

    /** The cuts of an aborted checkpoint say how it was, the newest how it is. */
    @Test
    void boundsGoByTheNewestCutOfEachOperator() {
        StagedPart aborted = part("s", 1, new Cut(0, 1, false, 2, 0, List.of(log("a", 0, 2, "10"))));
        StagedPart part = part(
                "s",
                2,
                new Cut(1, 1, false, 1, 0, List.of(log("b", 0, 1, "10"))),
                new Cut(1, 2, true, 1, 0, List.of(log("b", 1, 2, "12"))),
                new Cut(0, 2, true, 1, 0, List.of(log("a", 2, 3, "11"))));

        assertThat(publish(Standing.NONE, List.of(), aborted, part).frontierLeast())
                .isEqualTo(micros("11"));
        assertThat(publish(Standing.NONE, List.of(), part, aborted).frontierLeast())
                .isEqualTo(micros("11"));
    }

    /** Subtask 0 names what it restored and does not read; the reader counts on from there. */
    @Test
    void theEmptyRangeOfARestoredLogLeadsToWhatItsReaderCounts() {
        Standing standing = standing("s", log("a", 0, 5, "10"), log("b", 0, 9, "10"));
        Cut restored = new Cut(0, 1, true, 0, 0, List.of(log("a", 5, 5, "10"), log("b", 9, 9, "10")));
        Cut none = new Cut(0, 2, true, 0, 0, List.of());
        Cut first = new Cut(1, 2, true, 3, 0, List.of(log("a", 5, 8, "12"), log("b", 9, 9, "10")));
        Cut second = new Cut(1, 3, true, 1, 0, List.of(log("a", 8, 9, "13"), log("b", 9, 9, "11")));

        Decision.Publish whole = publish(standing, List.of(), part("s2", 2, first, restored, none));
        assertThat(whole.frontierLeast()).isEqualTo(micros("10"));
        assertThat(whole.logs()).extracting(LogCut::nextOffset).containsExactly(8L, 9L);

        Decision.Publish afterAbort =
                publish(standing, List.of(), part("s2", 2, restored, none), part("s2", 3, first, second));
        assertThat(afterAbort.frontierLeast()).isEqualTo(micros("11"));
        assertThat(afterAbort.logs()).extracting(LogCut::nextOffset).containsExactly(9L, 9L);
    }

    @Test
    void aRestoredLogBehindWhatIsPublishedIsNamedBehindIt() {
        Standing standing = standing("s", log("a", 0, 5, "10"));
        Cut restored = new Cut(0, 1, true, 0, 0, List.of(behind("a", 3, 5)));
        Cut catchingUp = new Cut(1, 2, true, 0, 0, List.of(behind("a", 4, 5)));
        Cut passing = new Cut(1, 2, true, 2, 0, List.of(log("a", 5, 7, "12")));

        carried(standing, part("s2", 2, restored, catchingUp));
        assertThat(publish(standing, List.of(), part("s2", 2, passing, restored))
                        .logs())
                .extracting(LogCut::nextOffset)
                .containsExactly(7L);
    }

    @Test
    void completeFromIsNotBeforeTheLogThatIsWholeLast() {
        LogCut part = new LogCut("b", "b", 1, "b", 0, micros("12"), day("11"), false, false);

        Decision.Publish decision = publish(Standing.NONE, List.of(), part("s", 1, 2, log("a", 0, 1, "13"), part));

        assertThat(decision.completeFrom()).isEqualTo(day("11"));
        assertThat(decision.closedBefore()).isEqualTo(day("09"));
    }

    @Test
    void countsThatDoNotAddUpAreRefused() {
        StagedPart part = new StagedPart(
                "s", 1, "p", 0, 0, 0, List.of(tally(4)), List.of(new Cut(6, 1, List.of(log("a", 0, 6, "10")))));

        assertThat(rule.decide(Standing.NONE, List.of(), List.of(part)))
                .isInstanceOfSatisfying(
                        Decision.Refuse.class,
                        refusal -> assertThat(refusal.message()).contains("6 changes were read, but 5 accounted for"));
    }

    @Test
    void aLogReadByTwoReadersIsRefused() {
        refused(
                Standing.NONE,
                "the log a was read by two readers",
                part("s", 1, 1, log("a", 0, 1, "10")),
                part("s", 1, 1, log("a", 0, 1, "10")));
    }

    /** The barrier of an aborted checkpoint had passed the reader and not the stage. */
    @Test
    void twoCutsOfOneLogInOneCheckpointAreJoinedInTheOrderOfReading() {
        for (List<LogCut> cuts : List.of(
                List.of(log("a", 0, 2, "10"), log("a", 2, 5, "11")),
                List.of(log("a", 2, 5, "11"), log("a", 0, 2, "10")))) {
            Decision.Publish decision = publish(Standing.NONE, List.of(), part("s", 2, 5, cuts.toArray(LogCut[]::new)));

            assertThat(decision.logs())
                    .extracting(LogCut::nextOffset, LogCut::countedOffset, LogCut::frontier)
                    .containsExactly(tuple(5L, 0L, micros("11")));
        }
    }

    @Test
    void aCheckpointThatLiesBeforeWhatIsPublishedIsNothingNew() {
        Standing standing = standing("s", log("a", 0, 5, "10"));

        assertThat(rule.decide(standing, List.of(), List.of(part("s", 2, 0, log("a", 3, 3, "09")))))
                .isInstanceOf(Decision.NothingNew.class);
    }

    @Test
    void changesThatAreMissingOrWouldCountTwiceAreRefused() {
        Standing standing = standing("s", log("a", 0, 5, "10"));

        refused(standing, "missing: published are those before a @ 5", part("s", 2, 1, log("a", 6, 7, "10")));
        refused(standing, "went back", part("s", 2, 3, log("a", 4, 7, "10")));
        refused(standing, "went back", part("s", 2, 1, new LogCut("a", "a", 4, "a", 9, micros("10"), true, false)));
    }

    @Test
    void aLogThatBeginsAnewMayHaveLostItsBeginning() {
        LogCut begun = new LogCut("a", "c", 7, "c", 0, micros("10"), true, false);

        assertThat(publish(standing("s", log("a", 0, 5, "10")), List.of(), part("s2", 1, 7, begun))
                        .read())
                .isEqualTo(7);
        assertThat(publish(Standing.NONE, List.of(), part("s", 1, 2, log("a", 90, 92, "10")))
                        .read())
                .isEqualTo(2);
    }

    @Test
    void aCutBehindWhatIsPublishedIsCarriedForward() {
        Standing standing = standing("s", log("a", 0, 5, "10"), log("b", 0, 9, "10"));

        carried(standing, part("s2", 1, 0, behind("a", 3, 5), log("b", 9, 9, "10")));
        carried(standing, part("s2", 1, 2, log("a", 5, 7, "10"), behind("b", 3, 9)));
        carried(standing, part("s2", 1, 2, log("a", 5, 7, "10")));
    }

    @Test
    void carriedCheckpointsGoOutWithTheOneThatCatchesUp() {
        Standing standing = standing("s", log("a", 0, 5, "10"), log("b", 0, 9, "10"));
        StagedPart early = part("s2", 1, 2, log("a", 5, 7, "10"), behind("b", 3, 9));

        Decision.Publish decision = publish(
                standing,
                List.of(new Carried("s2", 1, List.of(early))),
                part("s2", 2, 4, log("a", 7, 9, "11"), log("b", 9, 11, "12")));

        assertThat(decision.carried()).extracting(Carried::checkpoint).containsExactly(1L);
        assertThat(decision.read()).isEqualTo(6);
        assertThat(decision.counts().applied()).isEqualTo(6);
    }

    @Test
    void aSubmissionRestoredFromACarriedCheckpointTakesItWithIt() {
        Standing standing = standing("s", log("a", 0, 5, "10"), log("b", 0, 9, "10"));
        List<Carried> carried = List.of(
                new Carried("s2", 1, List.of(part("s2", 1, 0, behind("a", 4, 5), behind("b", 1, 9)))),
                new Carried("s2", 2, List.of(part("s2", 2, 2, log("a", 5, 7, "10"), behind("b", 3, 9)))),
                new Carried("s2", 3, List.of(part("s2", 3, 1, log("a", 7, 8, "10"), behind("b", 4, 9)))));

        Decision.Publish decision =
                publish(standing, carried, part("s3", 3, 4, log("a", 7, 9, "11"), log("b", 9, 11, "12")));

        assertThat(decision.carried()).extracting(Carried::checkpoint).containsExactly(1L, 2L);
        assertThat(decision.read()).isEqualTo(6);
    }

    @Test
    void aLogWhoseReaderHasFinishedStandsWhereItStood() {
        Standing standing = standing("s", log("a", 0, 5, "10"), log("b", 0, 9, "09"));

        Decision.Publish decision = publish(standing, List.of(), part("s", 2, 1, log("a", 5, 6, "20")));

        assertThat(decision.logs()).extracting(LogCut::log).containsExactly("a", "b");
        assertThat(decision.logs().get(1).nextOffset()).isEqualTo(9);
        assertThat(decision.frontierLeast()).isEqualTo(micros("20"));
    }

    @Test
    void nothingReadAndNothingStagedIsNothingNew() {
        Standing standing = standing("s", log("a", 0, 5, "10"));

        assertThat(rule.decide(standing, List.of(), List.of(part("s", 2, 0, log("a", 5, 5, "10")))))
                .isInstanceOf(Decision.NothingNew.class);
        StagedPart withRows =
                new StagedPart("s", 2, "p", 1, 0, 0, List.of(), List.of(new Cut(0, 0, List.of(log("a", 5, 5, "10")))));
        assertThat(rule.decide(standing, List.of(), List.of(withRows))).isInstanceOf(Decision.Publish.class);
    }

    private Decision.Publish publish(Standing standing, List<Carried> carried, StagedPart... parts) {
        Decision decision = rule.decide(standing, carried, List.of(parts));
        assertThat(decision).isInstanceOf(Decision.Publish.class);
        return (Decision.Publish) decision;
    }

    private void carried(Standing standing, StagedPart part) {
        assertThat(rule.decide(standing, List.of(), List.of(part))).isInstanceOf(Decision.CarryForward.class);
    }

    private void refused(Standing standing, String message, StagedPart... parts) {
        assertThat(rule.decide(standing, List.of(), List.of(parts)))
                .isInstanceOfSatisfying(
                        Decision.Refuse.class,
                        refusal -> assertThat(refusal.message()).contains(message));
    }

    private static Standing standing(String submission, LogCut... logs) {
        return new Standing(1, submission, List.of(logs), day("07"), day("10"), Standing.NOWHERE, 3);
    }

    private static StagedPart part(String submission, long checkpoint, long read, LogCut... logs) {
        return new StagedPart(
                submission, checkpoint, "p", 0, 0, 0, List.of(tally(read)), List.of(new Cut(read, 0, List.of(logs))));
    }

    private static StagedPart part(String submission, long checkpoint, Cut... cuts) {
        long read = Arrays.stream(cuts).mapToLong(Cut::read).sum();
        return new StagedPart(submission, checkpoint, "p", 0, 0, 0, List.of(tally(read)), List.of(cuts));
    }

    private static Tally tally(long applied) {
        return new Tally(applied, 0, 0, 0, -1, 0, List.of());
    }

    private static LogCut log(String log, long from, long to, String day) {
        return new LogCut(log, log, to, log, from, micros(day));
    }

    private static LogCut behind(String log, long at, long published) {
        return new LogCut(log, log, at, log, published, micros("10"));
    }

    private static long micros(String day) {
        return day(day) * DAY + DAY / 2;
    }

    private static long day(String day) {
        return LocalDate.parse("2024-03-" + day).toEpochDay();
    }
}
