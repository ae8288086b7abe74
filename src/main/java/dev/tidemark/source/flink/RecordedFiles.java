package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.SourcePlan;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.flink.util.clock.SystemClock;

/** Reads what lies in the files of a source now, one log after the other, without Flink's runtime around it. */
public final class RecordedFiles {
    private RecordedFiles() {}

    /** Hands each record to the action, which must not keep it. */
    public static void forEach(SourcePlan plan, Consumer<RawRecord> action) throws IOException {
        RawRecord record = new RawRecord();
        SourceFolder folder = new SourceFolder(plan.path(), plan.logs());
        for (String log : folder.logs()) {
            try (LogReader reader =
                    new LogReader(LogSplit.unread(log), plan, folder, (name, path) -> {}, SystemClock.getInstance())) {
                while (reader.next(record)) {
                    action.accept(record);
                }
            }
        }
    }
}
