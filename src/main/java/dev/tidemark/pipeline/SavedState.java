package dev.tidemark.pipeline;

import dev.tidemark.gate.RestoreException;
import dev.tidemark.gate.flink.SavedStamps;
import dev.tidemark.job.Definition;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;
import org.apache.flink.streaming.api.graph.StreamGraphHasherV2;
import org.jspecify.annotations.Nullable;

/**
 * What a checkpoint or savepoint says of the job that wrote it, read before anything is started.
 *
 * @param definition null: it does not say
 * @param frontiers the h of each log, in microseconds
 */
public record SavedState(@Nullable Definition definition, Map<String, Long> frontiers) {

    /**
     * Reads it.
     *
     * @param path of a checkpoint or savepoint: its folder, or its file _metadata
     * @throws IOException if there is none, or it cannot be read from here
     * @throws RestoreException if it is none of Tidemark's
     */
    public static SavedState read(String path) throws IOException {
        CompletedCheckpointStorageLocation location = AbstractFsCheckpointStorageAccess.resolveCheckpointPointer(path);
        try (DataInputStream in =
                new DataInputStream(location.getMetadataHandle().openInputStream())) {
            CheckpointMetadata metadata =
                    Checkpoints.loadCheckpointMetadata(in, SavedState.class.getClassLoader(), path);
            OperatorID stamp = operator(Uids.STAMP);
            for (OperatorState operator : metadata.getOperatorStates()) {
                if (operator.getOperatorID().equals(stamp)) {
                    requireUnfinished(operator, path);
                    SavedStamps stamps = SavedStamps.read(operator);
                    return new SavedState(stamps.definition(), stamps.frontiers());
                }
            }
        }
        throw new RestoreException("the state in " + path
                + " was not written by Tidemark: name a savepoint or checkpoint of this job, or start without state");
    }

    /** Flink runs nothing again that had come to its end: the job would read nothing, and say so of a full folder. */
    private static void requireUnfinished(OperatorState operator, String path) {
        if (operator.isFullyFinished()) {
            throw new RestoreException("the state in " + path
                    + " was written when the source had been read to its end, so nothing can go on from it: run the job without"
                    + " --restore; it reads its source from the start and counts nothing twice");
        }
    }

    private static OperatorID operator(String uid) {
        return new OperatorID(StreamGraphHasherV2.generateUserSpecifiedHash(uid));
    }
}
