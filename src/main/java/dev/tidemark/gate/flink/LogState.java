package dev.tidemark.gate.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.WireSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * How far one log has come, as it rests in a checkpoint: position, frontier and the pending wild mark.
 *
 * @param split with {@code nextOffset} the position of the next record
 */
public record LogState(
        String log,
        String split,
        long nextOffset,
        long h,
        long pending,
        @Nullable Bytes pendingId) {

    /** Serializes the state of a log, behind a version. */
    public static final class Serializer extends WireSerializer<LogState> {
        private static final long serialVersionUID = 1L;
        private static final int VERSION = 1;

        @Override
        protected void write(LogState state, DataOutputView out) throws IOException {
            out.writeByte(VERSION);
            Wire.writeText(state.log(), out);
            Wire.writeText(state.split(), out);
            out.writeLong(state.nextOffset());
            out.writeLong(state.h());
            out.writeLong(state.pending());
            Wire.writeNullableBytes(state.pendingId(), out);
        }

        @Override
        protected LogState read(DataInputView in) throws IOException {
            int version = in.readByte();
            if (version != VERSION) {
                throw new IOException("a log's state of version " + version + " cannot be read");
            }
            return new LogState(
                    Wire.readText(in),
                    Wire.readText(in),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    Wire.readNullableBytes(in));
        }

        @Override
        public TypeSerializerSnapshot<LogState> snapshotConfiguration() {
            return new Snapshot();
        }

        /** The serializer has no parameters. */
        public static final class Snapshot extends SimpleTypeSerializerSnapshot<LogState> {
            public Snapshot() {
                super(Serializer::new);
            }
        }
    }
}
