package dev.tidemark.identity.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.identity.DeviceChange;
import dev.tidemark.identity.Sighting;
import dev.tidemark.ledger.LateChange;
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
import org.jspecify.annotations.Nullable;

/** Serializes {@link DeviceChange}. In state only between two barriers, so that no checkpoint holds one. */
public final class DeviceChangeSerializer extends WireSerializer<DeviceChange> {
    private static final long serialVersionUID = 1L;

    public static final WireTypeInfo<DeviceChange> TYPE =
            WireTypeInfo.of(DeviceChange.class, new DeviceChangeSerializer());

    private static final int MINUS = 1;
    private static final int PLUS = 2;
    private static final int REACHES_BACK = 4;
    private static final int NEIGHBOUR = 8;

    private final RepeatedText log = new RepeatedText();

    @Override
    public TypeSerializer<DeviceChange> duplicate() {
        return new DeviceChangeSerializer();
    }

    @Override
    protected void write(DeviceChange change, DataOutputView out) throws IOException {
        LateChange neighbour = change.neighbour();
        Wire.writeBytes(change.device(), out);
        Wire.writeSigned(change.day(), out);
        out.writeByte((change.minus() == null ? 0 : MINUS)
                | (change.plus() == null ? 0 : PLUS)
                | (change.reachesBack() ? REACHES_BACK : 0)
                | (neighbour == null ? 0 : NEIGHBOUR));
        writeSighting(change.minus(), out);
        writeSighting(change.plus(), out);
        log.write(change.log(), out);
        Wire.writeSigned(change.sequence(), out);
        if (neighbour != null) {
            neighbour.writeTo(out);
        }
    }

    @Override
    protected DeviceChange read(DataInputView in) throws IOException {
        Bytes device = Wire.readBytes(in);
        long day = Wire.readSigned(in);
        int flags = in.readByte();
        return new DeviceChange(
                device,
                day,
                (flags & MINUS) == 0 ? null : readSighting(in),
                (flags & PLUS) == 0 ? null : readSighting(in),
                (flags & REACHES_BACK) != 0,
                log.read(in),
                Wire.readSigned(in),
                (flags & NEIGHBOUR) == 0 ? null : LateChange.readFrom(in));
    }

    private static void writeSighting(@Nullable Sighting sighting, DataOutputView out) throws IOException {
        if (sighting != null) {
            out.writeLong(sighting.eventTime());
            Wire.writeBytes(sighting.platform(), out);
            Wire.writeBytes(sighting.user(), out);
        }
    }

    private static Sighting readSighting(DataInputView in) throws IOException {
        return new Sighting(in.readLong(), Wire.readBytes(in), Wire.readBytes(in));
    }

    @Override
    public TypeSerializerSnapshot<DeviceChange> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<DeviceChange> {
        public Snapshot() {
            super(1, DeviceChangeSerializer::new);
        }
    }
}
