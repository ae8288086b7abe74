package dev.tidemark.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Plans;
import dev.tidemark.ledger.LateReason;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The job's bound, and what it closes to logs that are behind it: days of UTC, lookback 3, retain 6. */
class JobBoundTest {
    private static final JobPlan PLAN = Plans.products().plan();

    private final JobBound bound = new JobBound(PLAN);
    private final Gate gate = new Gate(PLAN);

    @Test
    void itMovesAtABarrierToWhatAllSendersHaveReached() {
        bound.take(bound(0, 2, 20));
        assertThat(bound.advance()).isFalse();
        assertThat(bound.closedBefore()).isEqualTo(JobBound.UNKNOWN);
        bound.take(bound(1, 2, 10));
        assertThat(bound.reached()).isEqualTo(JobBound.UNKNOWN);
        assertThat(bound.advance()).isTrue();
        assertThat(bound.reached()).isEqualTo(10);
        assertThat(bound.closedBefore()).isEqualTo(7);
        assertThat(bound.forgottenBefore()).isEqualTo(4);
        assertThat(bound.advance()).isFalse();
    }

    @Test
    void itNeverGoesBack() {
        reach(20);
        reach(10);
        assertThat(bound.closedBefore()).isEqualTo(17);
        assertThat(bound.forgottenBefore()).isEqualTo(14);
    }

    @Test
    void itIsTheSameAfterARestoreUntilAllHaveSpokenAgain() {
        reach(20);
        JobBound restored = new JobBound(PLAN, bound.numbers());
        assertThat(restored.advance()).isFalse();
        assertThat(restored.numbers()).isEqualTo(bound.numbers());
        restored.take(bound(0, 1, 21));
        restored.advance();
        assertThat(restored.closedBefore()).isEqualTo(18);
        List<Long> unwritten = Collections.nCopies(JobBound.NUMBERS.size(), JobBound.UNKNOWN);
        assertThat(new JobBound(PLAN, unwritten).closedBefore()).isEqualTo(JobBound.UNKNOWN);
    }

    @Test
    void anotherLookbackMovesWhatIsClosedButNeverBeforeWhatIsForgotten() {
        reach(20);
        assertThat(restored(5, 6).closedBefore()).isEqualTo(15);
        assertThat(restored(1, 6).closedBefore()).isEqualTo(19);
        assertThat(restored(3, 30).forgottenBefore()).isEqualTo(14);
        assertThat(restored(10, 30).closedBefore()).isEqualTo(14);
    }

    @Test
    void forALogThatIsNotBehindItOnlyTheLogDecides() {
        Horizon before = gate.horizon(h(21));
        reach(21);
        assertThat(gate.horizon(h(21))).isEqualTo(before);
        assertThat(gate.closedBecause(18, before)).isNull();
        assertThat(gate.closedBecause(17, before)).isEqualTo(LateReason.OUTSIDE_WINDOW);
        assertThat(gate.closedBecause(15, before)).isEqualTo(LateReason.OUTSIDE_WINDOW);
        assertThat(gate.closedBecause(14, before)).isEqualTo(LateReason.STATE_EXPIRED);
    }

    @Test
    void whatALogThatIsBehindItSendsBeforeItIsNotInTheState() {
        reach(20);
        for (long h : new long[] {h(10), Frontier.UNKNOWN}) {
            Horizon horizon = gate.horizon(h);
            assertThat(gate.closedBecause(16, horizon)).isEqualTo(LateReason.STATE_EXPIRED);
            assertThat(gate.isRetained(16, horizon)).isFalse();
            assertThat(gate.closedBecause(17, horizon)).isNull();
            assertThat(horizon.openFrom()).isEqualTo(17);
        }
        assertThat(gate.horizon(h(10)).rememberedFrom()).isEqualTo(4);
        assertThat(gate.age(9, gate.horizon(h(10)))).isEqualTo(1);
    }

    @Test
    void whatIsPublishedAsClosedIsClosedForALogThatIsBehindItOnly() {
        for (long h : new long[] {h(10), Frontier.UNKNOWN}) {
            Horizon behind = gate.horizon(h, Whole.ALL, 17);
            assertThat(gate.closedBecause(16, behind)).isEqualTo(LateReason.STATE_EXPIRED);
            assertThat(gate.isRetained(16, behind)).isFalse();
            assertThat(gate.closedBecause(17, behind)).isNull();
            assertThat(behind.openFrom()).isEqualTo(17);
        }
        assertThat(gate.closedBecause(16, gate.horizon(h(10)))).isNull();
        assertThat(gate.horizon(h(20), Whole.ALL, 17)).isEqualTo(gate.horizon(h(20)));
        reach(21);
        assertThat(gate.horizon(h(10), Whole.ALL, 17).openFrom()).isEqualTo(18);
    }

    @Test
    void whatIsForgottenIsNotRetainedThoughALongerRetainIsAskedFor() {
        reach(20);
        JobPlan longer = Plans.products().withLookback(3, 30).plan();
        Gate longerGate = new Gate(longer);
        longerGate.follow(new JobBound(longer, bound.numbers()));
        Horizon horizon = longerGate.horizon(h(20));
        assertThat(longerGate.closedBecause(14, horizon)).isEqualTo(LateReason.OUTSIDE_WINDOW);
        assertThat(longerGate.closedBecause(13, horizon)).isEqualTo(LateReason.STATE_EXPIRED);
    }

    private void reach(long day) {
        bound.take(bound(0, 1, day));
        bound.advance();
        gate.follow(bound);
    }

    private JobBound restored(int lookback, int retain) {
        return new JobBound(Plans.products().withLookback(lookback, retain).plan(), bound.numbers());
    }

    private static Bound bound(int sender, int senders, long day) {
        return new Bound(sender, senders, true, false, h(day), h(day));
    }

    private static long h(long day) {
        return TimeUnit.DAYS.toMicros(day) + 1;
    }
}
