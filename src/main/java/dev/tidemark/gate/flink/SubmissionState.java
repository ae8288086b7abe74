package dev.tidemark.gate.flink;

import dev.tidemark.job.Definition;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import java.io.IOException;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Who wrote a checkpoint, so that state is known by itself, without the warehouse. Written by subtask 0 of the stamping
 * operator at each checkpoint, given to all of its subtasks at a restore; one of a few kilobytes.
 *
 * @param submission the random id of the submission: a frontier that it was told to reset has been reset in its checkpoints
 */
public record SubmissionState(Definition definition, String submission) {
    /** The state's name is a published contract. */
    static final ListStateDescriptor<SubmissionState> DESCRIPTOR =
            new ListStateDescriptor<>("submission", new Serializer());

    /** Serializes who wrote a checkpoint. */
    public static final class Serializer extends WireSerializer<SubmissionState> {
        private static final long serialVersionUID = 1L;

        @Override
        protected void write(SubmissionState state, DataOutputView out) throws IOException {
            Wire.writeText(state.definition().job(), out);
            Wire.writeText(state.definition().fingerprint(), out);
            Wire.writeText(state.definition().spec(), out);
            Wire.writeText(state.submission(), out);
        }

        @Override
        protected SubmissionState read(DataInputView in) throws IOException {
            return new SubmissionState(
                    new Definition(Wire.readText(in), Wire.readText(in), Wire.readText(in)), Wire.readText(in));
        }

        @Override
        public TypeSerializerSnapshot<SubmissionState> snapshotConfiguration() {
            return new Snapshot();
        }

        /** Version 1. */
        public static final class Snapshot extends FormatSnapshot<SubmissionState> {
            public Snapshot() {
                super(1, Serializer::new);
            }
        }
    }
}
