package dev.tidemark.source.flink;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** The form of a {@link HistoryFilesState}. A batch job takes no checkpoints; a streaming one would. */
final class HistoryFilesStateSerializer implements SimpleVersionedSerializer<HistoryFilesState> {
    static final HistoryFilesStateSerializer INSTANCE = new HistoryFilesStateSerializer();
    private static final int VERSION = 1;
    private static final String WHAT = "list of files";

    private HistoryFilesStateSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(HistoryFilesState state) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        out.writeByte(VERSION);
        out.writeInt(state.waiting().size());
        for (HistoryFile file : state.waiting()) {
            HistoryFileSerializer.write(file, out);
        }
        return out.getCopyOfBuffer();
    }

    @Override
    public HistoryFilesState deserialize(int version, byte[] serialized) throws IOException {
        DataInputDeserializer in = LogSplitSerializer.begin(WHAT, VERSION, version, serialized);
        List<HistoryFile> waiting = new ArrayList<>();
        for (int rest = in.readInt(); rest > 0; rest--) {
            waiting.add(HistoryFileSerializer.read(in));
        }
        LogSplitSerializer.end(WHAT, in);
        return new HistoryFilesState(waiting);
    }
}
