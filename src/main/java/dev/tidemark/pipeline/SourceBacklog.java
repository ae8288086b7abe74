package dev.tidemark.pipeline;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.KafkaPlan;
import dev.tidemark.publish.LogCut;
import dev.tidemark.source.Backlog;
import dev.tidemark.source.flink.FilesBacklog;
import dev.tidemark.source.kafka.TopicBacklog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a job has still to read. */
public final class SourceBacklog {
    private SourceBacklog() {}

    /** Asks the source what it has behind where the logs stand. */
    public static Backlog behind(List<LogCut> logs, JobPlan plan) {
        KafkaPlan kafka = plan.source().kafka();
        if (kafka == null) {
            Map<String, String> files = new HashMap<>();
            logs.forEach(log -> files.put(log.log(), log.split()));
            return FilesBacklog.read(plan.source(), files);
        }
        Map<String, Long> offsets = new HashMap<>();
        logs.forEach(log -> offsets.put(log.split(), log.nextOffset()));
        return TopicBacklog.read(kafka, offsets);
    }
}
