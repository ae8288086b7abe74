package dev.tidemark.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.RowLayout;
import dev.tidemark.change.avro.Decoders;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.JobBound;
import dev.tidemark.gate.Stamper;
import dev.tidemark.gate.Whole;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Plans;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.Layer;
import dev.tidemark.partition.Member;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * One id in two logs, of which one lags: the log "ahead" has come to the 10th of March (open from the 7th, retained from the
 * 4th), the log "behind" to the 5th (open from the 2nd). A member is told as day, product and version.
 */
class MembershipTest {
    private static final String AHEAD = "ahead";
    private static final String BEHIND = "behind";

    private final Story story = new Story(Plans.products());

    @Test
    void aLogThatLagsTakesOutWhatStandsThoughANewerVersionWasLate() {
        story.upsert(BEHIND, 1, 5, "k1");
        assertThat(story.outcome).isEqualTo(Outcome.APPLIED);
        story.upsert(AHEAD, 2, 6, "k2");
        assertThat(story.outcome).isEqualTo(Outcome.LATE);
        assertThat(story.late).containsExactly("old 5 k1 outside-window", "new 6 k2 outside-window");
        story.shows("5 k1 v1").knows("6 k2 v2");
        story.upsert(BEHIND, 3, 5, "k3");
        assertThat(story.outcome).isEqualTo(Outcome.APPLIED);
        story.shows("5 k3 v3").knows("5 k3 v3");
    }

    @Test
    void aSupersededChangeOfAReplayNamesItsOpenCellIfThereMayBeSeveralLogs() {
        Story several = new Story(Plans.products().withLogsByFolder());
        for (Story each : List.of(story, several)) {
            each.upsert(BEHIND, 3, 5, "k3");
            each.upsert(BEHIND, 2, 4, "k2");
            assertThat(each.outcome).isEqualTo(Outcome.SUPERSEDED);
            assertThat(each.named).isEmpty();
            each.replayed = true;
            each.upsert(BEHIND, 1, 1, "k1");
            assertThat(each.named).isEmpty();
            each.upsert(BEHIND, 2, 4, "k2");
            each.shows("5 k3 v3").knows("5 k3 v3");
        }
        assertThat(several.named).containsExactly("4 k2");
        assertThat(story.named).isEmpty();
    }

    @Test
    void aLateDeleteIsWithheldAndWhatStandsGoesWithTheNextVersion() {
        story.upsert(BEHIND, 1, 5, "k1");
        story.delete(AHEAD, 2);
        assertThat(story.late).containsExactly("whole 5 k1 outside-window");
        story.shows("5 k1 v1").knows();
        story.delete(BEHIND, 3);
        assertThat(story.outcome).isEqualTo(Outcome.APPLIED);
        story.shows("5 k1 v1").knows();
        story.upsert(BEHIND, 4, 4, "k1");
        story.shows("4 k1 v4").knows("4 k1 v4");
    }

    @Test
    void aDeleteTakesOutWhatStandsElsewhere() {
        story.upsert(BEHIND, 1, 5, "k1");
        story.upsert(AHEAD, 2, 6, "k2");
        story.delete(BEHIND, 3);
        assertThat(story.outcome).isEqualTo(Outcome.APPLIED);
        story.shows().knows();
    }

    @Test
    void whatAMoveLeavesBehindStaysAndHasANamesakeWhenTheRecordComesBack() {
        story.upsert(BEHIND, 1, 5, "k1");
        story.upsert(AHEAD, 2, 9, "k1");
        assertThat(story.outcome).isEqualTo(Outcome.SPLIT);
        assertThat(story.late).containsExactly("old 5 k1 outside-window");
        story.shows("5 k1 v1", "9 k1 v2").knows("9 k1 v2");
        story.upsert(BEHIND, 3, 5, "k1");
        story.shows("5 k1 v1", "5 k1 v3").knows("5 k1 v3");
        assertThat(story.namesInCell("5 k1")).hasSize(2);
        story.delete(BEHIND, 4);
        story.shows("5 k1 v1").knows();
    }

    @Test
    void aMoveIntoAClosedPartitionIsWithheldThereAndMayComeOutAgain() {
        story.upsert(AHEAD, 1, 9, "k1");
        story.upsert(AHEAD, 2, 5, "k1");
        assertThat(story.outcome).isEqualTo(Outcome.SPLIT);
        story.shows().knows("5 k1 v2");
        story.upsert(AHEAD, 3, 9, "k1");
        assertThat(story.late).containsExactly("old 5 k1 outside-window");
        story.shows("9 k1 v3").knows("9 k1 v3");
    }

    @Test
    void aChangeOfWhatIsWithheldStaysWithheld() {
        story.upsert(AHEAD, 1, 5, "k1");
        story.upsert(AHEAD, 2, 5, "k1");
        assertThat(story.late).containsExactly("whole 5 k1 outside-window");
        story.shows().knows("5 k1 v2");
        story.delete(AHEAD, 3);
        story.shows().knows();
    }

