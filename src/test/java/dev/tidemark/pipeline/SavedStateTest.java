package dev.tidemark.pipeline;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tidemark.gate.RestoreException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.FullyFinishedOperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.graph.StreamGraphHasherV2;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SavedStateTest {
    @TempDir
    Path folder;

    /** Flink would run no reader again: new files would be passed over, and the run would end well. */
    @Test
    void aStateOfAnInputThatHadEndedIsRefused() throws Exception {
        OperatorID stamp = new OperatorID(StreamGraphHasherV2.generateUserSpecifiedHash(Uids.STAMP));
        try (OutputStream out = Files.newOutputStream(folder.resolve("_metadata"))) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(
                            1,
                            List.of(new FullyFinishedOperatorState("decode and stamp", Uids.STAMP, stamp, 1, 128)),
                            List.of()),
                    out);
        }

        assertThatExceptionOfType(RestoreException.class)
                .isThrownBy(() -> SavedState.read(folder.toString()))
                .withMessageContaining(folder + " was written when the source had been read to its end")
                .withMessageEndingWith(
                        "run the job without --restore; it reads its source from the start and counts nothing twice");
    }
}
