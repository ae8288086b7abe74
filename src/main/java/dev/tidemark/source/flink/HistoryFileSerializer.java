package dev.tidemark.source.flink;

import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/** Carries a {@link HistoryFile} to its reader. */
final class HistoryFileSerializer implements SimpleVersionedSerializer<HistoryFile> {
    static final HistoryFileSerializer INSTANCE = new HistoryFileSerializer();
    private static final int VERSION = 1;

    private HistoryFileSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(HistoryFile file) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(128);
        out.writeByte(VERSION);
        write(file, out);
        return out.getCopyOfBuffer();
    }

    @Override
    public HistoryFile deserialize(int version, byte[] serialized) throws IOException {
        DataInputDeserializer in = LogSplitSerializer.begin("file of a history", VERSION, version, serialized);
        HistoryFile file = read(in);
        LogSplitSerializer.end("file of a history", in);
        return file;
    }

    static void write(HistoryFile file, DataOutputView out) throws IOException {
        out.writeUTF(file.log());
        out.writeUTF(file.path());
        out.writeInt(file.number());
        out.writeLong(file.length());
    }

    static HistoryFile read(DataInputView in) throws IOException {
        return new HistoryFile(in.readUTF(), in.readUTF(), in.readInt(), in.readLong());
    }
}
