package dev.tidemark.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.util.ExceptionUtils;
import org.jspecify.annotations.Nullable;

/** Where a job keeps its checkpoints, and what to say when they could not be kept there: Flink does not tell the cause. */
final class CheckpointStorage {
    private static final String GIVEN_UP = "Exceeded checkpoint tolerable failure threshold";
    private static final int PROBE_BYTES = 1 << 20;

    private final @Nullable Path folder;

    /** @param folder null: one that only the cluster knows */
    CheckpointStorage(@Nullable Path folder) {
        this.folder = folder;
    }

    /** The failure, or what people are to be told if it is that checkpoints failed. */
    Exception told(Exception failure) {
        if (ExceptionUtils.findThrowableWithMessage(failure, GIVEN_UP).isEmpty()) {
            return failure;
        }
        Path kept = folder;
        String cause = kept == null ? null : cause(kept);
        return CommandException.failed(
                "the job was given up because its checkpoints failed"
                        + (kept == null
                                ? "; the JobManager's log says why"
                                : cause == null
                                        ? "; they are kept in " + kept
                                        : ": " + kept + " cannot be written to (" + cause + ")")
                        + ". What is published stays; "
                        + (cause == null ? "mend that" : "make room there, or name another folder with TIDEMARK_LOCAL")
                        + " and run it again: it goes on from there",
                failure);
    }

    /** Why nothing can be written in a folder; null: something can. */
    private static @Nullable String cause(Path folder) {
        try {
            Files.createDirectories(folder);
            Path probe = Files.createTempFile(folder, "probe", ".tmp");
            try {
                Files.write(probe, new byte[PROBE_BYTES]);
            } finally {
                Files.delete(probe);
            }
            return null;
        } catch (IOException failed) {
            String message = failed.getMessage();
            return message == null ? failed.getClass().getSimpleName() : message;
        }
    }
}
