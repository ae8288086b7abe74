package dev.tidemark.gate.flink;

import dev.tidemark.change.Change;
import dev.tidemark.gate.JobBound;
import dev.tidemark.wire.RepeatedText;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes {@link Change} between stamping and membership. Never part of state. */
public final class ChangeSerializer extends WireSerializer<Change> {
    private static final long serialVersionUID = 1L;

    public static final WireTypeInfo<Change> TYPE = WireTypeInfo.of(Change.class, new ChangeSerializer());

    private static final int DELETE = 1;
    private static final int REPLAYED = 2;
    private static final int BOUNDED = 4;

    private final RepeatedText log = new RepeatedText();
    private final RepeatedText split = new RepeatedText();

    @Override
    public TypeSerializer<Change> duplicate() {
        return new ChangeSerializer();
    }

    @Override
    protected void write(Change change, DataOutputView out) throws IOException {
        boolean bounded = change.closedBefore() != JobBound.UNKNOWN;
        out.writeByte((change.delete() ? DELETE : 0) | (change.replayed() ? REPLAYED : 0) | (bounded ? BOUNDED : 0));
        log.write(change.log(), out);
        Wire.writeSigned(change.sequence(), out);
        split.write(change.split(), out);
        Wire.writeSigned(change.offset(), out);
        Wire.writeBytes(change.recordId(), out);
        Wire.writeBytes(change.version(), out);
        out.writeLong(change.eventTime());
        out.writeLong(change.observedAt());
        out.writeLong(change.frontier());
        out.writeLong(change.wholeFrom());
        if (bounded) {
            Wire.writeSigned(change.closedBefore(), out);
        }
        Wire.writeNullableBytes(change.key(), out);
        Wire.writeNullableBytes(change.row(), out);
    }

    @Override
    protected Change read(DataInputView in) throws IOException {
        int flags = in.readByte();
        return new Change(
                log.read(in),
                Wire.readSigned(in),
                split.read(in),
                Wire.readSigned(in),
                (flags & DELETE) != 0,
                Wire.readBytes(in),
                Wire.readBytes(in),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                (flags & BOUNDED) == 0 ? JobBound.UNKNOWN : Wire.readSigned(in),
                Wire.readNullableBytes(in),
                Wire.readNullableBytes(in),
                (flags & REPLAYED) != 0);
    }

    @Override
    public TypeSerializerSnapshot<Change> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<Change> {
        public Snapshot() {
            super(1, ChangeSerializer::new);
        }
    }
}
