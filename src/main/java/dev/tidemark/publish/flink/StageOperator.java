package dev.tidemark.publish.flink;

import dev.tidemark.publish.Part;
import dev.tidemark.publish.Stage;
import dev.tidemark.publish.StagedPart;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Makes everything that arrived before a barrier durable in the warehouse, unseen, and sends the receipt on ahead of the
 * barrier. It has no state: what it staged for a checkpoint that never completes is an orphan, and cleaned up.
 */
public final class StageOperator extends AbstractStreamOperator<StagedPart>
        implements OneInputStreamOperator<Part, StagedPart> {
    private static final long serialVersionUID = 1L;

    private final String submission;
    private final Stage.Factory stages;

    private transient @Nullable Stage stage;
    private transient long lastCheckpoint;
    private transient boolean finished;

    /** @param submission the random id of the submission, made when its graph was built */
    public StageOperator(String submission, Stage.Factory stages) {
        this.submission = submission;
        this.stages = stages;
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
