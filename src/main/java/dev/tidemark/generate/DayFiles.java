package dev.tidemark.generate;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One file for the arrivals of each day (in UTC), in a folder: the names are the dates, so that they sort as the records
 * arrived. A file is renamed into place when it is complete, so that a job may watch the folder meanwhile.
 */
public final class DayFiles implements RecordSink {
    /** Lists what was written here, a name a line; the underscore keeps it out of sources. */
    private static final String LIST = "_generated";

    private static final String INCOMPLETE = ".tmp";
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

    /** The names of the files in a folder that were written here, complete or not, and of the list of them. */
    public static Set<String> written(Path folder) throws IOException {
        Path list = folder.resolve(LIST);
        if (!Files.exists(list)) {
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        names.add(LIST);
        for (String name : Files.readAllLines(list)) {
            names.add(name);
            names.add(name + INCOMPLETE);
        }
        return names;
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
        try {
            current.appender().append(record);
        } catch (IOException e) {
            throw abandoned(current, e);
        }
    }

    /** What could not be written to its end is not left behind under a name that looks complete. */
    private IOException abandoned(Open file, IOException cause) {
        open = null;
        try {
            file.appender().close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        try {
            Files.deleteIfExists(file.temporary());
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        return new IOException(file.place() + " cannot be written: " + cause.getMessage(), cause);
    }

    private Open next(long arrivedAt) throws IOException {
        complete();
        LocalDate date =
                LocalDate.ofInstant(Instant.ofEpochSecond(Math.floorDiv(arrivedAt, 1_000_000L)), ZoneOffset.UTC);
        Files.createDirectories(folder);
        Path place = folder.resolve(date + form.ending());
        Path temporary = folder.resolve(date + form.ending() + INCOMPLETE);
        Files.writeString(
                folder.resolve(LIST), place.getFileName() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        Open next = new Open(form.create(temporary, date.toString()), temporary, place);
        endOfDay = Math.multiplyExact(date.plusDays(1).toEpochDay(), DAY);
        open = next;
        return next;
    }

    private void complete() throws IOException {
        Open current = open;
        if (current != null) {
            open = null;
            try {
                current.appender().close();
            } catch (IOException e) {
                throw abandoned(current, e);
            }
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
