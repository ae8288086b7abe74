package dev.tidemark.publish.flink;

import dev.tidemark.publish.Part;
import dev.tidemark.publish.Stage;
import dev.tidemark.publish.StagedPart;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Makes everything that arrived before a barrier durable in the warehouse, unseen, and sends the receipt on ahead of the
 * barrier. What it staged for a checkpoint that never completes is an orphan, and cleaned up.
 *
 * <p>State: {@code last-checkpoint}, in union state, one number a subtask, written at each snapshot: what is staged at the
 * end of the input goes out with the checkpoint after it. Without it an input that ends between a restore and the first
 * barrier would be taken for one that is published already.
 */
public final class StageOperator extends AbstractStreamOperator<StagedPart>
        implements OneInputStreamOperator<Part, StagedPart> {
    private static final long serialVersionUID = 1L;

    private static final ListStateDescriptor<Long> LAST_CHECKPOINT =
            new ListStateDescriptor<>("last-checkpoint", LongSerializer.INSTANCE);

    private final String submission;
    private final Stage.Factory stages;

    private transient @Nullable Stage stage;
    private transient ListState<Long> state;
    private transient long lastCheckpoint;
    private transient boolean finished;

    /** @param submission the random id of the submission, made when its graph was built */
    @SuppressWarnings("NullAway.Init")
    public StageOperator(String submission, Stage.Factory stages) {
        this.submission = submission;
        this.stages = stages;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        state = context.getOperatorStateStore().getUnionListState(LAST_CHECKPOINT);
        for (long checkpoint : state.get()) {
            lastCheckpoint = Math.max(lastCheckpoint, checkpoint);
        }
    }

    @Override
    public void processElement(StreamRecord<Part> element) {
        stage().add(element.getValue());
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        lastCheckpoint = checkpointId;
        if (!finished) {
            seal(checkpointId);
        }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        state.update(List.of(context.getCheckpointId()));
    }

    /** At the end of the input there may be no barrier for this operator again: the rest goes out with the next one. */
    @Override
    public void finish() throws Exception {
        seal(lastCheckpoint + 1);
        finished = true;
        super.finish();
    }

    @Override
    public void close() throws Exception {
        if (stage != null) {
            stage.close();
        }
        super.close();
    }

    private void seal(long checkpoint) {
        output.collect(new StreamRecord<>(stage().seal(checkpoint)));
    }

    private Stage stage() {
        Stage open = stage;
        if (open == null) {
            open = stages.open(submission, getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
            stage = open;
        }
        return open;
    }
}
