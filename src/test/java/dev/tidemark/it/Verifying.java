package dev.tidemark.it;

import dev.tidemark.change.avro.Decoders;
import dev.tidemark.evidence.Completeness;
import dev.tidemark.evidence.Difference;
import dev.tidemark.evidence.PartitionCount;
import dev.tidemark.evidence.Publications;
import dev.tidemark.evidence.PublishedTarget;
import dev.tidemark.evidence.Standpoint;
import dev.tidemark.evidence.Unmatched;
import dev.tidemark.evidence.duckdb.Absences;
import dev.tidemark.evidence.duckdb.ChangeFiles;
import dev.tidemark.evidence.duckdb.Comparison;
import dev.tidemark.evidence.duckdb.GlobalComparison;
import dev.tidemark.evidence.duckdb.IdentityComparison;
import dev.tidemark.evidence.duckdb.Recomputation;
import dev.tidemark.evidence.duckdb.RunningComparison;
import dev.tidemark.evidence.duckdb.TargetFile;
import dev.tidemark.evidence.jdbc.JdbcCompleteness;
import dev.tidemark.evidence.jdbc.JdbcPublications;
import dev.tidemark.evidence.jdbc.JdbcPublishedTarget;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.pipeline.HistoryReading;
import dev.tidemark.pipeline.RecordingTopology;
import dev.tidemark.source.EventRange;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** A job's target held against its history, on real parts. */
final class Verifying {
    private final JobPlan plan;
    private final PostgresServer postgres;

    Verifying(JobPlan plan, PostgresServer postgres) {
        this.plan = plan;
        this.postgres = postgres;
    }

    /** What was found. */
    record Found(
            Standpoint standpoint,
            List<PartitionCount> counts,
            List<Difference> differences,
            List<Unmatched> unmatched,
            Apart apart) {
        PartitionCount sum() {
            return counts.stream().reduce(PartitionCount.NONE, PartitionCount::plus);
        }

        List<Difference> wrong() {
            return differences.stream()
                    .filter(difference -> difference.verdict() == Difference.Verdict.WRONG)
                    .toList();
        }
    }

    /** What was found of columns that depend on other partitions: rows that are equal, rows of unknown publications, and those that differ. */
    record Apart(long equal, long unknown, List<Difference> differences) {}

    /**
     * Verifies all partitions from one on.
     *
     * @param from as ISO text; null: all
     * @param folder in which folders of its own are made
     */
    Found run(@Nullable String from, int parallelism, Path folder) throws Exception {
        return run(from, parallelism, folder, () -> {});
    }

    /** What happens while somebody verifies. */
    interface Meanwhile {
        void run() throws Exception;
    }

    /** The same, with something that happens when the target has been read and the history has not. */
    Found run(@Nullable String from, int parallelism, Path folder, Meanwhile meanwhile) throws Exception {
        Path scratch = Files.createTempDirectory(folder, "verifying-");
        Standpoint standpoint;
        try (PublishedTarget target = new JdbcPublishedTarget(plan, postgres.connections());
                TargetFile file = TargetFile.open(plan, scratch, 100)) {
            standpoint = target.read(from, null, file);
            file.finish();
        }
        meanwhile.run();
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(parallelism);
        FlinkSettings.requireForRecording(environment);
        try (HistoryReading history = HistoryReading.begin(plan, standpoint.asOf(), EventRange.ALL)) {
            new RecordingTopology(
                            plan,
                            new Decoders(),
                            new ChangeFiles(plan, scratch.toString(), 100),
                            Map.of(),
                            standpoint.asOf(),
                            history)
                    .build(environment);
            WholeJob.end(environment.executeAsync("verify " + plan.job()));
        }
        try (Recomputation recomputation = Recomputation.open(plan, scratch, 200, 2)) {
            recomputation.findLive(from, null);
            List<Unmatched> unmatched = new ArrayList<>();
            try (Completeness.Store store = new JdbcCompleteness(plan, postgres.connections())) {
                Absences absences = new Absences(plan, recomputation, from, null);
                absences.find(standpoint, true, store);
                absences.forEach(unmatched::add);
            }
            recomputation.computeCells();
            Comparison comparison = new Comparison(plan, recomputation, from, null);
            comparison.compare(standpoint, true);
            List<Difference> differences = new ArrayList<>();
            comparison.forEach(Long.MAX_VALUE, differences::add);
            return new Found(standpoint, comparison.counts(), differences, unmatched, apart(recomputation, from));
        }
    }

    private Apart apart(Recomputation recomputation, @Nullable String from) {
        boolean isRunning = plan.target().hasRunningColumns();
        if (!isRunning && plan.identity() == null) {
            return new Apart(0, 0, List.of());
        }
        GlobalComparison apart = isRunning
                ? new RunningComparison(plan, recomputation, from, null)
                : new IdentityComparison(plan, recomputation, from, null);
        try (Publications publications = new JdbcPublications(plan.job(), postgres.connections())) {
            publications.read(apart.publications());
        }
        apart.compare();
        List<Difference> differences = new ArrayList<>();
        apart.forEach(Long.MAX_VALUE, differences::add);
        return new Apart(apart.equal(), apart.unknown(), differences);
    }
}
