package dev.tidemark.source.flink;

import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.Backlog;
import dev.tidemark.source.NameOrder;
import java.io.IOException;
import java.util.Map;

/** The files that a job has not begun yet. */
public final class FilesBacklog {
    private FilesBacklog() {}

    /**
     * Lists them.
     *
     * @param positions log to the file in which it stands; what is left of that file is not counted
     */
    public static Backlog read(SourcePlan source, Map<String, String> positions) {
        long files = 0;
        long bytes = 0;
        try {
            SourceFolder folder = new SourceFolder(source.path(), source.logs());
            for (String log : folder.logs()) {
                String begun = positions.get(log);
                for (FoundFile file : folder.list(log)) {
                    if (begun == null || NameOrder.INSTANCE.compare(file.name(), begun) > 0) {
                        files++;
                        bytes += file.length();
                    }
                }
            }
        } catch (IOException failure) {
            return new Backlog.Unknown(String.valueOf(failure.getMessage()));
        }
        return new Backlog.Files(files, bytes);
    }
}
