package dev.tidemark.source.flink;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** The form of a {@link FileEnumeratorState} in checkpoints and savepoints. */
final class FileEnumeratorStateSerializer implements SimpleVersionedSerializer<FileEnumeratorState> {
    static final FileEnumeratorStateSerializer INSTANCE = new FileEnumeratorStateSerializer();
    private static final int VERSION = 1;
    private static final String WHAT = "list of logs";

    private FileEnumeratorStateSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(FileEnumeratorState state) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        out.writeByte(VERSION);
        out.writeInt(state.handedOut().size());
        for (String log : state.handedOut()) {
            out.writeUTF(log);
        }
        out.writeInt(state.waiting().size());
        for (LogSplit split : state.waiting()) {
            LogSplitSerializer.write(split, out);
        }
        return out.getCopyOfBuffer();
    }

    @Override
    public FileEnumeratorState deserialize(int version, byte[] serialized) throws IOException {
        DataInputDeserializer in = LogSplitSerializer.begin(WHAT, VERSION, version, serialized);
        List<String> handedOut = new ArrayList<>();
        for (int rest = in.readInt(); rest > 0; rest--) {
            handedOut.add(in.readUTF());
        }
        List<LogSplit> waiting = new ArrayList<>();
        for (int rest = in.readInt(); rest > 0; rest--) {
            waiting.add(LogSplitSerializer.read(in));
        }
        LogSplitSerializer.end(WHAT, in);
        return new FileEnumeratorState(handedOut, waiting);
    }
}
