package dev.tidemark.publish.flink;

import dev.tidemark.change.Rejection;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.RejectedChange;
import dev.tidemark.publish.Part;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes {@link Part} on its way to the stage. Never part of state. */
public final class PartSerializer extends WireSerializer<Part> {
    private static final long serialVersionUID = 1L;

    public static final WireTypeInfo<Part> TYPE = WireTypeInfo.of(Part.class, new PartSerializer());

    private static final int CELL = 1;
    private static final int LATE = 2;
    private static final int REJECTED = 3;
    private static final int JUDGED = 4;
    private static final int READ = 5;
    private static final int REOPENED = 6;

    @Override
    protected void write(Part part, DataOutputView out) throws IOException {
        if (part instanceof Part.Cell cell) {
            out.writeByte(CELL);
            CellTruthSerializer.INSTANCE.serialize(cell.truth(), out);
        } else if (part instanceof Part.Late late) {
            out.writeByte(LATE);
            late.change().writeTo(out);
        } else if (part instanceof Part.Rejected rejected) {
            out.writeByte(REJECTED);
            writeRejected(rejected.change(), out);
        } else if (part instanceof Part.Judged judged) {
            out.writeByte(JUDGED);
            Receipts.writeTally(judged.tally(), out);
        } else if (part instanceof Part.Read read) {
            out.writeByte(READ);
            Receipts.writeCut(read.cut(), out);
        } else if (part instanceof Part.Reopened reopened) {
            out.writeByte(REOPENED);
            Receipts.writeReopening(reopened.reopening(), out);
        }
    }

    @Override
    protected Part read(DataInputView in) throws IOException {
        int kind = in.readByte();
        return switch (kind) {
            case CELL -> new Part.Cell(CellTruthSerializer.INSTANCE.deserialize(in));
            case LATE -> new Part.Late(LateChange.readFrom(in));
            case REJECTED -> new Part.Rejected(readRejected(in));
            case JUDGED -> new Part.Judged(Receipts.readTally(in));
            case READ -> new Part.Read(Receipts.readCut(in));
            case REOPENED -> new Part.Reopened(Receipts.readReopening(in));
            default -> throw new IOException("no part has the kind " + kind);
        };
    }

    private static void writeRejected(RejectedChange change, DataOutputView out) throws IOException {
        Wire.writeText(change.split(), out);
        out.writeLong(change.offset());
        Wire.writeText(change.reason().name(), out);
        Wire.writeText(change.error(), out);
        Wire.writeBytes(change.payload(), out);
        out.writeLong(change.payloadLength());
    }

    private static RejectedChange readRejected(DataInputView in) throws IOException {
        return new RejectedChange(
                Wire.readText(in),
                in.readLong(),
                Rejection.valueOf(Wire.readText(in)),
                Wire.readText(in),
                Wire.readBytes(in),
                in.readLong());
    }

    @Override
    public TypeSerializerSnapshot<Part> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<Part> {
        public Snapshot() {
            super(1, PartSerializer::new);
        }
    }
}
