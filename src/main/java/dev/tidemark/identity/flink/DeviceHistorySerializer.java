package dev.tidemark.identity.flink;

import dev.tidemark.identity.DeviceHistory;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes what is known of a device. Part of state. */
public final class DeviceHistorySerializer extends WireSerializer<DeviceHistory> {
    private static final long serialVersionUID = 1L;

    @Override
    protected void write(DeviceHistory history, DataOutputView out) throws IOException {
        history.writeTo(out);
    }

    @Override
    protected DeviceHistory read(DataInputView in) throws IOException {
        return DeviceHistory.readFrom(in);
    }

    @Override
    public TypeSerializerSnapshot<DeviceHistory> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<DeviceHistory> {
        public Snapshot() {
            super(1, DeviceHistorySerializer::new);
        }
    }
}
