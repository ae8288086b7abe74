package dev.tidemark.gate.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.gate.Frontier;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * How far one log has come, as it rests in a checkpoint: position, frontier, the pending wild mark, which partitions are
 * whole, and which were judged by a frontier that was reset.
 *
 * @param split with {@code nextOffset} the position of the next record
 * @param wholeFrom as {@link dev.tidemark.gate.Whole#own} says it
 * @param soundFrom the partition of the furthest frontier that was reset: changes to earlier ones may have been judged late
 *     by it; {@link #ALL}: none was
 */
public record LogState(
        String log,
        String split,
        long nextOffset,
        long h,
        long pending,
        @Nullable Bytes pendingId,
        long wholeFrom,
        long soundFrom) {
    /** No frontier was reset. */
    public static final long ALL = Long.MIN_VALUE;

    /** The log with its frontier set to {@code instant}, which lies before where it stands in {@code partition}. */
    LogState reset(long instant, long partition) {
        return new LogState(
                log, split, nextOffset, instant, Frontier.UNKNOWN, null, wholeFrom, Math.max(soundFrom, partition));
    }

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
            out.writeLong(state.soundFrom());
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
                    in.readLong(),
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
