package dev.tidemark.generate;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One file for the arrivals of each day (in UTC), in a folder: the names are the dates, so that they sort as the records
 * arrived. A file is renamed into place when it is complete, so that a job may watch the folder meanwhile.
 */
public final class DayFiles implements RecordSink {
    private static final Pattern NAME = Pattern.compile("\\d{4}-\\d{2}-\\d{2}\\.(avro|jsonl)(\\.tmp)?");
    private static final long DAY = 86_400_000_000L;

    private final Path folder;
    private final Form form;
    private long endOfDay = Long.MIN_VALUE;
    private long files;
    private long bytes;
    private @Nullable Open open;

    /** A file that is being written. */
    public interface Appender extends Closeable {
        void append(byte[] record) throws IOException;
    }

    /** The form of the files. */
    public interface Form {
        /** How the names end, for instance {@code .jsonl}. */
        String ending();

        /** A new file; its name gives it an identity that does not depend on the machine. */
        Appender create(Path file, String name) throws IOException;
    }

    private record Open(Appender appender, Path temporary, Path place) {}

    public DayFiles(Path folder, Form form) {
        this.folder = folder;
        this.form = form;
    }

    /** Whether a file bears the name of one that was written here, complete or not. */
    public static boolean isOne(Path file) {
        return NAME.matcher(String.valueOf(file.getFileName())).matches();
    }

    public Path folder() {
        return folder;
    }

    /** How many files are in place. */
    public long files() {
        return files;
    }

    /** How large they are together. */
    public long bytes() {
        return bytes;
    }

    @Override
    public void accept(long key, long arrivedAt, byte[] record) throws IOException {
        Open current = open;
        if (current == null || arrivedAt >= endOfDay) {
            current = next(arrivedAt);
        }
        current.appender().append(record);
    }

    private Open next(long arrivedAt) throws IOException {
        complete();
        LocalDate date =
                LocalDate.ofInstant(Instant.ofEpochSecond(Math.floorDiv(arrivedAt, 1_000_000L)), ZoneOffset.UTC);
        Files.createDirectories(folder);
        Path place = folder.resolve(date + form.ending());
        Path temporary = folder.resolve(date + form.ending() + ".tmp");
        Open next = new Open(form.create(temporary, date.toString()), temporary, place);
        endOfDay = Math.multiplyExact(date.plusDays(1).toEpochDay(), DAY);
        open = next;
        return next;
    }

    private void complete() throws IOException {
        Open current = open;
        if (current != null) {
            open = null;
            current.appender().close();
            bytes += Files.size(current.temporary());
            files++;
            Files.move(current.temporary(), current.place(), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    @Override
    public void close() throws IOException {
        complete();
    }
}
