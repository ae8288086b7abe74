package dev.tidemark.kit;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** The way from one subtask to another: what is sent arrives as bytes, in order. */
final class HarnessChannel {
    private final TypeSerializer<Object> writer;
    private final TypeSerializer<Object> reader;
    private final DataOutputSerializer out = new DataOutputSerializer(256);
    private final Deque<byte[]> elements = new ArrayDeque<>();

    HarnessChannel(TypeSerializer<Object> serializer) {
        this.writer = serializer.duplicate();
        this.reader = serializer.duplicate();
    }

    boolean isEmpty() {
        return elements.isEmpty();
    }

    void send(Object element) {
        try {
            out.clear();
            writer.serialize(element, out);
            elements.add(out.getCopyOfBuffer());
        } catch (IOException failure) {
            throw new IllegalStateException("could not be serialized: " + element, failure);
        }
    }

    Object take() throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(elements.remove());
        Object element = reader.deserialize(in);
        if (in.available() > 0) {
            throw new IOException(in.available() + " bytes are left over behind " + element);
        }
        return element;
    }
}
