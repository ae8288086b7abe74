package dev.tidemark.kit;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * The local disk by another scheme, {@code filling}: it is full as long as a file {@code full} lies in one of the folders above
 * what is written. So a full disk can be had without being root.
 */
public final class FillingDisk extends LocalFileSystem {
    private static final String SCHEME = "filling";

    /** A folder by this scheme. */
    public static String address(Path folder) {
        return SCHEME + "://" + folder.toAbsolutePath().toUri().getRawPath();
    }

    /** From now on nothing can be written in the folder. */
    public static void fill(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.createFile(folder.resolve("full"));
    }

    /** From now on it can again. */
    public static void empty(Path folder) throws IOException {
        Files.delete(folder.resolve("full"));
    }

    @Override
    public URI getUri() {
        return URI.create(SCHEME + ":///");
    }

    @Override
    public FSDataOutputStream create(org.apache.flink.core.fs.Path path, WriteMode overwrite) throws IOException {
        for (Path folder = Path.of(path.getPath()); folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve("full"))) {
                throw new IOException("No space left on device");
            }
        }
        return super.create(path, overwrite);
    }

    /** Found by Flink. */
    public static final class Factory implements FileSystemFactory {
        @Override
        public String getScheme() {
            return SCHEME;
        }

        @Override
        public FileSystem create(URI address) {
            return new FillingDisk();
        }
    }
}
