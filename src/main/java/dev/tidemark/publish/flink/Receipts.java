package dev.tidemark.publish.flink;

import dev.tidemark.lateness.LatenessEntry;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Reopening;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Tally;
import dev.tidemark.wire.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes the receipts of staged parts: committables, which live in checkpoints and savepoints. */
public final class Receipts {
    private static final int VERSION = 1;

    private Receipts() {}

    /** A receipt behind the version of its form. */
    public static byte[] toBytes(StagedPart part) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        out.writeByte(VERSION);
        Wire.writeText(part.submission(), out);
        out.writeLong(part.checkpoint());
        Wire.writeText(part.part(), out);
        out.writeLong(part.cells());
        out.writeLong(part.late());
        out.writeLong(part.rejected());
        Wire.writeUnsigned(part.tallies().size(), out);
        for (Tally tally : part.tallies()) {
            writeTally(tally, out);
        }
        Wire.writeUnsigned(part.cuts().size(), out);
        for (Cut cut : part.cuts()) {
            writeCut(cut, out);
        }
        Wire.writeUnsigned(part.reopenings().size(), out);
        for (Reopening reopening : part.reopenings()) {
            writeReopening(reopening, out);
        }
        return out.getCopyOfBuffer();
    }

    /**
     * The inverse of {@link #toBytes}.
     *
     * @throws IOException if the bytes are of another version, or more or less than one receipt
     */
    public static StagedPart fromBytes(byte[] serialized) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(serialized);
        int version = in.readByte();
        if (version != VERSION) {
            throw new IOException("a receipt of version " + version + " cannot be read; this program reads " + VERSION);
        }
        String submission = Wire.readText(in);
        long checkpoint = in.readLong();
        String part = Wire.readText(in);
        long cells = in.readLong();
        long late = in.readLong();
        long rejected = in.readLong();
        List<Tally> tallies = new ArrayList<>();
        for (int i = Wire.readUnsigned(in); i > 0; i--) {
            tallies.add(readTally(in));
        }
        List<Cut> cuts = new ArrayList<>();
        for (int i = Wire.readUnsigned(in); i > 0; i--) {
            cuts.add(readCut(in));
        }
        List<Reopening> reopenings = new ArrayList<>();
        for (int i = Wire.readUnsigned(in); i > 0; i--) {
            reopenings.add(readReopening(in));
        }
        if (in.available() > 0) {
            throw new IOException(in.available() + " bytes are left over behind a receipt");
        }
        return new StagedPart(submission, checkpoint, part, cells, late, rejected, tallies, cuts, reopenings);
    }

    static void writeTally(Tally tally, DataOutputView out) throws IOException {
        out.writeLong(tally.applied());
        out.writeLong(tally.superseded());
        out.writeLong(tally.late());
        out.writeLong(tally.split());
        out.writeLong(tally.maxLatenessMillis());
        out.writeLong(tally.halfWindowExceeded());
        Wire.writeUnsigned(tally.lateness().size(), out);
        for (LatenessEntry entry : tally.lateness()) {
            out.writeLong(entry.observedDay());
            out.writeBoolean(entry.correction());
            out.writeLong(entry.age());
            out.writeLong(entry.bucketMillis());
            out.writeLong(entry.changes());
            out.writeLong(entry.late());
            out.writeLong(entry.maxMillis());
        }
    }

    static Tally readTally(DataInputView in) throws IOException {
        long applied = in.readLong();
        long superseded = in.readLong();
        long late = in.readLong();
        long split = in.readLong();
        long maxLateness = in.readLong();
        long halfWindow = in.readLong();
        List<LatenessEntry> entries = new ArrayList<>();
        for (int i = Wire.readUnsigned(in); i > 0; i--) {
            entries.add(new LatenessEntry(
                    in.readLong(),
                    in.readBoolean(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong()));
        }
        return new Tally(applied, superseded, late, split, maxLateness, halfWindow, entries);
    }

    static void writeCut(Cut cut, DataOutputView out) throws IOException {
        Wire.writeUnsigned(cut.sender(), out);
        out.writeLong(cut.barrier());
        out.writeBoolean(cut.ready());
        out.writeLong(cut.read());
        out.writeLong(cut.rejected());
        writeLogs(cut.logs(), out);
    }

    static void writeReopening(Reopening reopening, DataOutputView out) throws IOException {
        out.writeLong(reopening.from());
        writeLogs(reopening.stood(), out);
    }

    static Reopening readReopening(DataInputView in) throws IOException {
        return new Reopening(in.readLong(), readLogs(in));
    }

    private static void writeLogs(List<LogCut> logs, DataOutputView out) throws IOException {
        Wire.writeUnsigned(logs.size(), out);
        for (LogCut log : logs) {
            Wire.writeText(log.log(), out);
            Wire.writeText(log.split(), out);
            out.writeLong(log.nextOffset());
            Wire.writeText(log.countedSplit(), out);
            out.writeLong(log.countedOffset());
            out.writeLong(log.frontier());
            out.writeLong(log.wholeFrom());
            out.writeBoolean(log.begins());
            out.writeBoolean(log.idle());
        }
    }

    static Cut readCut(DataInputView in) throws IOException {
        int sender = Wire.readUnsigned(in);
        long barrier = in.readLong();
        boolean ready = in.readBoolean();
        long read = in.readLong();
        long rejected = in.readLong();
        return new Cut(sender, barrier, ready, read, rejected, readLogs(in));
    }

    private static List<LogCut> readLogs(DataInputView in) throws IOException {
        List<LogCut> logs = new ArrayList<>();
        for (int i = Wire.readUnsigned(in); i > 0; i--) {
            logs.add(new LogCut(
                    Wire.readText(in),
                    Wire.readText(in),
                    in.readLong(),
                    Wire.readText(in),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readBoolean(),
                    in.readBoolean()));
        }
        return logs;
    }
}
