package dev.tidemark.partition.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.partition.CellKey;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.Layer;
import dev.tidemark.partition.NaiveCell;
import dev.tidemark.partition.NaiveCell.Seen;
import dev.tidemark.partition.Plans;
import dev.tidemark.partition.Rows;
import dev.tidemark.partition.flink.CellHarness.Backend;
import dev.tidemark.partition.flink.CellHarness.Checkpoint;
import dev.tidemark.publish.CellTruth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFinalizer;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CellOperatorTest {
    private static final long SEED = 20261130;
    private static final int RETAIN = 6;
    private static final Bytes APPLES = Rows.key("apples");
    private static final Bytes PEARS = Rows.key("pears");
    private static final JobPlan PLAN = Plans.upsert(List.of(
            Plans.column(Aggregate.COUNT, null),
            Plans.column(Aggregate.SUM, Plans.WHOLE),
            Plans.column(Aggregate.LATEST, Plans.WHOLE),
            Plans.column(Aggregate.COUNT_DISTINCT, Plans.WHOLE)));

    @ParameterizedTest
    @EnumSource(Backend.class)
    void aChangedCellGoesOutOnceBeforeTheBarrierAndAnUnchangedOneNever(Backend backend) throws Exception {
        try (CellHarness cells = CellHarness.start(PLAN, backend)) {
            cells.send(plus(1, APPLES, member("a", 5)));
            cells.send(plus(1, APPLES, member("b", 6)));
            cells.send(plus(1, PEARS, member("c", 7)));
            assertThat(cells.taken()).isEmpty();
            assertThat(texts(cells.checkpoint(1).truths()))
                    .containsExactlyInAnyOrder("1 apples x2 [2, 11, 6, 2]", "1 pears x1 [1, 7, 7, 1]");
            assertThat(cells.checkpoint(2).truths()).isEmpty();
            cells.send(change(1, APPLES, member("b", 6), member("b", 5)));
            assertThat(texts(cells.checkpoint(3).truths())).containsExactly("1 apples x2 [2, 10, 5, 1]");
        }
    }

    @Test
    void theEndOfTheInputSendsWhatIsStillDirty() throws Exception {
        try (CellHarness cells = CellHarness.start(PLAN, Backend.HEAP)) {
            cells.send(plus(1, APPLES, member("a", 5)));
            cells.endInput();
            assertThat(texts(cells.taken())).containsExactly("1 apples x1 [1, 5, 5, 1]");
            assertThat(cells.checkpoint(1).truths()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void anEmptiedCellGoesOutAsRemovedLeavesNothingAndMayReturn(Backend backend) throws Exception {
        OperatorSubtaskState emptied;
        try (CellHarness cells = CellHarness.start(PLAN, backend)) {
            cells.send(plus(1, APPLES, member("a", 5)));
            cells.checkpoint(1);
            cells.send(minus(1, APPLES, member("a", 5)));
            Checkpoint second = cells.checkpoint(2);
            assertThat(texts(second.truths())).containsExactly("1 apples x0 removed");
            assertLeavesNothing(cells);
            emptied = second.state();
        }
        try (CellHarness cells = CellHarness.restore(PLAN, backend, emptied, 1, 1, 0)) {
            assertLeavesNothing(cells);
            cells.send(plus(1, APPLES, member("a", 8)));
            assertThat(texts(cells.checkpoint(3).truths())).containsExactly("1 apples x1 [1, 8, 8, 1]");
            cells.send(minus(1, APPLES, member("a", 8)));
            cells.send(plus(1, APPLES, member("z", 9)));
            assertThat(texts(cells.checkpoint(4).truths())).containsExactly("1 apples x1 [1, 9, 9, 1]");
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void partitionsBeforeTheBoundAreForgottenAtTheBarrier(Backend backend) throws Exception {
        try (CellHarness cells = CellHarness.start(PLAN, backend)) {
            cells.send(plus(1, APPLES, member("a", 5)));
            cells.send(plus(2, APPLES, member("b", 5)));
            cells.checkpoint(1);
            cells.send(plus(2, PEARS, member("c", 6)));
            cells.reach(2 + RETAIN);
            // Judged ahead of the barrier, by the bound as it was.
            cells.send(plus(1, APPLES, member("d", 6)));
            assertThat(texts(cells.checkpoint(2).truths()))
                    .containsExactlyInAnyOrder("1 apples x2 [2, 11, 6, 2]", "2 pears x1 [1, 6, 6, 1]");
            assertThat(cells.numEventTimeTimers()).isEqualTo(backend == Backend.HEAP ? 0 : 2);
            assertThatThrownBy(() -> cells.send(plus(1, APPLES, member("e", 1))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Cell 1970-01-02 [apples]")
                    .hasMessageContaining("would be a fragment");
            cells.send(plus(3, PEARS, member("f", 6)));
            cells.send(minus(3, PEARS, member("f", 6)));
            cells.reach(3 + RETAIN);
            cells.checkpoint(3);
            assertLeavesNothing(cells);
        }
    }

    @Test
    void theBoundNeverGoesBackAndTheEndOfTheInputForgetsNothing() throws Exception {
        try (CellHarness cells = CellHarness.start(PLAN, Backend.ROCKSDB)) {
            cells.send(plus(1, APPLES, member("a", 5)));
            cells.reach(1 + RETAIN);
            cells.checkpoint(1);
            cells.reach(-20);
            cells.checkpoint(2);
            assertThatThrownBy(() -> cells.send(plus(0, APPLES, member("b", 5))))
                    .hasMessageContaining("would be a fragment");
            cells.reach(2 + RETAIN);
            cells.endInput();
            assertThat(cells.numEventTimeTimers()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void noWatermarkForgetsAnything(Backend backend) throws Exception {
        OperatorSubtaskState state;
        try (CellHarness cells = CellHarness.start(PLAN, backend)) {
            cells.send(plus(1, APPLES, member("a", 5)));
            cells.processWatermarkStatus(WatermarkStatus.IDLE);
            cells.processWatermarkStatus(WatermarkStatus.ACTIVE);
            cells.processWatermark(Watermark.MAX_WATERMARK);
            assertThat(cells.getOutput()).contains(Watermark.MAX_WATERMARK);
            cells.getOutput().clear();
            state = cells.checkpoint(1).state();
            cells.endInput();
            assertThat(cells.numEventTimeTimers()).isEqualTo(backend == Backend.HEAP ? 0 : 1);
        }
        try (CellHarness cells = CellHarness.restore(PLAN, backend, state, 1, 1, 0)) {
            cells.processWatermark(Watermark.MAX_WATERMARK);
            cells.getOutput().clear();
            cells.send(plus(1, APPLES, member("b", 6)));
            assertThat(texts(cells.checkpoint(2).truths())).containsExactly("1 apples x2 [2, 11, 6, 2]");
        }
    }

    @Test
    void theBoundSurvivesARestore() throws Exception {
        OperatorSubtaskState state;
        try (CellHarness cells = CellHarness.start(PLAN, Backend.HEAP)) {
            cells.send(plus(5, APPLES, member("a", 5)));
            cells.reach(4 + RETAIN);
            state = cells.checkpoint(1).state();
        }
        try (CellHarness cells = CellHarness.restore(PLAN, Backend.HEAP, state, 1, 1, 0)) {
            assertThatThrownBy(() -> cells.send(plus(3, APPLES, member("b", 6))))
                    .hasMessageContaining("after its partition was forgotten");
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void whatIsWithheldIsNotShownUntilALargerLookbackReopensItsPartition(Backend backend) throws Exception {
        OperatorSubtaskState state;
        try (CellHarness cells = CellHarness.start(PLAN, backend)) {
            cells.reach(5);
            cells.send(plus(1, APPLES, member("a", 5)));
            cells.send(plus(2, APPLES, member("z", 9)));
            cells.checkpoint(1);
            cells.send(withheld(1, APPLES, null, member("b", 6)));
            cells.send(withheld(1, PEARS, null, member("c", 7)));
            cells.send(withheld(-1, PEARS, null, member("d", 8)));
            assertThat(cells.checkpoint(2).truths()).isEmpty();
            cells.send(minus(1, APPLES, member("a", 5)));
            Checkpoint checkpoint = cells.checkpoint(3);
            assertThat(texts(checkpoint.truths())).containsExactly("1 apples x0 removed");
            state = checkpoint.state();
        }
        try (CellHarness cells = CellHarness.restore(PLAN, backend, state, 1, 1, 0)) {
            assertThat(cells.checkpoint(4).truths()).isEmpty();
        }
        OperatorSubtaskState widened;
        try (CellHarness cells = CellHarness.restore(wider(), backend, state, 1, 1, 0)) {
            Checkpoint first = cells.checkpoint(4);
            assertThat(texts(first.truths()))
                    .as("every cell of the open partitions, whether or not something of it was withheld")
                    .containsExactlyInAnyOrder(
                            "1 apples x1 [1, 6, 6, 1]", "1 pears x1 [1, 7, 7, 1]", "2 apples x1 [1, 9, 9, 1]");
            cells.send(change(1, APPLES, member("b", 6), member("b", 3)));
            Checkpoint second = cells.checkpoint(5);
            assertThat(texts(second.truths())).containsExactly("1 apples x1 [1, 3, 3, 1]");
            widened = second.state();
        }
        try (CellHarness cells = CellHarness.restore(wider(), backend, widened, 1, 1, 0)) {
            assertThat(cells.checkpoint(6).truths()).isEmpty();
            cells.reach(3 + RETAIN);
            cells.checkpoint(7);
            assertLeavesNothing(cells);
        }
    }

    @Test
    void takingAMemberOutOfAnEmptyCellIsAFault() throws Exception {
        try (CellHarness cells = CellHarness.start(PLAN, Backend.HEAP)) {
            assertThatThrownBy(() -> cells.send(minus(1, APPLES, member("a", 5))))
                    .hasMessage("Cell 1970-01-02 [apples]: a member is taken out of an empty cell");
        }
    }

    @Test
    void aCheckpointWithoutItsFlushIsRefused() throws Exception {
        try (CellHarness cells = CellHarness.start(PLAN, Backend.HEAP)) {
            cells.send(plus(1, APPLES, member("a", 5)));
            assertThatThrownBy(() -> cells.snapshot(1, 0)).hasStackTraceContaining("have not been sent on");
        }
    }

    @Test
    void changesAfterTheBarrierAreNotInACheckpointThatIsStillBeingWritten() throws Exception {
        OperatorSubtaskState state;
        try (CellHarness cells = CellHarness.start(PLAN, Backend.HEAP)) {
            for (int i = 0; i < 20; i++) {
                cells.send(plus(1, APPLES, member("id" + i, i)));
            }
            cells.prepareSnapshotPreBarrier(1);
            OperatorSnapshotFutures writing = cells.subject.snapshotState(
                    1,
                    0,
                    CheckpointOptions.forCheckpointWithDefaultLocation(),
                    new MemCheckpointStreamFactory(1 << 20));
            for (int i = 19; i > 0; i--) {
                cells.send(minus(1, APPLES, member("id" + i, i)));
            }
            cells.prepareSnapshotPreBarrier(2);
            state = OperatorSnapshotFinalizer.create(writing).getJobManagerOwnedState();
        }
        try (CellHarness cells = CellHarness.restore(PLAN, Backend.HEAP, state, 1, 1, 0)) {
            cells.send(minus(1, APPLES, member("id19", 19)));
            assertThat(texts(cells.checkpoint(2).truths())).containsExactly("1 apples x19 [19, 171, 18, 19]");
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void restoringAfterEveryElementChangesNothing(Backend backend) throws Exception {
        JobPlan plan = backend == Backend.HEAP ? Plans.upsert(Plans.everything()) : PLAN;
        Story story = new Story(plan, SEED);
        OperatorSubtaskState state = null;
        for (int step = 0; step < (backend == Backend.HEAP ? 120 : 25); step++) {
            try (CellHarness cells = CellHarness.restore(plan, backend, state, 1, 1, 0)) {
                cells.send(story.next());
                Checkpoint checkpoint = cells.checkpoint(step);
                assertThat(checkpoint.truths()).hasSize(1);
                story.see(checkpoint.truths());
                state = checkpoint.state();
            }
            story.assertRight("seed " + SEED + ", step " + step);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void rescalingFromOneToThreeToTwoChangesNothing(Backend backend) throws Exception {
        JobPlan plan = Plans.upsert(Plans.everything());
        Story story = new Story(plan, SEED);
        OperatorSubtaskState state = null;
        int old = 1;
        for (int parallelism : new int[] {1, 3, 2, 1}) {
            List<OperatorSubtaskState> parts = new ArrayList<>();
            List<Contribution> contributions = story.next(200);
            for (int subtask = 0; subtask < parallelism; subtask++) {
                try (CellHarness cells = CellHarness.restore(plan, backend, state, old, parallelism, subtask)) {
                    for (Contribution contribution : contributions) {
                        if (subtaskOf(contribution.cell(), parallelism) == subtask) {
                            cells.send(contribution);
                        }
                    }
                    Checkpoint checkpoint = cells.checkpoint(parallelism);
                    story.see(checkpoint.truths());
                    parts.add(checkpoint.state());
                }
            }
            state = AbstractStreamOperatorTestHarness.repackageState(parts.toArray(new OperatorSubtaskState[0]));
            old = parallelism;
            story.assertRight("seed " + SEED + ", parallelism " + parallelism);
        }
        try (CellHarness cells = CellHarness.restore(plan, backend, state, old, 1, 0)) {
            for (Contribution contribution : story.withdrawAll()) {
                cells.send(contribution);
            }
            story.see(cells.checkpoint(9).truths());
            story.assertRight("seed " + SEED + ", emptied");
            assertLeavesNothing(cells);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void writingBackEarlyChangesNothing(Backend backend) throws Exception {
        JobPlan plan = Plans.upsert(Plans.everything());
        Story story = new Story(plan, SEED);
        try (CellHarness cells = CellHarness.start(new CellOperator(plan, 2), backend, null, 1, 1, 0)) {
            for (int round = 0; round < 5; round++) {
                for (Contribution contribution : story.next(100)) {
                    cells.send(contribution);
                }
                List<CellTruth> truths = cells.checkpoint(round).truths();
                assertThat(truths.stream().map(truth -> new CellKey(truth.partition(), truth.key())))
                        .doesNotHaveDuplicates();
                story.see(truths);
                story.assertRight("seed " + SEED + ", round " + round);
            }
        }
    }

    @Test
    void columnsThatMeanSomethingElseDoNotContinueTheState() throws Exception {
        OperatorSubtaskState state;
        try (CellHarness cells = CellHarness.start(PLAN, Backend.HEAP)) {
            cells.send(plus(1, APPLES, member("a", 5)));
            state = cells.checkpoint(1).state();
        }
        JobPlan other = Plans.upsert(List.of(Plans.column(Aggregate.SUM, Plans.WHOLE)));
        assertThatThrownBy(() -> {
                    try (CellHarness cells = CellHarness.restore(other, Backend.HEAP, state, 1, 1, 0)) {
                        cells.send(plus(1, APPLES, member("a", 5)));
                    }
                })
                .hasStackTraceContaining("must not be incompatible");
    }

    private static void assertLeavesNothing(CellHarness cells) {
        assertThat(cells.numEventTimeTimers()).isZero();
        for (String state : List.of(
                CellStates.CELLS,
                CellStates.MEMBERS,
                CellStates.DISTINCT,
                CellStates.WITHHELD_MEMBERS,
                CellStates.WITHHELD_DISTINCT)) {
            try (var keys = cells.subject.getKeyedStateBackend().getKeys(state, VoidNamespace.INSTANCE)) {
                assertThat(keys).as(state).isEmpty();
            }
        }
    }

    private static int subtaskOf(CellKey cell, int parallelism) {
        return KeyGroupRangeAssignment.assignKeyToParallelOperator(cell, CellHarness.GROUPS, parallelism);
    }

    private static Seen member(String id, int whole) {
        return Seen.of(PLAN, id, "v" + whole, "log", whole, whole, Map.of(Plans.WHOLE, whole));
    }

    private static Contribution plus(long partition, Bytes key, Seen plus) {
        return contribution(partition, key, null, plus);
    }

    private static Contribution minus(long partition, Bytes key, Seen minus) {
        return contribution(partition, key, minus, null);
    }

    private static Contribution change(long partition, Bytes key, Seen minus, Seen plus) {
        return contribution(partition, key, minus, plus);
    }

    private static Contribution withheld(long partition, Bytes key, @Nullable Seen minus, @Nullable Seen plus) {
        Contribution both = contribution(partition, key, minus, plus);
        return new Contribution(partition, key, both.minus(), both.plus(), Layer.WITHHELD);
    }

    private static JobPlan wider() {
        PartitionPlan days = PLAN.partition();
        return new JobPlan(
                PLAN.job(),
                PLAN.source(),
                PLAN.changes(),
                PLAN.time(),
                new PartitionPlan(days.grain(), days.zone(), 5, null, days.retain(), days.column(), days.wholeFrom()),
                PLAN.target());
    }

    private static Contribution contribution(long partition, Bytes key, @Nullable Seen minus, @Nullable Seen plus) {
        return new Contribution(
                partition, key, minus == null ? null : minus.member(), plus == null ? null : plus.member());
    }

    private static List<String> texts(List<CellTruth> truths) {
        return truths.stream().map(CellOperatorTest::text).toList();
    }

    private static String text(CellTruth truth) {
        RowLayout keys = RowLayout.ofFields(PLAN.target().key());
        RowLayout target = layout(PLAN);
        return truth.partition() + " " + keys.values(truth.key()).get(0) + " x" + truth.members() + " "
                + (truth.values() == null ? "removed" : target.values(truth.values()));
    }

    private static RowLayout layout(JobPlan plan) {
        return new RowLayout(
                plan.target().columns().stream().map(ValueColumn::type).toList());
    }

    /** A random history of contributions to a few cells, beside what should be in them and what was seen of them. */
    private static final class Story {
        private final JobPlan plan;
        private final Random random;
        private final Map<CellKey, Map<Bytes, Seen>> cells = new HashMap<>();
        private final Map<CellKey, CellTruth> seen = new HashMap<>();
        private int step;

        Story(JobPlan plan, long seed) {
            this.plan = plan;
            this.random = new Random(seed);
        }

        List<Contribution> next(int count) {
            List<Contribution> contributions = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                contributions.add(next());
            }
            return contributions;
        }

        Contribution next() {
            step++;
            CellKey cell = new CellKey(random.nextInt(3) - 1, random.nextBoolean() ? APPLES : PEARS);
            Map<Bytes, Seen> members = cells.computeIfAbsent(cell, any -> new HashMap<>());
            Seen minus = null;
            if (!members.isEmpty() && random.nextInt(2) == 0) {
                List<Seen> all = List.copyOf(members.values());
                minus = all.get(random.nextInt(all.size()));
                members.remove(minus.member().recordId());
            }
            Seen plus = null;
            if (minus == null || random.nextInt(3) == 0) {
                String id =
                        minus == null ? "id" + step : minus.member().recordId().text();
                plus = Seen.of(plan, id, "v" + step, "log", step, random.nextInt(50), Rows.random(random, Plans.ALL));
                members.put(plus.member().recordId(), plus);
            }
            return contribution(cell.partition(), cell.key(), minus, plus);
        }

        List<Contribution> withdrawAll() {
            List<Contribution> contributions = new ArrayList<>();
            cells.forEach((cell, members) -> {
                members.values()
                        .forEach(minus -> contributions.add(contribution(cell.partition(), cell.key(), minus, null)));
                members.clear();
            });
            return contributions;
        }

        void see(List<CellTruth> truths) {
            truths.forEach(truth -> seen.put(new CellKey(truth.partition(), truth.key()), truth));
        }

        void assertRight(String where) {
            cells.forEach((cell, members) -> {
                CellTruth truth = Objects.requireNonNull(seen.get(cell), where);
                assertThat(truth.members()).as(where).isEqualTo(members.size());
                assertThat(truth.isRemoved()).as(where).isEqualTo(members.isEmpty());
                if (truth.values() != null) {
                    assertThat(NaiveCell.comparable(layout(plan).values(truth.values())))
                            .as(where)
                            .isEqualTo(NaiveCell.values(plan, members.values()));
                }
            });
        }
    }
}
