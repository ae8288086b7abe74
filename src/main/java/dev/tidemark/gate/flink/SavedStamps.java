package dev.tidemark.gate.flink;

import dev.tidemark.gate.Frontier;
import dev.tidemark.job.Definition;
import dev.tidemark.publish.LogCut;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.jspecify.annotations.Nullable;

/**
 * What a checkpoint or savepoint holds of the stamping operator, read without a running job.
 *
 * @param definition of the job that wrote it; null: it does not say
 * @param frontiers the h of each log, in microseconds; {@link Frontier#UNKNOWN} without one
 */
public record SavedStamps(@Nullable Definition definition, Map<String, Long> frontiers) {

    /** Reads the operator's state from where the checkpoint's handles lead. */
    public static SavedStamps read(OperatorState operator) throws IOException {
        Definition definition = null;
        for (SubmissionState submission : list(operator, SubmissionState.DESCRIPTOR)) {
            definition = submission.definition();
        }
        Map<String, LogState> logs = new LinkedHashMap<>();
        for (LogState log : list(operator, StampOperator.LOGS)) {
            logs.merge(log.log(), log, SavedStamps::further);
        }
        Map<String, Long> frontiers = new TreeMap<>();
        logs.forEach((name, log) -> frontiers.put(name, log.h()));
        return new SavedStamps(definition, frontiers);
    }

    /** Of two states of one log the one that has come further. */
    static LogState further(LogState one, LogState other) {
        return LogCut.comparePositions(one.split(), one.nextOffset(), other.split(), other.nextOffset()) >= 0
                ? one
                : other;
    }

    private static <T> List<T> list(OperatorState operator, ListStateDescriptor<T> descriptor) throws IOException {
        List<T> elements = new ArrayList<>();
        for (OperatorSubtaskState subtask : operator.getStates()) {
            for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
                OperatorStateHandle.StateMetaInfo places =
                        handle.getStateNameToPartitionOffsets().get(descriptor.getName());
                if (places != null) {
                    read(handle, places.getOffsets(), descriptor.getElementSerializer(), elements);
                }
            }
        }
        return elements;
    }

    private static <T> void read(OperatorStateHandle handle, long[] offsets, TypeSerializer<T> serializer, List<T> into)
            throws IOException {
        try (FSDataInputStream in = handle.openInputStream()) {
            for (long offset : offsets) {
                in.seek(offset);
                into.add(serializer.deserialize(new DataInputViewStreamWrapper(in)));
            }
        }
    }
}
