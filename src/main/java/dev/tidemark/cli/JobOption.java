package dev.tidemark.cli;

import dev.tidemark.job.JobFile;
import dev.tidemark.job.ResolvedJob;
import dev.tidemark.job.yaml.JobFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
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
        return read(console, UnaryOperator.identity());
    }

    /**
     * Reads the job with something changed before it is resolved.
     *
     * @throws dev.tidemark.job.JobFileException with all problems of the file as it was changed
     */
    ResolvedJob read(Console console, UnaryOperator<JobFile> change) {
        if (!Files.isRegularFile(file)) {
            throw CommandException.wrongUse("there is no job file %s", file);
        }
        return JobFiles.resolve(file, console.environment(), change);
    }

    Path file() {
        return file;
    }
}
