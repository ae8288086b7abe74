package dev.tidemark.cli;

import dev.tidemark.job.JobPlan;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** A source that is not there is found out before anything is created. A cluster may see other files than this process. */
final class SourceCheck {
    private SourceCheck() {}

    /** @param file the job file, which names the source */
    static void requireReadable(JobPlan.SourcePlan source, Path file) {
        if (source.kafka() != null) {
            return;
        }
        URI uri = URI.create(
                new org.apache.flink.core.fs.Path(source.path()).toUri().toString());
        boolean isLocal = uri.getScheme() == null || "file".equals(uri.getScheme());
        if (!isLocal || CommandLineInterface.isUnderFlinkClient()) {
            return;
        }
        Path path = Path.of(uri.getPath());
        if (!Files.exists(path)) {
            throw CommandException.failed(
                    "the source %s does not exist: correct source.files.path in %s, or create it", path, file);
        }
        if (!Files.isReadable(path)) {
            throw CommandException.failed("the source %s cannot be read: its rights forbid it", path);
        }
    }
}
