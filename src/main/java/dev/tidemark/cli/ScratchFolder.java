package dev.tidemark.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder for what a command cannot hold in memory. It goes when the command ends, also by a signal; what a process left that
 * was killed goes with the next command.
 */
final class ScratchFolder implements AutoCloseable {
    private static final String LOCK = "lock";
    /** More than making a folder can take. */
    private static final Duration MAKING = Duration.ofMinutes(1);

    private final Path path;
    private final FileChannel channel;
    private final Thread hook;

    private ScratchFolder(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
        this.hook = new Thread(this::remove, "tidemark scratch");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Makes one below the folder of the embedded parts. */
    static ScratchFolder create(Console console) {
        Path parent = WarehouseOption.local(console).toAbsolutePath().resolve("scratch");
        try {
            Files.createDirectories(parent);
            clearAbandoned(parent, console.clock().instant());
            Path path = Files.createTempDirectory(parent, "evidence-");
            FileChannel channel =
                    FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (channel.tryLock() == null) {
                throw new IOException("the lock of " + path + " is held by somebody else");
            }
            return new ScratchFolder(path, channel);
        } catch (IOException failure) {
            throw CommandException.failed(
                    "there is no room for what does not fit into memory: " + failure.getMessage()
                            + "; name a folder that can be written to with " + WarehouseOption.LOCAL,
                    failure);
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The process ends at this very moment; then the hook removes it too.
        }
        remove();
    }

    private void remove() {
        try (FileChannel held = channel) {
            delete(path);
        } catch (IOException left) {
            // The next command tries again.
        }
    }

    /** Those that nobody holds the lock of. One without lock is being made, unless it is old: then it was half removed. */
    private static void clearAbandoned(Path parent, Instant now) throws IOException {
        List<Path> folders;
        try (Stream<Path> found = Files.list(parent)) {
            folders = found.filter(Files::isDirectory).toList();
        }
        for (Path folder : folders) {
            Path lock = folder.resolve(LOCK);
            boolean isAbandoned = Files.exists(lock)
                    ? isFree(lock)
                    : Files.getLastModifiedTime(folder).toInstant().plus(MAKING).isBefore(now);
            if (isAbandoned) {
                delete(folder);
            }
        }
    }

    private static boolean isFree(Path lock) throws IOException {
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
                FileLock held = channel.tryLock()) {
            return held != null;
        } catch (OverlappingFileLockException ours) {
            return false;
        }
    }

    private static void delete(Path folder) throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(folder)) {
            all = found.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.deleteIfExists(each);
        }
    }
}
