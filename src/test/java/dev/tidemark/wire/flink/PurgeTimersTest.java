package dev.tidemark.wire.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PurgeTimersTest {
    private static final int GROUPS = 16;

    @Test
    void whatLiesBeforeTheBoundIsPurgedOldestFirstAndOnce() throws Exception {
        try (Harness harness = harness(new Keeper(), 1, 0, null)) {
            harness.keep(3, 1, -2, 2);
            harness.advance(2);
            assertThat(harness.purged()).containsExactly("-2@-2", "1@1");
            harness.advance(2);
            harness.advance(1);
            assertThat(harness.purged()).isEmpty();
            harness.advance(10);
            assertThat(harness.purged()).containsExactly("2@2", "3@3");
            assertThat(harness.numEventTimeTimers()).isZero();
        }
    }

    @Test
    void noWatermarkPurges() throws Exception {
        try (Harness harness = harness(new Keeper(), 1, 0, null)) {
            harness.keep(1, 2);
            harness.processWatermarkStatus(WatermarkStatus.IDLE);
            harness.processWatermarkStatus(WatermarkStatus.ACTIVE);
            harness.processWatermark(new Watermark(5));
            harness.processWatermark(Watermark.MAX_WATERMARK);
            harness.endInput();
            assertThat(harness.getOutput()).contains(Watermark.MAX_WATERMARK);
            assertThat(harness.purged()).isEmpty();
            harness.advance(2);
            assertThat(harness.purged()).containsExactly("1@1");
        }
    }

    @Test
    void anOperatorThatLetsWatermarksThroughIsFound() throws Exception {
        try (Harness harness = harness(new Careless(), 1, 0, null)) {
            harness.keep(1);
            assertThatThrownBy(() -> harness.processWatermark(Watermark.MAX_WATERMARK))
                    .hasStackTraceContaining("must override processWatermark");
        }
    }

    @Test
    void aPurgedKeyCanBeKeptAnewAndAReleasedOneIsNotPurged() throws Exception {
        try (Harness harness = harness(new Keeper(), 1, 0, null)) {
            harness.keep(7, 100, 8);
            harness.processElement("release 8", 0);
            harness.advance(9);
            assertThat(harness.purged()).containsExactly("7@7");
            harness.advance(101);
            assertThat(harness.purged()).containsExactly("100@100");
            harness.advance(200);
            assertThat(harness.purged()).containsExactly("100@150");
        }
    }

    @Test
    void theCurrentKeyIsTheSameAfterAnAdvance() throws Exception {
        Keeper keeper = new Keeper();
        try (Harness harness = harness(keeper, 1, 0, null)) {
            harness.keep(1, 2, 3);
            harness.advance(3);
            assertThat(keeper.getCurrentKey()).isEqualTo(3L);
        }
    }

    @Test
    void timersAndTheLeastBoundSurviveRescaling() throws Exception {
        OperatorSubtaskState one;
        try (Harness harness = harness(new Keeper(), 1, 0, null)) {
            harness.keep(1, 2, 3, 4, 5, 6, 7, 8);
            harness.advance(3);
            assertThat(harness.purged()).hasSize(2);
            one = harness.snapshot(1, 1);
        }
        List<OperatorSubtaskState> three = new ArrayList<>();
        for (int subtask = 0; subtask < 3; subtask++) {
            Keeper keeper = new Keeper();
            try (Harness harness = harness(
                    keeper,
                    3,
                    subtask,
                    AbstractStreamOperatorTestHarness.repartitionOperatorState(one, GROUPS, 1, 3, subtask))) {
                assertThat(keeper.timers.bound()).isEqualTo(3);
                keeper.timers.advanceTo(4 + subtask);
                three.add(harness.snapshot(2, 2));
            }
        }
        OperatorSubtaskState packed =
                AbstractStreamOperatorTestHarness.repackageState(three.toArray(new OperatorSubtaskState[0]));
        List<String> purged = new ArrayList<>();
        for (int subtask = 0; subtask < 2; subtask++) {
            Keeper keeper = new Keeper();
            try (Harness harness = harness(
                    keeper,
                    2,
                    subtask,
                    AbstractStreamOperatorTestHarness.repartitionOperatorState(packed, GROUPS, 3, 2, subtask))) {
                assertThat(keeper.timers.bound()).isEqualTo(4);
                keeper.timers.advanceTo(100);
                purged.addAll(harness.purged());
                assertThat(harness.numEventTimeTimers()).isZero();
            }
        }
        assertThat(purged).contains("6@6", "7@7", "8@8").doesNotContain("1@1", "2@2", "3@3");
    }

    private static Harness harness(Keeper keeper, int parallelism, int subtask, @Nullable OperatorSubtaskState state)
            throws Exception {
        Harness harness = new Harness(keeper, parallelism, subtask);
        harness.setup();
        if (state != null) {
            harness.initializeState(state);
        }
        harness.open();
        return harness;
    }

    private static final class Harness extends KeyedOneInputStreamOperatorTestHarness<Long, String, String> {
        private Harness(Keeper keeper, int parallelism, int subtask) throws Exception {
            super(
                    keeper,
                    command -> Long.parseLong(command.split(" ", 2)[1]),
                    Types.LONG,
                    GROUPS,
                    parallelism,
                    subtask);
        }

        void keep(long... partitions) throws Exception {
            for (long partition : partitions) {
                processElement("keep " + partition, 0);
            }
        }

        void advance(long bound) throws Exception {
            processElement("advance " + bound, 0);
        }

        List<String> purged() {
            List<String> purged = extractOutputValues();
            getOutput().clear();
            return purged;
        }
    }

    /** Keeps each key for the partition of the same number; key 100 a second time. */
    private static class Careless extends Keeper {
        @Override
        public void processWatermark(Watermark mark) throws Exception {
            getTimeServiceManager().orElseThrow().advanceWatermark(mark);
        }
    }

    private static class Keeper extends AbstractStreamOperator<String>
            implements OneInputStreamOperator<String, String> {
        @SuppressWarnings("NullAway.Init") // Flink calls initializeState first
        transient PurgeTimers<Long> timers;

        @Override
        public void initializeState(StateInitializationContext context) throws Exception {
            timers = new PurgeTimers<>(
                    this, getTimeServiceManager().orElseThrow(), context.getOperatorStateStore(), this::purge);
        }

        @Override
        public void processElement(StreamRecord<String> element) throws Exception {
            String[] command = element.getValue().split(" ", 2);
            long partition = Long.parseLong(command[1]);
            switch (command[0]) {
                case "keep" -> timers.keep(partition);
                case "release" -> timers.release(partition);
                default -> timers.advanceTo(partition);
            }
        }

        @Override
        public void processWatermark(Watermark mark) throws Exception {
            output.emitWatermark(mark);
        }

        private void purge(Long key, long partition) {
            output.collect(new StreamRecord<>(key + "@" + partition));
            if (key == 100 && partition == 100) {
                timers.keep(150);
            }
        }
    }
}
