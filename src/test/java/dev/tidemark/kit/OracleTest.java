package dev.tidemark.kit;

import static dev.tidemark.kit.Plans.DIGEST;
import static dev.tidemark.kit.Plans.DUE;
import static dev.tidemark.kit.Plans.LINE;
import static dev.tidemark.kit.Plans.PRICE;
import static dev.tidemark.kit.Plans.QUANTITY;
import static dev.tidemark.kit.Plans.REFERENCE;
import static dev.tidemark.kit.Plans.TEXT;
import static dev.tidemark.kit.Plans.WEIGHT;
import static dev.tidemark.kit.Plans.products;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Observed;
import dev.tidemark.kit.Snapshot.Arrival;
import dev.tidemark.kit.Snapshot.Counts;
import dev.tidemark.kit.Snapshot.Half;
import dev.tidemark.kit.Snapshot.LatenessEntry;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.Operation;
import dev.tidemark.kit.Snapshot.PartitionSize;
import dev.tidemark.kit.Snapshot.Reason;
import dev.tidemark.kit.Snapshot.RejectedRow;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OracleTest {

    @Test
    void theWorkedExampleOfTheSeed() {
        Snapshot end = replay(
                products().withColumn("closing", Aggregate.LATEST, QUANTITY).plan(),
                change("a28", 1, "A", "2026-08-28T20:00:00Z", "2026-08-28T20:01:00Z", "'quantity':10"),
                change("a29", 1, "A", "2026-08-29T20:00:00Z", "2026-08-29T20:01:00Z", "'quantity':11"),
                change("a30", 1, "A", "2026-08-30T20:00:00Z", "2026-08-30T20:01:00Z", "'quantity':14"),
                change("a31", 1, "A", "2026-08-31T20:00:00Z", "2026-08-31T20:01:00Z", "'quantity':12"),
                change("a01", 1, "A", "2026-09-01T08:00:00Z", "2026-09-01T08:01:00Z", "'quantity':15"),
                change("b31", 1, "A", "2026-08-31T22:00:00Z", "2026-09-01T08:02:00Z", "'quantity':13"),
                change("a29", 2, "A", "2026-08-29T20:00:00Z", "2026-09-01T08:03:00Z", "'quantity':12"),
                change("a20", 2, "A", "2026-08-20T20:00:00Z", "2026-09-01T08:04:00Z", "'quantity':99"));
        assertThat(rows(end))
                .containsExactly(
                        "2026-08-28 [A] [1, 10]",
                        "2026-08-29 [A] [1, 12]",
                        "2026-08-30 [A] [1, 14]",
                        "2026-08-31 [A] [2, 13]",
                        "2026-09-01 [A] [1, 15]");
        assertThat(end.ledger())
                .containsExactly(new LedgerRow(
                        "changes.json",
                        7,
                        Half.WHOLE,
                        "a20",
                        Operation.UPSERT,
                        "2026-08-20",
                        List.of("A"),
                        Instant.parse("2026-08-20T20:00:00Z"),
                        Instant.parse("2026-09-01T08:04:00Z"),
                        Duration.parse("P11DT12H4M").toMillis(),
                        12L,
                        Instant.parse("2026-09-01T08:04:00Z"),
                        "2026-08-29",
                        Reason.STATE_EXPIRED,
                        false));
        assertThat(end.counts())
                .isEqualTo(new Counts(
                        8, 7, 0, 1, 0, 0, Duration.parse("P11DT12H4M").toMillis(), 1));
        assertThat(end.frontierPartition()).isEqualTo("2026-09-01");
        assertThat(end.completeFrom()).isEqualTo("2026-08-29");
        assertThat(end.closedBefore()).isEqualTo("2026-08-29");
        assertThat(end.partitions()).containsEntry("2026-08-31", new PartitionSize(1, 2));
        assertThat(end.positions()).containsExactly(Map.entry("changes.json", 8L));
        assertThat(end.lateness())
                .containsEntry(
                        new LatenessEntry(
                                LocalDate.of(2026, 9, 1),
                                Arrival.FIRST,
                                12,
                                Duration.parse("P11DT12H4M").toMillis(),
                                true),
                        1L)
                .containsEntry(
                        new LatenessEntry(
                                LocalDate.of(2026, 9, 1),
                                Arrival.CORRECTION,
                                3,
                                Duration.parse("P2DT12H3M").toMillis(),
                                false),
                        1L);
    }

    @Test
    void bothBoundsOfTheLookbackAndOfTheMemoryAreInclusive() {
        Snapshot end = replay(
                products().plan(),
                change("h", 1, "A", "2026-09-01T12:00:00Z", "2026-09-01T12:00:00Z", ""),
                change("first open", 1, "A", "2026-08-29T00:00:00Z", "2026-09-01T12:00:00Z", ""),
                change("last closed", 1, "A", "2026-08-28T23:59:59.999999Z", "2026-09-01T12:00:00Z", ""),
                change("first retained", 1, "A", "2026-08-26T00:00:00Z", "2026-09-01T12:00:00Z", ""),
                change("last expired", 1, "A", "2026-08-25T23:59:59.999999Z", "2026-09-01T12:00:00Z", ""));
        assertThat(rows(end)).containsExactly("2026-08-29 [A] [1]", "2026-09-01 [A] [1]");
        assertThat(late(end))
                .containsExactly(
                        "last closed WHOLE 2026-08-28 outside-window",
                        "first retained WHOLE 2026-08-26 outside-window",
                        "last expired WHOLE 2026-08-25 state-expired");
        assertThat(end.ledger()).extracting(LedgerRow::withheld).containsExactly(true, true, false);
        assertThat(end.ledger().get(0).latenessMillis())
                .isEqualTo(Duration.parse("P3DT12H").toMillis());
    }

    @Test
    void aRepeatedHourHasTwoCells() {
        Snapshot end = replay(
                products()
                        .withGrain(Grain.HOUR, "America/New_York")
                        .withLookback(1, 2)
                        .plan(),
                change("a", 1, "A", "2018-11-04T01:30:00-04:00", "2018-11-04T01:59:00-04:00", ""),
                change("b", 1, "A", "2018-11-04T01:30:00-05:00", "2018-11-04T01:59:00-05:00", ""),
                change("c", 1, "A", "2018-11-04T02:30:00-05:00", "2018-11-04T02:59:00-05:00", ""),
                change("d", 1, "A", "2018-11-04T01:31:00-04:00", "2018-11-04T02:59:00-05:00", ""));
        assertThat(rows(end))
                .containsExactly(
                        "2018-11-04T05:00:00Z [A] [1]", "2018-11-04T06:00:00Z [A] [1]", "2018-11-04T07:00:00Z [A] [1]");
        assertThat(late(end)).containsExactly("d WHOLE 2018-11-04T05:00:00Z outside-window");
        assertThat(end.ledger().get(0).age()).isEqualTo(2);
    }

    @Test
    void theDayThatApiaSkippedUsesUpOneOfTheLookback() {
        Snapshot end = replay(
                products()
                        .withGrain(Grain.DAY, "Pacific/Apia")
                        .withLookback(1, 1)
                        .plan(),
                change("h", 1, "A", "2011-12-31T12:00:00+14:00", "2011-12-31T12:00:00+14:00", ""),
                change("a", 1, "A", "2011-12-29T23:00:00-10:00", "2011-12-31T12:00:00+14:00", ""));
        assertThat(end.completeFrom()).isEqualTo("2011-12-30");
        assertThat(late(end)).containsExactly("a WHOLE 2011-12-29 state-expired");
    }

    // ------------------------------------------------------------------------------------------- frontier guard

    @Test
    void aSingleWildClockDoesNotMoveTheFrontier() {
        assertThat(frontierAfter("a 01", "b 20", "c 02", "d 20")).isEqualTo("2026-09-02");
    }

    @Test
    void theSameIdTwiceIsStillOneClock() {
        assertThat(frontierAfter("a 01", "b 20", "b 21", "b 22")).isEqualTo("2026-09-01");
    }

    @Test
    void twoIdsBeyondMoveTheFrontierToTheLesserMark() {
        assertThat(frontierAfter("a 01", "b 20", "c 18")).isEqualTo("2026-09-18");
        assertThat(frontierAfter("a 01", "b 18", "c 20")).isEqualTo("2026-09-18");
    }

    @Test
    void aMarkThatIsStillWildAfterTheMoveWaitsForAThird() {
        assertThat(frontierAfter("a 01", "b 10", "c 20")).isEqualTo("2026-09-10");
        assertThat(frontierAfter("a 01", "b 10", "c 20", "d 25")).isEqualTo("2026-09-20");
    }

    @Test
    void anOrdinaryMarkOfTheSameIdKeepsThePendingOne() {
        assertThat(frontierAfter("a 01", "b 20", "b 02", "c 20")).isEqualTo("2026-09-20");
    }

    @Test
    void maxAdvanceItselfIsNotBeyond() {
        assertThat(frontierAfter("a 01", "b 04")).isEqualTo("2026-09-04");
        assertThat(frontierAfter("a 01", "b 05")).isEqualTo("2026-09-01");
    }

    @Test
    void theFirstRecordSetsTheFrontierHoweverWild() {
        assertThat(frontierAfter("a 20", "b 01")).isEqualTo("2026-09-20");
    }

    @Test
    void withoutIdsEveryRecordIsAnother() {
        Snapshot end = replay(
                products().appending().withId().plan(),
                change("a", 1, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                change("b", 1, "A", "2026-09-01T00:00:00Z", "2026-09-20T00:00:00Z", ""),
                change("b", 1, "A", "2026-09-01T00:00:00Z", "2026-09-20T00:00:00Z", ""));
        assertThat(end.frontierPartition()).isEqualTo("2026-09-20");
        assertThat(late(end)).containsExactly("null WHOLE 2026-09-01 state-expired");
        assertThat(rows(end)).containsExactly("2026-09-01 [A] [2]");
    }

    @Test
    void aRejectedChangeNeitherMovesTheFrontierNorConfirmsAWildClock() {
        Snapshot end = replay(
                products().plan(),
                seen("a", "2026-09-01T00:00:00Z"),
                seen("b", "2026-09-20T00:00:00Z"),
                "{'id':'c','v':1,'at':'2026-09-01T00:00:00Z','seen':'2026-09-20T00:00:00Z'}",
                seen("d", "2026-09-02T00:00:00Z"));
        assertThat(end.frontierPartition()).isEqualTo("2026-09-02");
    }

    @Test
    void anEventFrontierLagsByItsAllowance() {
        Snapshot end = replay(
                products()
                        .withEventFrontier(Duration.ofHours(2))
                        .withObserved(Observed.NONE)
                        .withLookback(0, 0)
                        .plan(),
                "{'id':'a','v':1,'product':'A','at':'2026-09-02T01:59:00Z'}",
                "{'id':'b','v':1,'product':'A','at':'2026-09-01T00:00:00Z'}",
                "{'id':'c','v':1,'product':'A','at':'2026-09-02T02:00:00Z'}",
                "{'id':'d','v':1,'product':'A','at':'2026-09-01T23:00:00Z'}",
                "{'id':'e','v':1,'gone':true}");
        assertThat(end.frontier()).isEqualTo("2026-09-02T00:00:00Z");
        assertThat(late(end)).containsExactly("d WHOLE 2026-09-01 state-expired", "e WHOLE null unknown-record");
        assertThat(end.ledger().get(0).latenessMillis()).isNull();
        assertThat(end.lateness()).isEmpty();
        assertThat(end.counts().maxLatenessMillis()).isNull();
    }

    // --------------------------------------------------------------------------------------- deletes and moves

    @Test
    void aDeleteBeforeTheInsertKeepsTheInsertOut() {
        Snapshot end = replay(
                products().plan(),
                "{'id':'a','v':2,'gone':true,'at':'2026-09-01T00:00:00Z','seen':'2026-09-01T00:00:00Z'}",
                change("a", 1, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:01:00Z", ""),
                change("b", 1, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:01:00Z", ""));
        assertThat(rows(end)).containsExactly("2026-09-01 [A] [1]");
        assertThat(end.counts()).isEqualTo(new Counts(3, 2, 1, 0, 0, 0, 60_000L, 0));
    }

    @Test
    void aDeleteOfAnUnknownRecordWithoutEventTimeIsLateAndRemembered() {
        Snapshot end = replay(
                products().plan(),
                seen("h", "2026-09-01T00:00:00Z"),
                "{'id':'a','v':2,'gone':true,'seen':'2026-09-01T00:00:00Z'}",
                change("a", 1, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:01:00Z", ""),
                "{'id':'a','v':3,'gone':true,'seen':'2026-09-01T00:02:00Z'}");
        LedgerRow row = end.ledger().get(0);
        assertThat(late(end)).containsExactly("a WHOLE null unknown-record");
        assertThat(row.key()).isNull();
        assertThat(row.age()).isNull();
        assertThat(row.latenessMillis()).isNull();
        assertThat(row.openFrom()).isEqualTo("2026-08-29");
        assertThat(end.counts().superseded()).isEqualTo(1);
        assertThat(end.counts().applied()).isEqualTo(2);
    }

    @Test
    void aDeleteIsJudgedByTheMembersPartitionAlone() {
        Snapshot end = replay(
                products().plan(),
                change("b", 1, "B", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                "{'id':'b','v':2,'gone':true,'at':'2026-08-01T00:00:00Z','seen':'2026-09-01T00:00:00Z'}",
                change("d", 1, "A", "2026-08-28T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                "{'id':'d','v':2,'gone':true,'at':'2026-09-01T00:00:00Z','seen':'2026-09-01T00:00:00Z'}",
                "{'id':'d','v':3,'gone':true,'at':'2026-08-01T00:00:00Z','seen':'2026-09-01T00:00:00Z'}");
        assertThat(rows(end)).isEmpty();
        assertThat(late(end)).containsExactly("d WHOLE 2026-08-28 outside-window", "d WHOLE 2026-08-28 outside-window");
        assertThat(end.ledger()).extracting(LedgerRow::operation).containsExactly(Operation.UPSERT, Operation.DELETE);
        assertThat(end.ledger().get(1).key()).isEqualTo(List.of("A"));
        assertThat(end.counts().applied()).isEqualTo(3);
        assertThat(end.lateness())
                .containsEntry(
                        new LatenessEntry(
                                LocalDate.of(2026, 9, 1),
                                Arrival.CORRECTION,
                                0,
                                Duration.ofDays(31).toMillis(),
                                false),
                        1L);
    }

    @Test
    void aDeleteOfAnUnknownRecordIsJudgedByItsEventTime() {
        Snapshot end = replay(
                products().plan(),
                seen("h", "2026-09-01T00:00:00Z"),
                "{'id':'a','v':1,'gone':true,'at':'2026-08-28T00:00:00Z','seen':'2026-09-01T00:00:00Z'}",
                "{'id':'b','v':1,'gone':true,'at':'2026-08-29T00:00:00Z','seen':'2026-09-01T00:00:00Z'}");
        assertThat(late(end)).containsExactly("a WHOLE 2026-08-28 outside-window");
        assertThat(end.ledger().get(0).key()).isNull();
        assertThat(end.counts()).isEqualTo(new Counts(3, 2, 0, 1, 0, 0, 345_600_000L, 1));
    }

    @Test
    void theLastMemberTakesItsCellAlong() {
        Snapshot end = replay(
                products().plan(),
                change("a", 1, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                change("b", 1, "B", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                "{'id':'a','v':2,'gone':true,'seen':'2026-09-01T00:00:00Z','quantity':'never read'}");
        assertThat(rows(end)).containsExactly("2026-09-01 [B] [1]");
        assertThat(end.partitions()).containsExactly(Map.entry("2026-09-01", new PartitionSize(1, 1)));
    }

    @Test
    void aMoveOutOfAClosedPartitionIsSplit() {
        Snapshot end = replay(
                products().plan(),
                change("a", 1, "A", "2026-08-27T00:00:00Z", "2026-08-27T00:00:00Z", ""),
                change("h", 1, "B", "2026-08-30T00:00:00Z", "2026-08-30T00:00:00Z", ""),
                change("h", 2, "B", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                change("a", 2, "C", "2026-08-31T00:00:00Z", "2026-09-01T00:00:00Z", ""));
        assertThat(rows(end)).containsExactly("2026-08-27 [A] [1]", "2026-08-31 [C] [1]", "2026-09-01 [B] [1]");
        assertThat(late(end)).containsExactly("a OLD 2026-08-27 outside-window");
        assertThat(end.ledger().get(0).key()).isEqualTo(List.of("A"));
        assertThat(end.ledger().get(0).eventTime()).isEqualTo("2026-08-27T00:00:00Z");
        assertThat(end.counts().split()).isEqualTo(1);
    }

    @Test
    void aMoveIntoAClosedPartitionIsSplitAndRememberedThere() {
        Snapshot end = replay(
                products().plan(),
                change("h", 1, "B", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                change("a", 1, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                change("a", 2, "A", "2026-08-27T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                change("a", 3, "C", "2026-08-26T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                change("a", 4, "D", "2026-08-26T01:00:00Z", "2026-09-01T00:00:00Z", ""),
                "{'id':'a','v':5,'gone':true,'seen':'2026-09-01T00:00:00Z'}");
        assertThat(rows(end)).containsExactly("2026-09-01 [B] [1]");
        assertThat(late(end))
                .containsExactly(
                        "a NEW 2026-08-27 outside-window",
                        "a OLD 2026-08-27 outside-window",
                        "a NEW 2026-08-26 outside-window",
                        "a WHOLE 2026-08-26 outside-window",
                        "a WHOLE 2026-08-26 outside-window");
        assertThat(end.ledger().get(3).key()).isEqualTo(List.of("D"));
        assertThat(end.ledger().get(4).key()).isEqualTo(List.of("D"));
        assertThat(end.ledger().get(4).eventTime()).isEqualTo("2026-08-26T01:00:00Z");
        assertThat(end.counts()).isEqualTo(new Counts(6, 2, 0, 3, 1, 0, 518_400_000L, 0));
    }

    @Test
    void partitionsBeforeTheFirstWholeOneStayShut() {
        Snapshot end = replay(
                products().withWholeFrom("2026-09-01").plan(),
                change("a", 1, "A", "2026-08-31T23:59:00Z", "2026-09-01T00:00:00Z", ""),
                change("b", 1, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", ""));
        assertThat(late(end)).containsExactly("a WHOLE 2026-08-31 before-start");
        assertThat(rows(end)).containsExactly("2026-09-01 [A] [1]");
    }

    // ------------------------------------------------------------------------------------ versions and memory

    @Test
    void equalVersionsAreOrderedByObservedTimeThenPosition() {
        JobPlan plan = products().withColumn("last", Aggregate.LATEST, QUANTITY).plan();
        String at = "2026-09-01T00:00:00Z";
        Snapshot end = replay(
                plan,
                change("a", 1, "A", at, "2026-09-01T00:05:00Z", "'quantity':1"),
                change("a", 1, "A", at, "2026-09-01T00:06:00Z", "'quantity':1"),
                change("b", 1, "B", at, "2026-09-01T00:05:00Z", "'quantity':1"),
                change("b", 1, "B", at, "2026-09-01T00:04:00Z", "'quantity':2"),
                change("c", 1, "C", at, "2026-09-01T00:05:00Z", "'quantity':1"),
                change("c", 1, "C", at, "2026-09-01T00:05:00Z", "'quantity':2"));
        assertThat(rows(end))
                .containsExactly("2026-09-01 [A] [1, 1]", "2026-09-01 [B] [1, 1]", "2026-09-01 [C] [1, 2]");
        assertThat(end.counts().superseded()).isEqualTo(2);
    }

    @Test
    void aForgottenRecordComesBackAndAnOlderVersionCountsAgain() {
        Oracle oracle = new Oracle(products().plan());
        feed(
                oracle,
                change("a", 5, "A", "2026-08-20T00:00:00Z", "2026-08-20T00:00:00Z", ""),
                seen("x", "2026-08-23T00:00:00Z"),
                seen("x", "2026-08-26T00:00:00Z"));
        assertThat(oracle.beyondMemory()).isEmpty();
        feed(oracle, change("a", 4, "A", "2026-08-26T00:00:00Z", "2026-08-26T00:00:00Z", ""));
        assertThat(oracle.snapshot().counts().superseded()).isEqualTo(1);
        feed(
                oracle,
                "{'id':'x','v':2,'product':'X','at':'2026-08-29T00:00:00Z','seen':'2026-08-29T00:00:00Z'}",
                "{'id':'x','v':3,'product':'X','at':'2026-09-01T00:00:00Z','seen':'2026-09-01T00:00:00Z'}",
                "{'id':'x','v':4,'product':'X','at':'2026-09-02T00:00:00Z','seen':'2026-09-02T00:00:00Z'}",
                change("a", 4, "A", "2026-09-02T00:00:00Z", "2026-09-02T00:00:00Z", ""));
        assertThat(rows(oracle.snapshot()))
                .containsExactly("2026-08-20 [A] [1]", "2026-09-02 [A] [1]", "2026-09-02 [X] [1]");
        assertThat(oracle.beyondMemory()).containsExactly("a");
        assertThat(oracle.window()).isNotEqualTo(oracle.recomputed());
    }

    @Test
    void withoutVersionThePositionDecides() {
        Snapshot end = replay(
                products()
                        .withVersion()
                        .withColumn("last", Aggregate.LATEST, QUANTITY)
                        .plan(),
                change("a", 9, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:05:00Z", "'quantity':1"),
                change("a", 1, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:04:00Z", "'quantity':2"),
                change("a", 1, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:04:00Z", "'quantity':2"));
        assertThat(rows(end)).containsExactly("2026-09-01 [A] [1, 2]");
        assertThat(end.counts().applied()).isEqualTo(3);
    }

    @Test
    void inAppendModeTheFirstCopyCountsEvenIfItWasLate() {
        Snapshot end = replay(
                products().appending().plan(),
                seen("h", "2026-09-01T00:00:00Z"),
                change("a", 1, "A", "2026-08-27T00:00:00Z", "2026-09-01T00:00:00Z", ""),
                change("a", 1, "A", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", ""));
        assertThat(late(end)).containsExactly("a WHOLE 2026-08-27 outside-window");
        assertThat(rows(end)).containsExactly("2026-09-01 [X] [1]");
        assertThat(end.counts().superseded()).isEqualTo(1);
    }

    // ----------------------------------------------------------------------------------------------- aggregates

    @Test
    void floatingPointSumsAreExactAndRoundedOnce() {
        Snapshot end = replay(
                products()
                        .withColumn("sum", Aggregate.SUM, WEIGHT)
                        .withColumn("avg", Aggregate.AVG, WEIGHT)
                        .withColumn("least", Aggregate.MIN, WEIGHT)
                        .plan(),
                value("a", "'weight':1e16"),
                value("b", "'weight':0.1"),
                value("c", "'weight':-1e16"),
                value("d", "'weight':0.2"),
                value("e", "'weight':null"),
                value("z", "'product':'Z','weight':-0.0"));
        assertThat(rows(end))
                .containsExactly(
                        "2026-09-01 [A] [5, 0.30000000000000004, 0.07500000000000001, -1.0E16]",
                        "2026-09-01 [Z] [1, 0.0, 0.0, 0.0]");
    }

    @Test
    void averagesHaveSixDigitsMoreAndRoundHalfUp() {
        Snapshot end = replay(
                products()
                        .withColumn("a", Aggregate.AVG, QUANTITY)
                        .withColumn("b", Aggregate.AVG, PRICE)
                        .withColumn("c", Aggregate.SUM, PRICE)
                        .withColumn("d", Aggregate.SUM, QUANTITY)
                        .plan(),
                value("a", "'quantity':-1,'price':'0.01'"),
                value("b", "'quantity':0,'price':0.01"),
                value("c", "'quantity':-1,'price':0"),
                value("d", "'quantity':9223372036854775807,'product':'B'"),
                value("e", "'quantity':9223372036854775807,'product':'B'"));
        assertThat(end.target().get(0).values())
                .containsExactly(
                        3L,
                        new BigDecimal("-0.666667"),
                        new BigDecimal("0.00666667"),
                        new BigDecimal("0.02"),
                        new BigDecimal("-2"));
        assertThat(end.target().get(1).values())
                .containsExactly(
                        2L,
                        new BigDecimal("9223372036854775807.000000"),
                        null,
                        null,
                        new BigDecimal("18446744073709551614"));
    }

    @Test
    void halfOfTheLastDigitRoundsAwayFromZero() {
        String[] lines = new String[256];
        for (int i = 0; i < lines.length; i++) {
            String quantity = i == 0 ? "1" : i == 128 ? "-1" : "0";
            lines[i] = value("a" + i, "'product':'" + (i < 128 ? "A" : "B") + "','quantity':" + quantity);
        }
        Snapshot end =
                replay(products().withColumn("a", Aggregate.AVG, QUANTITY).plan(), lines);
        assertThat(rows(end)).containsExactly("2026-09-01 [A] [128, 0.007813]", "2026-09-01 [B] [128, -0.007813]");
    }

    @Test
    void textUuidAndBytesHaveTheirUnsignedOrder() {
        Snapshot end = replay(
                products()
                        .withColumn("text", Aggregate.MAX, TEXT)
                        .withColumn("reference", Aggregate.MAX, REFERENCE)
                        .withColumn("digest", Aggregate.MAX, DIGEST)
                        .withColumn("due", Aggregate.MIN, DUE)
                        .withColumn("texts", Aggregate.COUNT_DISTINCT, TEXT)
                        .withColumn("some", Aggregate.COUNT, TEXT)
                        .plan(),
                value("a", "'text':'\uff5e','reference':'7fffffff-0000-0000-0000-000000000000','digest':'fw=='"),
                value("b", "'text':'\ud83d\ude00','reference':'80000000-0000-0000-0000-000000000000','digest':'gA=='"),
                value("c", "'text':'\uff5e','due':0"),
                value("d", "'due':'1969-12-31'"));
        assertThat(rows(end))
                .containsExactly("2026-09-01 [A] [4, \ud83d\ude00, 80000000-0000-0000-0000-000000000000,"
                        + " Binary[hex=80], 1969-12-31, 2, 3]");
    }

    @Test
    void theWinnerIsAWholeRowAndItsRemovalRevealsTheRunnerUp() {
        JobPlan plan = products()
                .withColumn("latest", Aggregate.LATEST, QUANTITY, LINE)
                .withColumn("first", Aggregate.FIRST, QUANTITY, LINE)
                .withColumn("by text", Aggregate.LATEST, LINE, TEXT)
                .plan();
        Oracle oracle = new Oracle(plan);
        feed(
                oracle,
                value("a", "'quantity':1,'line':1,'text':'x'"),
                value("b", "'quantity':null,'line':2"),
                value("c", "'quantity':3,'line':1"));
        assertThat(rows(oracle.snapshot())).containsExactly("2026-09-01 [A] [3, null, 1, 1]");
        feed(oracle, "{'id':'b','v':2,'gone':true,'seen':'2026-09-01T00:00:00Z'}");
        assertThat(rows(oracle.snapshot())).containsExactly("2026-09-01 [A] [2, 3, 1, 1]");
        feed(oracle, "{'id':'a','v':2,'gone':true,'seen':'2026-09-01T00:00:00Z'}");
        assertThat(rows(oracle.snapshot())).containsExactly("2026-09-01 [A] [1, 3, 3, 1]");
    }

    // ----------------------------------------------------------------------------------------------- rejections

    @Test
    void theFirstReasonThatHoldsIsGiven() {
        String times = "'at':'2026-09-01T00:00:00Z','seen':'2026-09-01T00:00:00Z'";
        Snapshot end = replay(
                products()
                        .withColumn("w", Aggregate.MAX, WEIGHT)
                        .withColumn("p", Aggregate.MAX, PRICE)
                        .withColumn("t", Aggregate.MAX, TEXT)
                        .withColumn("l", Aggregate.MAX, LINE)
                        .plan(),
                "no json",
                "{'weight':'1'}",
                "{'price':'0.001'}",
                "{'price':10000000}",
                "{'line':null}",
                "{'at':'2026-09-01T00:00:00'}",
                "{'seen':'2026-09-01T00:00:00.0001Z'}",
                "{}",
                "{'at':0}",
                "{" + times + "}",
                "{'id':'a'," + times + "}",
                "{'id':'a','v':1," + times + "}",
                "{'id':'a','v':1,'product':'A','at':'2026-09-01T00:05:00.000001Z','seen':'2026-09-01T00:00:00Z'}",
                "{'id':'a','v':1,'product':'A','at':'0000-12-31T00:00:00Z','seen':'2026-09-01T00:00:00Z'}",
                "{'id':'a','v':1,'product':'A','weight':1e999," + times + "}",
                "{'id':'a','v':1,'product':'A','text':'\\u0000'," + times + "}",
                "{'id':'a','v':1,'product':'\\ud800'," + times + "}",
                "{'id':'a','v':1,'product':'" + "x".repeat(2001) + "'," + times + "}",
                "{'id':'a','v':1,'product':'A','unknown':[]," + times + "}",
                "{'id':'a','v':2,'product':'A','price':'1.50','at':'2026-09-01T00:05:00Z','seen':'2026-09-01T00:00:00Z'}");
        assertThat(end.rejected())
                .extracting(RejectedRow::reason)
                .containsExactly(
                        "undecodable",
                        "undecodable",
                        "undecodable",
                        "undecodable",
                        "undecodable",
                        "undecodable",
                        "undecodable",
                        "no-event-time",
                        "no-observed-time",
                        "no-id",
                        "no-version",
                        "no-key",
                        "future-dated",
                        "out-of-range",
                        "out-of-range",
                        "unstorable",
                        "unstorable",
                        "too-long");
        assertThat(end.rejected().get(0)).isEqualTo(new RejectedRow("changes.json", 0, "undecodable", 7));
        assertThat(rows(end)).containsExactly("2026-09-01 [A] [1, null, 1.50, null, 0]");
    }

    @Test
    void anObservedTimeBeyondTheKafkaTimestampIsInTheFuture() {
        Oracle oracle = new Oracle(products().plan());
        byte[] payload = json(seen("a", "2026-09-01T00:05:00.001Z")).getBytes(StandardCharsets.UTF_8);
        oracle.accept(new SourceRecord("orders-0", 7, payload, Instant.parse("2026-09-01T00:00:00Z")));
        oracle.accept(new SourceRecord("orders-0", 8, payload, Instant.parse("2026-09-01T00:00:00.001Z")));
        assertThat(oracle.snapshot().rejected())
                .containsExactly(new RejectedRow("orders-0", 7, "observed-in-future", payload.length));
        assertThat(oracle.snapshot().counts().applied()).isEqualTo(1);
    }

    // --------------------------------------------------------------------------------------------- several logs

    @Test
    void eachLogIsJudgedByItsOwnFrontier() {
        Oracle oracle = new Oracle(products().plan());
        tell(oracle, "a", seen("x", "2026-09-20T00:00:00Z"));
        tell(oracle, "b", seen("y", "2026-09-01T00:00:00Z"));
        tell(oracle, "b", change("z", 1, "X", "2026-08-29T00:00:00Z", "2026-09-01T00:00:00Z", ""));
        tell(oracle, "a", change("w", 1, "X", "2026-08-29T00:00:00Z", "2026-09-20T00:00:00Z", ""));
        Snapshot end = oracle.snapshot();
        assertThat(rows(end)).containsExactly("2026-08-29 [X] [1]", "2026-09-01 [X] [1]", "2026-09-20 [X] [1]");
        assertThat(late(end)).containsExactly("w WHOLE 2026-08-29 state-expired");
        assertThat(end.completeFrom()).isEqualTo("2026-09-17");
        assertThat(end.closedBefore()).isEqualTo("2026-08-29");
    }

    @Test
    void theBoundIsTheLeastFrontierOfTheLogsThatAreNotIdle() {
        Oracle oracle = new Oracle(products().plan());
        oracle.begin("a");
        oracle.begin("b");
        oracle.begin("empty");
        tell(oracle, "a", seen("x", "2026-09-20T00:00:00Z"));
        tell(oracle, "b", seen("y", "2026-09-01T00:00:00Z"));
        assertThat(oracle.closedBefore(Set.of())).isNull();
        assertThat(oracle.closedBefore(Set.of("empty"))).isEqualTo("2026-08-29");
        assertThat(oracle.closedBefore(Set.of("b", "empty"))).isEqualTo("2026-09-17");
        assertThat(oracle.closedBefore(Set.of("a", "b", "empty"))).isEqualTo("2026-08-29");
        assertThat(oracle.closedBefore(Set.of("a", "b"))).isNull();
    }

    @Test
    void whatAnIdleLogSaysOfAPartitionThatTheOthersHaveClosedIsExpired() {
        Oracle oracle = new Oracle(products().plan());
        tell(oracle, "b", seen("y", "2026-09-01T00:00:00Z"));
        tell(oracle, "a", seen("x", "2026-09-20T00:00:00Z"));
        oracle.barrier(Set.of());
        tell(oracle, "b", seen("open", "2026-09-01T01:00:00Z"));
        oracle.barrier(Set.of("b"));
        tell(oracle, "b", seen("closed", "2026-09-01T02:00:00Z"));
        tell(oracle, "b", seen("open again", "2026-09-17T00:00:00Z"));
        oracle.barrier(Set.of());
        tell(oracle, "b", seen("closed still", "2026-09-16T23:00:00Z"));
        assertThat(late(oracle.snapshot()))
                .containsExactly(
                        "closed WHOLE 2026-09-01 state-expired", "closed still WHOLE 2026-09-16 state-expired");
    }

    @Test
    void amongEqualVersionsSeenAtOnceTheLogOfTheGreaterNameWinsInEveryOrder() {
        for (List<String> order :
                List.of(List.of("a", "\uff5e", "\ud83d\ude00"), List.of("\ud83d\ude00", "\uff5e", "a"))) {
            Oracle oracle = new Oracle(products().plan());
            order.forEach(
                    log -> tell(oracle, log, change("x", 1, log, "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", "")));
            assertThat(rows(oracle.snapshot())).containsExactly("2026-09-01 [\ud83d\ude00] [1]");
            assertThat(oracle.recomputed()).isEqualTo(oracle.snapshot().target());
        }
    }

    @Test
    void nothingIsRetractedOfAVersionThatWasLateForTheLogThatBroughtIt() {
        Oracle oracle = new Oracle(products().plan());
        tell(oracle, "a", seen("h", "2026-09-20T00:00:00Z"));
        tell(oracle, "b", seen("other", "2026-09-10T00:00:00Z"));
        tell(oracle, "a", change("x", 1, "X", "2026-09-10T00:00:00Z", "2026-09-20T00:00:00Z", ""));
        tell(oracle, "b", change("x", 2, "X", "2026-09-11T00:00:00Z", "2026-09-11T00:00:00Z", ""));
        Snapshot end = oracle.snapshot();
        assertThat(rows(end)).containsExactly("2026-09-10 [X] [1]", "2026-09-11 [X] [1]", "2026-09-20 [X] [1]");
        assertThat(late(end)).containsExactly("x WHOLE 2026-09-10 state-expired");
        assertThat(end.counts().applied()).isEqualTo(3);
    }

    // -------------------------------------------------------------------------------------------------- helpers

    private static void tell(Oracle oracle, String log, String line) {
        String split = log + "/0.json";
        Long next = oracle.snapshot().positions().get(split);
        oracle.accept(new SourceRecord(
                log, split, next == null ? 0 : next, json(line).getBytes(StandardCharsets.UTF_8), null));
    }

    private static Snapshot replay(JobPlan plan, String... lines) {
        Oracle oracle = new Oracle(plan);
        feed(oracle, lines);
        return oracle.snapshot();
    }

    private static void feed(Oracle oracle, String... lines) {
        Long next = oracle.snapshot().positions().get("changes.json");
        long offset = next == null ? 0 : next;
        for (String line : lines) {
            oracle.accept(new SourceRecord("changes.json", offset++, json(line).getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static String change(String id, long version, String product, String at, String seen, String more) {
        return "{'id':'" + id + "','v':" + version + ",'product':'" + product + "','at':'" + at + "','seen':'" + seen
                + "'" + (more.isEmpty() ? "" : "," + more) + "}";
    }

    private static String seen(String id, String time) {
        return change(id, 1, "X", time, time, "");
    }

    /** A change of product A on September 1; {@code more} may say otherwise. */
    private static String value(String id, String more) {
        return "{'id':'" + id + "','v':1," + (more.contains("'product'") ? "" : "'product':'A',")
                + "'at':'2026-09-01T00:00:00Z','seen':'2026-09-01T00:00:00Z'," + more + "}";
    }

    /** Where the frontier is after records of "id day-of-September". */
    private static @Nullable String frontierAfter(String... records) {
        return replay(
                        products().plan(),
                        Arrays.stream(records)
                                .map(record ->
                                        seen(record.substring(0, 1), "2026-09-" + record.substring(2) + "T00:00:00Z"))
                                .toArray(String[]::new))
                .frontierPartition();
    }

    private static String json(String line) {
        return line.replace('\'', '"');
    }

    private static List<String> rows(Snapshot snapshot) {
        return snapshot.target().stream()
                .map(row -> row.partition() + " " + row.key() + " " + row.values())
                .toList();
    }

    private static List<String> late(Snapshot snapshot) {
        return snapshot.ledger().stream()
                .map(row -> row.recordId() + " " + row.half() + " " + row.partition() + " "
                        + row.reason().word())
                .toList();
    }
}
