package dev.tidemark.membership.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.change.RowLayout;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.JobBound;
import dev.tidemark.gate.Whole;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.kit.Plans;
import dev.tidemark.kit.TwoInputHarness;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.Layer;
import dev.tidemark.partition.Rows;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.flink.PartSerializer;
import dev.tidemark.wire.flink.BytesSerializer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Days of UTC by their numbers, lookback 3, retain 6. */
class MembershipOperatorTest {
    private static final int GROUPS = 16;
    private static final OutputTag<Part> PARTS = new OutputTag<>("parts", PartSerializer.TYPE);
    private static final JobPlan PLAN = Plans.products().plan();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLogThatWasIdleFindsClosedWhatIsClosedSinceTheLastBarrierAlsoAfterARescale(boolean onDisk) throws Exception {
        OperatorSubtaskState state;
        try (Harness subject = start(PLAN, onDisk, null, 1, 1, 0)) {
            subject.reach(20);
            subject.accept(change("a", 1, 10, 10));
            assertThat(subject.late()).as("the barrier is not there yet").isEmpty();
            state = subject.checkpoint(1);
            subject.accept(change("b", 1, 16, 10));
            assertThat(subject.late()).containsExactly("16 state-expired");
            subject.accept(change("b", 2, 17, 17));
            assertThat(subject.contributions()).containsExactly("BOTH 10 +1", "BOTH 17 +2");
        }
        for (int subtask = 0; subtask < 2; subtask++) {
            try (Harness subject = start(PLAN, onDisk, state, 1, 2, subtask)) {
                subject.accept(change(idOf(subtask, 2), 1, 16, 10));
                assertThat(subject.late()).containsExactly("16 state-expired");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anIdIsForgottenAtTheBarrierThatPassesItAndNotByTheEndOfTheInput(boolean onDisk) throws Exception {
        try (Harness subject = start(PLAN, onDisk, null, 1, 1, 0)) {
            subject.accept(change("a", 2, 10, 10));
            subject.accept(change("b", 1, 30, 30));
            subject.reach(16);
            subject.checkpoint(1);
            subject.accept(change("a", 1, 10, 10));
            assertThat(subject.contributions()).as("superseded").containsExactly("BOTH 10 +2", "BOTH 30 +1");
            subject.reach(17);
            subject.endInput();
            assertThat(subject.ids()).containsExactlyInAnyOrder("a", "b");
            subject.checkpoint(2);
            assertThat(subject.ids()).containsExactly("b");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void restoredWithALargerLookbackARecordStandsAsItLives(boolean onDisk) throws Exception {
        OperatorSubtaskState state;
        try (Harness subject = start(PLAN, onDisk, null, 1, 1, 0)) {
            subject.accept(change("a", 1, 20, 20));
            subject.accept(change("b", 1, 16, 20));
            subject.reach(20);
            state = subject.checkpoint(1);
            assertThat(subject.contributions()).containsExactly("BOTH 20 +1", "WITHHELD 16 +1");
        }
        try (Harness subject = start(wider(), onDisk, state, 1, 1, 0)) {
            subject.accept(change("b", 2, 16, 20));
            assertThat(subject.contributions()).containsExactly("BOTH 16 -1 +2");
            assertThat(subject.late()).isEmpty();
        }
        try (Harness subject = start(PLAN, onDisk, state, 1, 1, 0)) {
            subject.accept(change("b", 2, 16, 20));
            assertThat(subject.contributions()).containsExactly("WITHHELD 16 -1 +2");
        }
    }

    @Test
    void withoutIdsTheBoundIsKeptAsWell() throws Exception {
        JobPlan plan = Plans.products().appending().withId().plan();
        OperatorSubtaskState state;
        try (TwoInputHarness<Change, Bound, Contribution> subject =
                new TwoInputHarness<>(new AdmissionOperator(plan, PARTS), TwoInputHarness.environment(GROUPS, 1, 0))) {
            subject.open();
            subject.acceptBeside(bound(20));
            subject.prepareSnapshotPreBarrier(1);
            state = subject.snapshot(1, 0);
        }
        try (TwoInputHarness<Change, Bound, Contribution> subject =
                new TwoInputHarness<>(new AdmissionOperator(plan, PARTS), TwoInputHarness.environment(GROUPS, 1, 0))) {
            subject.initializeState(state);
            subject.open();
            subject.accept(change("", 1, 16, 16));
            subject.accept(change("", 1, 17, 17));
            assertThat(subject.extractOutputValues())
                    .extracting(Contribution::partition, Contribution::layer)
                    .containsExactly(tuple(17L, Layer.BOTH));
        }
    }

    private static String idOf(int subtask, int parallelism) {
        return IntStream.range(0, 100)
                .mapToObj(number -> "id" + number)
                .filter(id -> subtask
                        == KeyGroupRangeAssignment.assignKeyToParallelOperator(Bytes.utf8(id), GROUPS, parallelism))
                .findFirst()
                .orElseThrow();
    }

    /** @param day of the event, and {@code reached} of its log's frontier */
    private static Change change(String id, int version, long day, long reached) {
        Bytes key = Rows.encode(RowLayout.ofFields(PLAN.target().key()), List.of("p"));
        Bytes row = Rows.encode(RowLayout.ofFields(PLAN.rowFields()), List.of());
        Bytes ordered = Bytes.of(new byte[] {(byte) 0x80, 0, 0, 0, 0, 0, 0, (byte) version});
        long observed = h(Math.max(day, reached));
        return new Change(
                "log",
                version,
                "log.json",
                version,
                false,
                Bytes.utf8(id),
                ordered,
                h(day),
                observed,
                h(reached),
                Whole.ALL,
                JobBound.UNKNOWN,
                key,
                row,
                false);
    }

    private static Bound bound(long day) {
        return new Bound(0, 1, true, false, h(day), h(day));
    }

    private static long h(long day) {
        return day == Frontier.UNKNOWN ? day : TimeUnit.DAYS.toMicros(day) + 1;
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

    private static Harness start(
            JobPlan plan,
            boolean onDisk,
            @Nullable OperatorSubtaskState state,
            int oldParallelism,
            int parallelism,
            int subtask)
            throws Exception {
        Harness harness = new Harness(plan, parallelism, subtask);
        harness.setStateBackend(onDisk ? new EmbeddedRocksDBStateBackend() : new HashMapStateBackend());
        harness.setup();
        if (state != null) {
            harness.initializeState(AbstractStreamOperatorTestHarness.repartitionOperatorState(
                    state, GROUPS, oldParallelism, parallelism, subtask));
        }
        harness.open();
        return harness;
    }

    private static final class Harness extends TwoInputHarness<Change, Bound, Contribution> {
        private Harness(JobPlan plan, int parallelism, int subtask) throws Exception {
            super(
                    new MembershipOperator(plan, PARTS),
                    Change::recordId,
                    BytesSerializer.INSTANCE,
                    environment(GROUPS, parallelism, subtask));
        }

        void reach(long day) throws Exception {
            acceptBeside(bound(day));
        }

        OperatorSubtaskState checkpoint(long id) throws Exception {
            prepareSnapshotPreBarrier(id);
            return snapshot(id, 0);
        }

        List<String> contributions() {
            return extractOutputValues().stream()
                    .map(each -> each.layer() + " " + each.partition()
                            + (each.minus() == null ? "" : " -" + each.minus().sequence())
                            + (each.plus() == null ? "" : " +" + each.plus().sequence()))
                    .toList();
        }

        List<String> late() {
            List<String> rows = new ArrayList<>();
            var parts = getSideOutput(PARTS);
            if (parts != null) {
                parts.forEach(part -> {
                    if (part.getValue() instanceof Part.Late late) {
                        rows.add(late.change().partition() + " "
                                + late.change().reason().word());
                    }
                });
            }
            return rows;
        }

        List<String> ids() {
            try (var keys = getOperator().<Bytes>getKeyedStateBackend().getKeys("memory", VoidNamespace.INSTANCE)) {
                return keys.map(Bytes::text).toList();
            }
        }
    }
}
