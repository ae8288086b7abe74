package dev.tidemark.source.flink;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/** The form of a {@link LogSplit} in checkpoints and savepoints. */
final class LogSplitSerializer implements SimpleVersionedSerializer<LogSplit> {
    static final LogSplitSerializer INSTANCE = new LogSplitSerializer();
    private static final int VERSION = 1;

    private LogSplitSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(LogSplit split) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        out.writeByte(VERSION);
        write(split, out);
        return out.getCopyOfBuffer();
    }

    @Override
    public LogSplit deserialize(int version, byte[] serialized) throws IOException {
        DataInputDeserializer in = begin("log split", VERSION, version, serialized);
        LogSplit split = read(in);
        end("log split", in);
        return split;
    }

    static DataInputDeserializer begin(String what, int known, int version, byte[] serialized) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(serialized);
        int written = in.readUnsignedByte();
        if (version != known || written != known) {
            throw new IOException("The state has a " + what + " of version " + version + "/" + written
                    + "; this program reads version " + known
                    + ". Restore it with the program that wrote it or a later one.");
        }
        return in;
    }

    static void end(String what, DataInputDeserializer in) throws IOException {
        if (in.available() > 0) {
            throw new IOException("The state has " + in.available() + " bytes behind a " + what
                    + ". Restore it with the program that wrote it or a later one.");
        }
    }

    static void write(LogSplit split, DataOutputView out) throws IOException {
        out.writeUTF(split.log());
        out.writeUTF(split.path());
        out.writeBoolean(split.reading());
        out.writeLong(split.ordinal());
        out.writeLong(split.resumePosition());
        out.writeLong(split.resumeOrdinal());
        out.writeLong(split.sequence());
        out.writeBoolean(split.finished());
        out.writeInt(split.begun().size());
        for (Map.Entry<String, FileMark> entry : split.begun().entrySet()) {
            out.writeUTF(entry.getKey());
            out.writeLong(entry.getValue().length());
            out.writeLong(entry.getValue().modifiedMillis());
            out.writeLong(entry.getValue().fingerprint());
        }
        out.writeInt(split.skipped().size());
        for (String name : split.skipped()) {
            out.writeUTF(name);
        }
    }

    static LogSplit read(DataInputView in) throws IOException {
        String log = in.readUTF();
        String path = in.readUTF();
        boolean reading = in.readBoolean();
        long ordinal = in.readLong();
        long resumePosition = in.readLong();
        long resumeOrdinal = in.readLong();
        long sequence = in.readLong();
        boolean finished = in.readBoolean();
        Map<String, FileMark> begun = new LinkedHashMap<>();
        for (int rest = in.readInt(); rest > 0; rest--) {
            begun.put(in.readUTF(), new FileMark(in.readLong(), in.readLong(), in.readLong()));
        }
        List<String> skipped = new ArrayList<>();
        for (int rest = in.readInt(); rest > 0; rest--) {
            skipped.add(in.readUTF());
        }
        return new LogSplit(
                log, path, reading, ordinal, resumePosition, resumeOrdinal, sequence, finished, begun, skipped);
    }
}
