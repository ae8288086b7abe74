package dev.tidemark.publish.flink;

import dev.tidemark.publish.StagedPart;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes receipts on their way to the committer. Never part of state: there they are {@link Receipts}. */
public final class StagedPartSerializer extends WireSerializer<StagedPart> {
    private static final long serialVersionUID = 1L;

    public static final WireTypeInfo<StagedPart> TYPE = WireTypeInfo.of(StagedPart.class, new StagedPartSerializer());

    @Override
    protected void write(StagedPart part, DataOutputView out) throws IOException {
        byte[] receipt = Receipts.toBytes(part);
        Wire.writeUnsigned(receipt.length, out);
        out.write(receipt);
    }

    @Override
    protected StagedPart read(DataInputView in) throws IOException {
        return Receipts.fromBytes(Wire.readBytes(in).array());
    }

    @Override
    public TypeSerializerSnapshot<StagedPart> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<StagedPart> {
        public Snapshot() {
            super(1, StagedPartSerializer::new);
        }
    }
}
