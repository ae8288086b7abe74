package dev.tidemark.publish.flink;

import dev.tidemark.publish.Scan;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes what was read of a history on its way to the committer. Never part of state. */
public final class ScanSerializer extends WireSerializer<Scan> {
    private static final long serialVersionUID = 1L;

    public static final WireTypeInfo<Scan> TYPE = WireTypeInfo.of(Scan.class, new ScanSerializer());

    @Override
    protected void write(Scan scan, DataOutputView out) throws IOException {
        Receipts.writeCut(scan.cut(), out);
        out.writeLong(scan.bytes());
    }

    @Override
    protected Scan read(DataInputView in) throws IOException {
        return new Scan(Receipts.readCut(in), in.readLong());
    }

    @Override
    public TypeSerializerSnapshot<Scan> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<Scan> {
        public Snapshot() {
            super(1, ScanSerializer::new);
        }
    }
}
