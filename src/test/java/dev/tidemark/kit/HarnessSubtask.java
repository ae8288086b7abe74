package dev.tidemark.kit;

import dev.tidemark.wire.flink.WireTypeInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.util.InstantiationUtil;
import org.jspecify.annotations.Nullable;

/** One subtask of one operator, with the channels that lead to it. */
final class HarnessSubtask {
    /** One for all: each has threads and folders of its own, and nothing here uses them. */
    private static final IOManager DISK = new IOManagerAsync();

    private final AbstractStreamOperatorTestHarness<Object> harness;
    private final HarnessOutput output;
    private final List<Input> inputs = new ArrayList<>();
    private final int groups;
    private final int parallelism;
    private final int index;
    private boolean isSetUp;

    /**
     * A channel that leads here.
     *
     * @param number which of the operator's inputs it belongs to, from 1; 0 if it has only one
     */
    private record Input(int number, HarnessChannel channel) {}

    HarnessSubtask(StreamNode node, int groups, int index) throws Exception {
        this.groups = groups;
        this.parallelism = node.getParallelism();
        this.index = index;
        this.output = new HarnessOutput(index);
        this.harness = harness(node);
        harness.setOutputCreator(serializer -> output);
    }

    @SuppressWarnings("unchecked")
    private AbstractStreamOperatorTestHarness<Object> harness(StreamNode node) throws Exception {
        SimpleOperatorFactory<Object> factory =
                (SimpleOperatorFactory<Object>) InstantiationUtil.clone(node.getOperatorFactory());
        MockEnvironment environment = new MockEnvironmentBuilder()
                .setTaskName(node.getOperatorName())
                .setMaxParallelism(groups)
                .setParallelism(parallelism)
                .setSubtaskIndex(index)
                .setIOManager(DISK)
                .build();
        boolean isKeyed = node.getStatePartitioners().length > 0;
        KeySelector<Object, Object> selector =
                isKeyed ? (KeySelector<Object, Object>) node.getStatePartitioners()[0] : null;
        TypeSerializer<Object> keys = (TypeSerializer<Object>) node.getStateKeySerializer();
        if (factory.getOperator() instanceof TwoInputStreamOperator<?, ?, ?> two) {
            TwoInputStreamOperator<Object, Object, Object> operator =
                    (TwoInputStreamOperator<Object, Object, Object>) two;
            return selector == null
                    ? new TwoInputHarness<>(operator, environment)
                    : new TwoInputHarness<>(operator, selector, keys, environment);
        }
        OneInputStreamOperator<Object, Object> operator =
                (OneInputStreamOperator<Object, Object>) factory.getOperator();
        return selector == null
                ? new OneInputStreamOperatorTestHarness<>(operator, environment)
                : new KeyedOneInputStreamOperatorTestHarness<>(
                        operator, selector, WireTypeInfo.ofKey(Object.class, keys), environment);
    }

    AbstractStreamOperatorTestHarness<Object> harness() {
        return harness;
    }

    HarnessOutput output() {
        return output;
    }

    void addInput(int number, HarnessChannel channel) {
        inputs.add(new Input(number, channel));
    }

    /** Starts as new, or with its share of the state that its operator had in a checkpoint. */
    void start(@Nullable OperatorSubtaskState state, int oldParallelism, long checkpoint) throws Exception {
        harness.setup();
        isSetUp = true;
        if (state == null) {
            harness.initializeEmptyState();
        } else {
            harness.setRestoredCheckpointId(checkpoint);
            harness.initializeState(AbstractStreamOperatorTestHarness.repartitionOperatorState(
                    state, groups, oldParallelism, parallelism, index));
        }
        harness.open();
    }

    /** A record from outside, for an operator with one input. */
    void accept(Object element) throws Exception {
        accept(0, element);
    }

    @SuppressWarnings("unchecked")
    private void accept(int input, Object element) throws Exception {
        if (harness instanceof TwoInputHarness<?, ?, ?> two) {
            TwoInputHarness<Object, Object, Object> subject = (TwoInputHarness<Object, Object, Object>) two;
            if (input == 2) {
                subject.acceptBeside(element);
            } else {
                subject.accept(element);
            }
        } else {
            ((OneInputStreamOperatorTestHarness<Object, Object>) harness).processElement(new StreamRecord<>(element));
        }
    }

    void processWatermark(Watermark mark) throws Exception {
        if (harness instanceof TwoInputHarness<?, ?, ?> two) {
            two.processWatermark(mark);
        } else {
            ((OneInputStreamOperatorTestHarness<?, ?>) harness).processWatermark(mark);
        }
    }

    /** Takes the next element of one of the channels, if one waits. */
    void takeOne(Random random) throws Exception {
        if (inputs.isEmpty()) {
            return;
        }
        int first = random.nextInt(inputs.size());
        for (int i = 0; i < inputs.size(); i++) {
            Input input = inputs.get((first + i) % inputs.size());
            if (!input.channel().isEmpty()) {
                accept(input.number(), input.channel().take());
                return;
            }
        }
    }

    boolean isWaitedFor() {
        return inputs.stream().anyMatch(input -> !input.channel().isEmpty());
    }

    long stateEntries() {
        long timers = harness.numEventTimeTimers();
        return harness instanceof TwoInputHarness<?, ?, ?> keyed ? timers + keyed.numKeyedStateEntries() : timers;
    }

    void cut() {
        output.cut();
    }

    /** As a failed task does it: the operator is closed and does not finish, which the harness's own close would do. */
    void close() throws Exception {
        if (isSetUp) {
            harness.getOperator().close();
        }
    }
}
