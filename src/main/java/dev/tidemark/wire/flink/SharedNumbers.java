package dev.tidemark.wire.flink;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeutils.base.LongSerializer;

/**
 * A few numbers that all subtasks of an operator have alike. State: one union list a number, in which each subtask writes
 * its own; after a restore each has the greatest that any had.
 */
public final class SharedNumbers {
    /** A number that nobody has written. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    private final List<ListState<Long>> states = new ArrayList<>();
    private final List<Long> restored = new ArrayList<>();

    /**
     * Restores the numbers; to be called in the operator's {@code initializeState}.
     *
     * @param names of the states
     */
    public SharedNumbers(OperatorStateStore store, List<String> names) throws Exception {
        for (String name : names) {
            ListState<Long> state = store.getUnionListState(new ListStateDescriptor<>(name, LongSerializer.INSTANCE));
            long greatest = UNKNOWN;
            for (long each : state.get()) {
                greatest = Math.max(greatest, each);
            }
            states.add(state);
            restored.add(greatest);
        }
    }

    /** The numbers as they were restored, in the order of their names. */
    public List<Long> restored() {
        return restored;
    }

    /** What is in the checkpoints from now on. */
    public void update(List<Long> numbers) throws Exception {
        for (int i = 0; i < states.size(); i++) {
            states.get(i).update(List.of(numbers.get(i)));
        }
    }
}
