package dev.tidemark.cli;

import dev.tidemark.job.ResolvedJob;
import dev.tidemark.job.yaml.JobFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** {@code --job F}. */
final class JobOption {
    @Option(names = "--job", required = true, paramLabel = "FILE", description = "The job file.")
    @SuppressWarnings("NullAway.Init")
    private Path file;

    /**
     * Reads the job.
     *
     * @throws dev.tidemark.job.JobFileException with all problems of the file
     */
    ResolvedJob read(Console console) {
        if (!Files.isRegularFile(file)) {
            throw CommandException.wrongUse("there is no job file %s", file);
        }
        return JobFiles.resolve(file, console.environment());
    }

    Path file() {
        return file;
    }
}
