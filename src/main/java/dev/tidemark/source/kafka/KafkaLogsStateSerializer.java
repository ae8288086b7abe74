package dev.tidemark.source.kafka;

import dev.tidemark.wire.Wire;
import java.io.IOException;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumStateSerializer;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Version 1: the topic's id, then the connector's state with its own version. */
final class KafkaLogsStateSerializer implements SimpleVersionedSerializer<KafkaLogsState> {
    static final KafkaLogsStateSerializer INSTANCE = new KafkaLogsStateSerializer();

    private static final int VERSION = 1;

    private final KafkaSourceEnumStateSerializer partitions = new KafkaSourceEnumStateSerializer();

    private KafkaLogsStateSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(KafkaLogsState state) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        Wire.writeText(state.topicId(), out);
        Wire.writeUnsigned(partitions.getVersion(), out);
        byte[] inner = partitions.serialize(state.partitions());
        Wire.writeUnsigned(inner.length, out);
        out.write(inner);
        return out.getCopyOfBuffer();
    }

    @Override
    public KafkaLogsState deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw new IOException("The state of the topic has version " + version + "; this program reads " + VERSION
                    + ". Restore it with the program that wrote it.");
        }
        DataInputDeserializer in = new DataInputDeserializer(serialized);
        String topicId = Wire.readText(in);
        int innerVersion = Wire.readUnsigned(in);
        byte[] inner = new byte[Wire.readUnsigned(in)];
        in.readFully(inner);
        if (in.available() > 0) {
            throw new IOException("The state of the topic is followed by " + in.available() + " bytes too many.");
        }
        return new KafkaLogsState(topicId, partitions.deserialize(innerVersion, inner));
    }
}
