package dev.tidemark.source.flink;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.source.NameOrder;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.jspecify.annotations.Nullable;

/** The folder (or single file) of a source, by way of Flink's file systems. */
final class SourceFolder {
    private static final int EDGE_BYTES = 4 << 10;
    private static final int NAME_LIMIT = 2000;

    private final Path root;
    private final Logs logs;
    private final String key;
    private final FileSystem fileSystem;
    private final boolean single;

    SourceFolder(String path, Logs logs) throws IOException {
        this(path, logs, "source.files.path");
    }

    /** @param key of the path in the job file */
    SourceFolder(String path, Logs logs, String key) throws IOException {
        this.root = new Path(path);
        this.logs = logs;
        this.key = key;
        this.fileSystem = root.getFileSystem();
        this.single = !rootStatus().isDir();
    }

    /** The names of the logs, in name order. */
    List<String> logs() throws IOException {
        if (logs == Logs.SOURCE) {
            return List.of("");
        }
        if (single) {
            throw new IOException(
                    "The source " + root
                            + " is a file, but with `logs: folder` its first-level folders are the logs. Name the folder above it.");
        }
        List<String> names = new ArrayList<>();
        for (FileStatus entry : entries(root)) {
            String name = entry.getPath().getName();
            if (!entry.isDir()) {
                throw new IOException("The file " + name + " lies in " + root
                        + " itself, but with `logs: folder` the first-level folders are the logs. Move it into one.");
            }
            names.add(name);
        }
        names.sort(NameOrder.INSTANCE);
        return names;
    }

    /** Whether the source is a single file. */
    boolean isFile() {
        return single;
    }

    /** The files of a log, in name order. */
    List<FoundFile> list(String log) throws IOException {
        FileStatus status = rootStatus();
        List<FoundFile> found = new ArrayList<>();
        if (single) {
            found.add(found(root.getName(), status));
        } else if (logs == Logs.SOURCE) {
            collect(root, "", found);
        } else {
            collect(path(log), log + "/", found);
        }
        found.sort(Comparator.comparing(FoundFile::name, NameOrder.INSTANCE));
        return found;
    }

    /** A file as it is now; null if it is not there. */
    @Nullable
    FoundFile look(String name) throws IOException {
        try {
            return found(name, fileSystem.getFileStatus(path(name)));
        } catch (FileNotFoundException e) {
            return null;
        }
    }

    /** A file that has been begun, as it is now. */
    FoundFile lookAgain(String name) throws IOException {
        FoundFile file = look(name);
        if (file == null) {
            throw new FileNotFoundException(
                    "The file " + path(name) + ", of which the job has read a part, is gone. Put it back as it was.");
        }
        return file;
    }

    FSDataInputStream open(String name) throws IOException {
        return fileSystem.open(path(name));
    }

    /** What to remember of a file that is begun. */
    FileMark mark(FoundFile file) throws IOException {
        int edge = (int) Math.min(EDGE_BYTES, file.length());
        byte[] edges = new byte[2 * edge];
        try (FSDataInputStream in = open(file.name())) {
            int count = in.readNBytes(edges, 0, edge);
            in.seek(file.length() - edge);
            in.readNBytes(edges, count, edge);
        }
        return new FileMark(
                file.length(), file.modifiedMillis(), Hashing.xxh3_64().hashBytesToLong(edges));
    }

    /** Compares a file with what was remembered of it, and gives what to remember from now on. */
    FileMark unchanged(FoundFile now, FileMark before) throws IOException {
        if (now.length() == before.length()) {
            if (now.modifiedMillis() == before.modifiedMillis()) {
                return before;
            }
            FileMark mark = mark(now);
            if (mark.fingerprint() == before.fingerprint()) {
                return mark;
            }
        }
        throw new IOException(
                "The file " + path(now.name()) + " has changed since the job began to read it (" + before.length()
                        + " bytes then, " + now.length()
                        + " now). What it said is already counted. Put it back as it was, and deliver what is new as a file whose"
                        + " name sorts behind it; write files under a name that ends in .tmp and rename them when they are complete.");
    }

    private Path path(String name) {
        if (single) {
            return root;
        }
        return new Path(
                root.toUri().getScheme(),
                root.toUri().getAuthority(),
                root.toUri().getPath() + Path.SEPARATOR + name);
    }

    private void collect(Path folder, String prefix, List<FoundFile> into) throws IOException {
        for (FileStatus entry : entries(folder)) {
            String name = prefix + entry.getPath().getName();
            if (entry.isDir()) {
                collect(entry.getPath(), name + "/", into);
            } else {
                into.add(found(shortEnough(name), entry));
            }
        }
    }

    /** A path is part of the key of ledger rows and rejected changes: one that no index can hold is refused beforehand. */
    private static String shortEnough(String name) throws IOException {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > NAME_LIMIT) {
            throw new IOException("The path of a file under the source folder has " + bytes + " bytes, and at most "
                    + NAME_LIMIT + " can be kept with a record: " + name.substring(0, 80)
                    + "... Shorten it, or let its name begin with . or _ so that it is skipped.");
        }
        return name;
    }

    /** What lies in a folder and is the source's; nothing if the folder has vanished. */
    private List<FileStatus> entries(Path folder) throws IOException {
        List<FileStatus> entries = new ArrayList<>();
        if (!fileSystem.isDistributedFS()) {
            for (String name : localNames(folder)) {
                FileStatus entry = NameOrder.isSkipped(name) ? null : localEntry(folder, name);
                if (entry != null) {
                    entries.add(entry);
                }
            }
            return entries;
        }
        try {
            FileStatus[] found = fileSystem.listStatus(folder);
            for (FileStatus entry : found == null ? new FileStatus[0] : found) {
                if (!NameOrder.isSkipped(entry.getPath().getName())) {
                    entries.add(entry);
                }
            }
        } catch (FileNotFoundException vanished) {
            return List.of();
        }
        return entries;
    }

    /**
     * The names in a local folder. Flink's own listing takes a folder that it may not read for an empty one, and gives up all
     * of a folder for one entry that it cannot look at: what it holds would be left out without a word.
     */
    private static List<String> localNames(Path folder) throws IOException {
        File local = new File(folder.getPath());
        String[] names = local.list();
        if (names != null) {
            return List.of(names);
        }
        if (local.exists()) {
            throw new AccessDeniedException(
                    "The folder " + folder + " cannot be read. Give the user who runs the job the right to read it.");
        }
        return List.of();
    }

    /** An entry of a local folder; null if it has vanished since its name was read. */
    private @Nullable FileStatus localEntry(Path folder, String name) throws IOException {
        Path path = new Path(folder, name);
        try {
            return fileSystem.getFileStatus(path);
        } catch (FileNotFoundException e) {
            if (!localNames(folder).contains(name)) {
                return null;
            }
        }
        throw new IOException("The file " + path
                + " is listed but cannot be reached. If it is a link to nothing, mend or remove it; if its"
                + " folder may not be entered, give the right to; if its name has characters that the locale lacks,"
                + " rename it or set LC_ALL=C.UTF-8.");
    }

    private FileStatus rootStatus() throws IOException {
        try {
            return fileSystem.getFileStatus(root);
        } catch (FileNotFoundException e) {
            throw new FileNotFoundException("The source path " + root + " does not exist. Correct `" + key
                    + "` in the job file, or create it.");
        }
    }

    private static FoundFile found(String name, FileStatus status) {
        return new FoundFile(name, status.getLen(), status.getModificationTime());
    }
}
