package dev.tidemark.kit;

import dev.tidemark.recovery.FlinkJobs;
import dev.tidemark.recovery.Restart;
import dev.tidemark.recovery.WriterWatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A Flink in memory with jobs that have a lookback, and the warehouse that they write to. Nothing happens at once: each {@link
 * #pass} brings what is under way one step on.
 */
public final class MemoryFlink implements FlinkJobs, Restart.Submitter, WriterWatch {
    private final String name;
    private final Settings settings;
    private final Map<String, Job> jobs = new LinkedHashMap<>();
    private final List<Widened> widened = new ArrayList<>();
    private @Nullable Job writer;

    /** A publication of a job that was restored wider. */
    public record Widened(String flinkJob, String submission, int lookback) {}

    private static final class Job {
        private final String id;
        private final String submission;
        private final int lookback;
        private final int lookbackOfState;
        private final @Nullable String from;
        private Phase phase = Phase.CHANGING;
        private @Nullable String trigger;
        private @Nullable String savepoint;
        private boolean isAlive;

        private Job(String id, String submission, int lookback, int lookbackOfState, @Nullable String from) {
            this.id = id;
            this.submission = submission;
            this.lookback = lookback;
            this.lookbackOfState = lookbackOfState;
            this.from = from;
        }
    }

    public MemoryFlink(String name, Settings settings) {
        this.name = name;
        this.settings = settings;
    }

    /** Starts a job from nothing. */
    public void start(String id, int lookback) {
        begin(new Job(id, "submission of " + id, lookback, lookback, null));
    }

    private void begin(Job job) {
        jobs.put(job.id, job);
    }

    /** Time passes. */
    public void pass() {
        for (Job job : jobs.values()) {
            if (job.phase == Phase.CHANGING && job.trigger != null) {
                job.phase = Phase.FINISHED;
                job.savepoint = "savepoint of " + job.id;
            } else if (job.phase == Phase.CHANGING) {
                job.phase = Phase.RUNNING;
                writer = job;
            } else if (job.phase == Phase.RUNNING && job.trigger != null) {
                job.phase = Phase.CHANGING;
            } else if (job.phase == Phase.RUNNING && !job.isAlive) {
                job.isAlive = true;
                if (job.lookback > job.lookbackOfState) {
                    widened.add(new Widened(job.id, job.submission, job.lookback));
                }
            }
        }
    }

    /** The cluster is started anew: what it knew of jobs that are over, and of stops, is gone. */
    public void forget() {
        jobs.values().removeIf(job -> job.phase.isOver());
    }

    /** A job fails for good. */
    public void fail(String id) {
        Objects.requireNonNull(jobs.get(id)).phase = Phase.FAILED;
    }

    /** Every job that there ever was: its lookback, its phase and what it was restored from. */
    public List<String> history() {
        return jobs.values().stream()
                .map(job -> "lookback " + job.lookback + ", " + job.phase.word() + ", from "
                        + (job.from == null ? "nothing" : job.from))
                .toList();
    }

    public List<Widened> widened() {
        return List.copyOf(widened);
    }

    // -------------------------------------------------------------------------------------------------------- Flink

    @Override
    public boolean endsWithItsJob() {
        return false;
    }

    @Override
    public List<String> live(String wanted) {
        return jobs.values().stream()
                .filter(job -> wanted.equals(name) && !job.phase.isOver())
                .map(job -> job.id)
                .toList();
    }

    @Override
    public @Nullable Phase phase(String flinkJob) {
        Job job = jobs.get(flinkJob);
        return job == null ? null : job.phase;
    }

    @Override
    public Settings settings(String flinkJob) {
        return settings;
    }

    @Override
    public @Nullable String stop(String flinkJob, String trigger, @Nullable String folder) {
        Job job = Objects.requireNonNull(jobs.get(flinkJob));
        if (job.trigger == null) {
            job.trigger = trigger;
        }
        return null;
    }

    @Override
    public Stop stop(String flinkJob, String trigger) {
        Job job = Objects.requireNonNull(jobs.get(flinkJob));
        if (!trigger.equals(job.trigger)) {
            return new Stop.Unknown();
        }
        return job.savepoint == null ? new Stop.UnderWay() : new Stop.Stopped(job.savepoint);
    }

    @Override
    public @Nullable String savepoint(String flinkJob) {
        Job job = jobs.get(flinkJob);
        return job == null ? null : job.savepoint;
    }

    @Override
    public String failure(String flinkJob) {
        return "out of luck";
    }

    @Override
    public void submit(Restart restart) {
        if (jobs.containsKey(restart.flinkJob())) {
            throw new IllegalStateException("submitted twice: " + restart.flinkJob());
        }
        Job origin = jobs.values().stream()
                .filter(job -> restart.savepoint().equals(job.savepoint))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no such savepoint: " + restart.savepoint()));
        if (!restart.settings().equals(settings)) {
            throw new IllegalStateException("other settings: " + restart.settings());
        }
        begin(new Job(
                restart.flinkJob(), restart.submission(), restart.lookback(), origin.lookback, restart.savepoint()));
    }

    // ---------------------------------------------------------------------------------------------------- warehouse

    @Override
    public Writer newest() {
        return writer == null ? new Writer(null, null) : new Writer(writer.submission, writer.id);
    }

    @Override
    public @Nullable Long widening(String submission) {
        for (int i = 0; i < widened.size(); i++) {
            if (widened.get(i).submission().equals(submission)) {
                return 100L + i;
            }
        }
        return null;
    }

    @Override
    public boolean isAlive(String submission) {
        return writer != null && writer.submission.equals(submission) && writer.isAlive;
    }

    @Override
    public void close() {}
}