    @Test
    void whatWasNotRetainedWhenItCameIsNotTakenOutByALogForWhichItIs() {
        story.upsert(AHEAD, 1, 2, "k1");
        assertThat(story.late).containsExactly("whole 2 k1 state-expired");
        story.shows().knows();
        story.upsert(BEHIND, 2, 2, "k1");
        assertThat(story.outcome).isEqualTo(Outcome.APPLIED);
        story.shows("2 k1 v2").knows("2 k1 v2");
    }

    @Test
    void whatIsNoLongerRetainedStaysInBothTruths() {
        story.upsert(BEHIND, 1, 3, "k1");
        story.upsert(AHEAD, 2, 9, "k1");
        assertThat(story.late).containsExactly("old 3 k1 state-expired");
        story.shows("3 k1 v1", "9 k1 v2").knows("3 k1 v1", "9 k1 v2");
        story.upsert(BEHIND, 3, 3, "k1");
        story.shows("3 k1 v1", "3 k1 v3").knows("3 k1 v1", "3 k1 v3");
        assertThat(story.namesInCell("3 k1")).hasSize(2);
    }

    @Test
    void whatLiesBeforeTheStartIsInNoTruth() {
        Story late = new Story(Plans.products().withWholeFrom("2026-03-08"));
        late.upsert(AHEAD, 1, 7, "k1");
        assertThat(late.late).containsExactly("whole 7 k1 before-start");
        late.shows().knows();
        late.upsert(AHEAD, 2, 8, "k1");
        late.shows("8 k1 v2").knows("8 k1 v2");
    }

    @Test
    void withoutIdsWhatIsLateIsWithheldToo() {
        Story appending = new Story(Plans.products().appending().withId());
        appending.upsert(AHEAD, 1, 5, "k1");
        appending.upsert(AHEAD, 2, 8, "k1");
        appending.upsert(AHEAD, 3, 2, "k1");
        assertThat(appending.outcome).isEqualTo(Outcome.LATE);
        appending.shows("8 k1 v2").knows("5 k1 v1", "8 k1 v2");
    }

    @Test
    void anIdThatWasForgottenLeavesItsMembersWhereTheyAre() {
        story.upsert("older", 1, 1, "k1", "2026-03-01");
        story.upsert(AHEAD, 2, 9, "k1");
        assertThat(story.late).isEmpty();
        story.shows("1 k1 v1", "9 k1 v2").knows("1 k1 v1", "9 k1 v2");
        story.upsert("older", 3, 1, "k1", "2026-03-01");
        assertThat(story.namesInCell("1 k1")).hasSize(2);
    }

    @Test
    void aLogThatWasIdleFindsClosedWhatTheOthersClosed() {
        story.reach(8);
        story.upsert(BEHIND, 1, 5, "k1");
        assertThat(story.outcome).isEqualTo(Outcome.APPLIED);
        assertThat(story.overtaken).isFalse();
        story.upsert(BEHIND, 2, 4, "k1");
        assertThat(story.outcome).isEqualTo(Outcome.SPLIT);
        assertThat(story.late).containsExactly("new 4 k1 state-expired");
        assertThat(story.overtaken).isTrue();
        story.shows().knows();
        story.upsert(BEHIND, 3, 5, "k1");
        assertThat(story.outcome).isEqualTo(Outcome.SPLIT);
        assertThat(story.late).containsExactly("old 4 k1 state-expired");
        assertThat(story.overtaken).isTrue();
        story.shows("5 k1 v3").knows("5 k1 v3");
        story.upsert(AHEAD, 4, 3, "k1");
        assertThat(story.late).containsExactly("old 5 k1 outside-window", "new 3 k1 state-expired");
        assertThat(story.overtaken).as("its own log closed it").isFalse();
        story.shows("5 k1 v3").knows();
    }

    @Test
    void afterReopeningARecordStandsAsItLives() {
        story.upsert(BEHIND, 1, 5, "k1");
        story.upsert(AHEAD, 2, 6, "k2");
        RecordMemory memory = story.memory();
        long fifth = LocalDate.of(2026, 3, 5).toEpochDay();
        assertThat(memory.reopened(fifth + 2)).isSameAs(memory);
        RecordMemory reopened = memory.reopened(fifth);
        assertThat(reopened.standing()).isTrue();
        assertThat(reopened.copy()).isNull();
        RecordMemory behind = memory.reopened(fifth + 1);
        assertThat(behind.standing()).isTrue();
        assertThat(behind.copy()).isNull();
        assertThat(reopened.reopened(fifth)).isSameAs(reopened);
        story.delete(AHEAD, 3);
        assertThat(story.memory().copy()).isNotNull();
        assertThat(story.memory().reopened(fifth).copy()).isNull();
        assertThat(story.memory().reopened(fifth + 1)).isSameAs(story.memory());
    }

