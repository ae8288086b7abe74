package dev.tidemark.kit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/** All subtasks of one operator of the graph. */
final class HarnessVertex {
    private final String uid;
    private final List<HarnessSubtask> subtasks = new ArrayList<>();

    HarnessVertex(StreamNode node, int groups) throws Exception {
        this.uid = node.getTransformationUID();
        for (int i = 0; i < node.getParallelism(); i++) {
            subtasks.add(new HarnessSubtask(node, groups, i));
        }
    }

    String uid() {
        return uid;
    }

    List<HarnessSubtask> subtasks() {
        return subtasks;
    }

    List<HarnessSubtask> shuffledSubtasks(Random random) {
        List<HarnessSubtask> shuffled = new ArrayList<>(subtasks);
        Collections.shuffle(shuffled, random);
        return shuffled;
    }

    /** Lays channels from each subtask to each of another operator, as an edge of the graph wants it. */
    @SuppressWarnings("unchecked")
    void connect(StreamEdge edge, StreamNode node, HarnessVertex target) {
        OutputTag<Object> tag = edge.getOutputTag();
        TypeSerializer<Object> serializer = tag == null
                ? (TypeSerializer<Object>) node.getTypeSerializerOut()
                : tag.getTypeInfo().createSerializer(new SerializerConfigImpl());
        for (HarnessSubtask from : subtasks) {
            List<HarnessChannel> channels = new ArrayList<>();
            for (HarnessSubtask to : target.subtasks) {
                HarnessChannel channel = new HarnessChannel(serializer);
                channels.add(channel);
                to.addInput(edge.getTypeNumber(), channel);
            }
            from.output().connect(tag, (StreamPartitioner<Object>) edge.getPartitioner(), channels);
        }
    }

    /** Starts all subtasks, with the state of a checkpoint if there was any. */
    void start(HarnessJob.@Nullable Checkpoint from) throws Exception {
        OperatorSubtaskState state = from == null ? null : from.states().get(uid);
        boolean isStateless = state == null || !state.hasState();
        for (HarnessSubtask subtask : subtasks) {
            if (from == null || isStateless) {
                subtask.start(null, 0, 0);
            } else {
                subtask.start(state, from.parallelisms().getOrDefault(uid, 1), from.id());
            }
        }
    }

    /** Delivers all that waits for any of the subtasks. */
    void drain(Random random) throws Exception {
        List<HarnessSubtask> waiting = new ArrayList<>(subtasks);
        while (!waiting.isEmpty()) {
            HarnessSubtask subtask = waiting.get(random.nextInt(waiting.size()));
            if (subtask.isWaitedFor()) {
                subtask.takeOne(random);
            } else {
                waiting.remove(subtask);
            }
        }
    }
}
