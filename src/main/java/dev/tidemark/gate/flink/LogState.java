package dev.tidemark.gate.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * How far one log has come, as it rests in a checkpoint: position, frontier, the pending wild mark, and which partitions are
 * whole.
 *
 * @param split with {@code nextOffset} the position of the next record
 * @param wholeFrom as {@link dev.tidemark.gate.Whole#own} says it
 */
public record LogState(
        String log,
        String split,
        long nextOffset,
        long h,
        long pending,
        @Nullable Bytes pendingId,
        long wholeFrom) {

    /** Serializes the state of a log. */
    public static final class Serializer extends WireSerializer<LogState> {
        private static final long serialVersionUID = 1L;

        @Override
        protected void write(LogState state, DataOutputView out) throws IOException {
            Wire.writeText(state.log(), out);
            Wire.writeText(state.split(), out);
            Wire.writeSigned(state.nextOffset(), out);
            out.writeLong(state.h());
            out.writeLong(state.pending());
            Wire.writeNullableBytes(state.pendingId(), out);
            out.writeLong(state.wholeFrom());
        }

        @Override
        protected LogState read(DataInputView in) throws IOException {
            return new LogState(
                    Wire.readText(in),
                    Wire.readText(in),
                    Wire.readSigned(in),
                    in.readLong(),
                    in.readLong(),
                    Wire.readNullableBytes(in),
                    in.readLong());
        }

        @Override
        public TypeSerializerSnapshot<LogState> snapshotConfiguration() {
            return new Snapshot();
        }

        /** Version 1. */
        public static final class Snapshot extends FormatSnapshot<LogState> {
            public Snapshot() {
                super(1, Serializer::new);
            }
        }
    }
}