    /** Two logs, one record id, and the cells that the contributions make. */
    private static final class Story {
        private final JobPlan plan;
        private final Gate gate;
        private final Stamper stamper;
        private final Membership membership;
        private final Map<String, Frontier> logs = new HashMap<>();
        private final RowLayout rows;
        private final RowLayout keys;
        private final List<String> published = new ArrayList<>();
        private final List<String> full = new ArrayList<>();
        private final Map<String, Set<Bytes>> names = new HashMap<>();
        private @Nullable RecordMemory memory;
        private Outcome outcome = Outcome.APPLIED;
        private List<String> late = List.of();
        private boolean overtaken;
        private int offset;
        private boolean replayed;
        private List<String> named = List.of();

        Story(Plans plans) {
            plan = plans.withColumn("quantity", Aggregate.SUM, Plans.QUANTITY).plan();
            gate = new Gate(plan);
            stamper = new Stamper(plan, new Decoders().create(plan), Map.of());
            membership = new Membership(plan);
            rows = RowLayout.ofFields(plan.rowFields());
            keys = RowLayout.ofFields(plan.target().key());
        }

        void upsert(String log, int version, int day, String product) {
            upsert(log, version, day, product, log.equals(AHEAD) ? "2026-03-10" : "2026-03-05");
        }

        void upsert(String log, int version, int day, String product, String seen) {
            take(
                    log,
                    "{'id':'a','v':%d,'at':'2026-03-%02dT10:00:00Z','seen':'%sT12:00:00Z','product':'%s','quantity':%d}"
                            .formatted(version, day, seen, product, version));
        }

        void delete(String log, int version) {
            String seen = log.equals(AHEAD) ? "2026-03-10" : "2026-03-05";
            take(log, "{'id':'a','v':%d,'gone':true,'seen':'%sT12:00:00Z'}".formatted(version, seen));
        }

        void reach(int day) {
            long h = LocalDate.of(2026, 3, day).toEpochDay() * 86_400_000_000L;
            JobBound bound = new JobBound(plan);
            bound.take(new Bound(0, 1, true, false, h, h));
            bound.advance();
            membership.follow(bound);
        }

        private void take(String log, String json) {
            RawRecord raw = new RawRecord();
            raw.log = log;
            raw.split = log + ".json";
            raw.offset = offset++;
            raw.sequence = raw.offset;
            raw.bytes = json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
            raw.length = raw.bytes.length;
            raw.wholeLength = raw.length;
            Frontier frontier = logs.computeIfAbsent(log, any -> new Frontier(gate.calendar(), 3));
            Change change = Objects.requireNonNull(
                    stamper.stamp(raw, frontier, new Whole(gate.calendar(), plan, Whole.ALL), replayed));
            Judgement judgement = membership.judge(memory, change);
            memory = judgement.memory() == null ? memory : judgement.memory();
            outcome = judgement.outcome();
            overtaken = judgement.overtaken();
            late = Stream.of(judgement.oldLate(), judgement.late())
                    .filter(Objects::nonNull)
                    .map(this::text)
                    .toList();
            named = Stream.of(judgement.first(), judgement.second(), judgement.third())
                    .filter(Objects::nonNull)
                    .filter(contribution -> contribution.minus() == null && contribution.plus() == null)
                    .map(contribution -> cell(contribution.partition(), contribution.key()))
                    .toList();
            Stream.of(judgement.first(), judgement.second(), judgement.third())
                    .filter(Objects::nonNull)
                    .forEach(this::apply);
        }

        private void apply(Contribution contribution) {
            if (contribution.layer() != Layer.WITHHELD) {
                apply(contribution, published);
            }
            if (contribution.layer() != Layer.PUBLISHED) {
                apply(contribution, full);
            }
        }

        private void apply(Contribution contribution, List<String> truth) {
            String cell = cell(contribution.partition(), contribution.key());
            Member minus = contribution.minus();
            if (minus != null) {
                assertThat(truth.remove(text(cell, minus)))
                        .as("%s in %s", text(cell, minus), truth)
                        .isTrue();
            }
            Member plus = contribution.plus();
            if (plus != null) {
                truth.add(text(cell, plus));
                names.computeIfAbsent(cell, any -> new HashSet<>()).add(plus.recordId());
            }
        }

        Story shows(String... members) {
            assertThat(published).as("published").containsExactlyInAnyOrder(members);
            return this;
        }

        void knows(String... members) {
            assertThat(full).as("full").containsExactlyInAnyOrder(members);
        }

        Set<Bytes> namesInCell(String cell) {
            return Objects.requireNonNull(names.get(cell));
        }

        RecordMemory memory() {
            return Objects.requireNonNull(memory);
        }

        private String cell(long partition, @Nullable Bytes key) {
            return LocalDate.ofEpochDay(partition).getDayOfMonth() + " "
                    + (key == null ? null : keys.values(key).get(0));
        }

        private String text(String cell, Member member) {
            return cell + " v" + rows.values(member.row()).get(0);
        }

        private String text(@Nullable LateChange change) {
            LateChange row = Objects.requireNonNull(change);
            return row.half().word() + " " + cell(row.partition(), row.key()) + " "
                    + row.reason().word();
        }
    }
}
