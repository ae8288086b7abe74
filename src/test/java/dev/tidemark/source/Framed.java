package dev.tidemark.source;

import dev.tidemark.change.RawRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads framings to their end. */
public final class Framed {
    /** Makes a framing at a place. */
    @FunctionalInterface
    public interface Opener {
        Framing open(long position, long ordinal) throws IOException;
    }

    private Framed() {}

    /** Each record as its text, or its damage in brackets with the number of bytes that it has. */
    public static List<String> all(Framing framing) throws IOException {
        List<String> records = new ArrayList<>();
        RawRecord record = new RawRecord();
        while (framing.next(record)) {
            records.add(text(record));
        }
        framing.close();
        return records;
    }

    /** Stops behind each record in turn, takes reading up again from there, and gives what each such reading yields. */
    public static List<List<String>> resumedEverywhere(Opener opener) throws IOException {
        List<List<String>> readings = new ArrayList<>();
        int count = all(opener.open(0, 0)).size();
        for (int stop = 0; stop <= count; stop++) {
            List<String> records = new ArrayList<>();
            RawRecord record = new RawRecord();
            Framing first = opener.open(0, 0);
            for (int i = 0; i < stop; i++) {
                first.next(record);
                records.add(text(record));
            }
            Framing second = opener.open(first.resumePosition(), first.resumeOrdinal());
            for (long i = first.resumeOrdinal(); i < stop; i++) {
                second.next(record);
            }
            records.addAll(all(second));
            first.close();
            readings.add(records);
        }
        return readings;
    }

    private static String text(RawRecord record) {
        if (record.damage != null) {
            return "[" + record.damage + "](" + record.length + " of " + record.wholeLength + ")";
        }
        return new String(record.bytes, record.start, record.length, java.nio.charset.StandardCharsets.ISO_8859_1);
    }
}
