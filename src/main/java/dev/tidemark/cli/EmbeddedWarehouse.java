package dev.tidemark.cli;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The PostgreSQL that a direct start brings along when no warehouse is named. Its data stays in a folder from command to
 * command; the server runs while a command does. A second command joins the server of the first.
 */
final class EmbeddedWarehouse implements AutoCloseable {
    private static final String PID_FILE = "postmaster.pid";
    private static final int PORT_LINE = 3;
    private static final Duration LONGEST_END = Duration.ofSeconds(15);

    private final @Nullable EmbeddedPostgres server;
    private final String address;

    private EmbeddedWarehouse(@Nullable EmbeddedPostgres server, int port) {
        this.server = server;
        this.address = "postgresql://postgres@localhost:" + port + "/postgres";
    }

    /** Starts the server on the data in a folder, or joins one that runs there. */
    static EmbeddedWarehouse open(Path folder) {
        Integer running = runningPort(folder);
        if (running != null) {
            return new EmbeddedWarehouse(null, running);
        }
        try {
            Files.createDirectories(folder.toAbsolutePath().resolveSibling("."));
            EmbeddedPostgres server = EmbeddedPostgres.builder()
                    .setDataDirectory(folder.toAbsolutePath())
                    .setCleanDataDirectory(false)
                    .setLocaleConfig("locale", "C")
                    .setServerConfig("fsync", "on")
                    .setServerConfig("full_page_writes", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("shared_buffers", "256MB")
                    .setServerConfig("max_wal_size", "4GB")
                    .start();
            awaitEndWithProcess(folder);
            return new EmbeddedWarehouse(server, server.getPort());
        } catch (IOException | IllegalStateException failure) {
            throw CommandException.failed(
                    "the embedded PostgreSQL did not start on the data in " + folder + ": " + failure.getMessage()
                            + "; name a warehouse of your own with --warehouse, or remove the folder to begin anew",
                    failure);
        }
    }

    /** The address, with the user. */
    String address() {
        return address;
    }

    @Override
    public void close() {
        if (server == null) {
            return;
        }
        try {
            server.close();
        } catch (IOException failure) {
            throw CommandException.failed("the embedded PostgreSQL did not stop: " + failure.getMessage(), failure);
        }
    }

    /**
     * The server's library stops it when the process ends, by a child process; a second Ctrl-C ends that child, but not the
     * server's own orderly end, which is waited for here: nothing must be left running.
     */
    private static void awaitEndWithProcess(Path folder) {
        Long postmaster = postmaster(folder);
        if (postmaster == null) {
            return;
        }
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> ProcessHandle.of(postmaster)
                                .ifPresent(server -> server.onExit()
                                        .completeOnTimeout(server, LONGEST_END.toMillis(), TimeUnit.MILLISECONDS)
                                        .join()),
                        "tidemark postgres end"));
    }

    private static @Nullable Long postmaster(Path folder) {
        try {
            return Long.valueOf(
                    Files.readAllLines(folder.resolve(PID_FILE)).get(0).strip());
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException none) {
            return null;
        }
    }

    /** The port in {@code postmaster.pid} (its fourth line), if the process of its first line is alive. */
    private static @Nullable Integer runningPort(Path folder) {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(PID_FILE));
            boolean alive = ProcessHandle.of(Long.parseLong(lines.get(0).strip()))
                    .filter(ProcessHandle::isAlive)
                    .isPresent();
            return alive ? Integer.valueOf(lines.get(PORT_LINE).strip()) : null;
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException none) {
            return null;
        }
    }
}
