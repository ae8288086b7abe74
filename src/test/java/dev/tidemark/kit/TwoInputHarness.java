package dev.tidemark.kit;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;

/** One subtask of an operator whose first input may be keyed and whose second is not. Flink's own wants both keyed. */
public class TwoInputHarness<T, U, R> extends AbstractStreamOperatorTestHarness<R> {
    private final TwoInputStreamOperator<T, U, R> subject;

    /** Without a key. */
    public TwoInputHarness(TwoInputStreamOperator<T, U, R> subject, MockEnvironment environment) throws Exception {
        super(subject, environment);
        this.subject = subject;
    }

    /** With a key for the first input. */
    public TwoInputHarness(
            TwoInputStreamOperator<T, U, R> subject,
            KeySelector<T, ?> key,
            TypeSerializer<?> keys,
            MockEnvironment environment)
            throws Exception {
        this(subject, environment);
        config.setStatePartitioner(0, key);
        config.setStateKeySerializer(keys);
        config.serializeAllConfigs();
    }

    /** Where one of several subtasks runs. */
    public static MockEnvironment environment(int groups, int parallelism, int subtask) {
        return new MockEnvironmentBuilder()
                .setTaskName("subject")
                .setMaxParallelism(groups)
                .setParallelism(parallelism)
                .setSubtaskIndex(subtask)
                .build();
    }

    /** An element of the first input. */
    public void accept(T element) throws Exception {
        StreamRecord<T> wrapped = new StreamRecord<>(element);
        subject.setKeyContextElement1(wrapped);
        subject.processElement1(wrapped);
    }

    /** An element of the second input. */
    public void acceptBeside(U element) throws Exception {
        StreamRecord<U> wrapped = new StreamRecord<>(element);
        subject.setKeyContextElement2(wrapped);
        subject.processElement2(wrapped);
    }

    /** A watermark of both inputs. */
    public void processWatermark(Watermark mark) throws Exception {
        subject.processWatermark1(mark);
        subject.processWatermark2(mark);
    }

    /** A status of both inputs. */
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        subject.processWatermarkStatus1(status);
        subject.processWatermarkStatus2(status);
    }

    /** The end of both inputs. */
    public void endInput() throws Exception {
        if (subject instanceof BoundedMultiInput bounded) {
            bounded.endInput(1);
            bounded.endInput(2);
        }
        subject.finish();
    }

    /** Entries in the keyed state, which is on the heap; none without a key. */
    public int numKeyedStateEntries() {
        @Nullable Object backend = getOperator().getKeyedStateBackend();
        return backend instanceof HeapKeyedStateBackend<?> heap ? heap.numKeyValueStateEntries() : 0;
    }
}
