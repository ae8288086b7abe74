package dev.tidemark.publish;

import dev.tidemark.source.Backlog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What about a job's status calls for a person. That late changes are open is no warning by itself: it is when nobody has
 * dealt with them for long.
 *
 * @param bounded whether the job ends with its source: then it owes no heartbeat
 * @param openLateAfter how long a ledger row may stay open
 * @param publicationAfter how old the last publication may be; null: any age, because a source may be silent
 */
public record StatusCheck(
        boolean bounded, Duration openLateAfter, @Nullable Duration publicationAfter) {
    /** How long a job without end may be without a heartbeat when it is not known how often it is to publish. */
    public static final Duration HEARTBEAT_AFTER = Duration.ofMinutes(5);

    /** How long it may be, in any case, so that a restart is no alarm. */
    private static final Duration LEAST_PATIENCE = Duration.ofMinutes(1);

    private static final int INTERVALS = 3;
    private static final Duration OPERATION_AFTER = Duration.ofMinutes(10);
    private static final Duration FRONTIER_AHEAD = Duration.ofDays(1);

    /**
     * A reason to look.
     *
     * @param name for programs
     * @param message for people
     */
    public record Warning(String name, String message) {}

    /** All warnings, the gravest first. */
    public List<Warning> warnings(JobStatus status, Backlog backlog, Instant now) {
        List<Warning> warnings = new ArrayList<>();
        liveness(status, backlog, now, warnings);
        completeness(status, now, warnings);
        return List.copyOf(warnings);
    }

    /** How long a job without end may be silent: three of its checkpoint intervals, at least a minute. */
    public static Duration patience(JobStatus status) {
        Duration interval = status.run().checkpointInterval();
        if (interval == null) {
            return HEARTBEAT_AFTER;
        }
        Duration several = interval.multipliedBy(INTERVALS);
        return several.compareTo(LEAST_PATIENCE) < 0 ? LEAST_PATIENCE : several;
    }

    private void liveness(JobStatus status, Backlog backlog, Instant now, List<Warning> warnings) {
        JobStatus.Run run = status.run();
        if (run.retiredAt() != null) {
            warnings.add(new Warning("retired", "the job was retired at " + run.retiredAt()));
        }
        Instant alive = run.heartbeatAt() == null ? run.startedAt() : run.heartbeatAt();
        if (!bounded && alive != null && isOlder(alive, patience(status), now)) {
            warnings.add(new Warning(
                    "no-heartbeat",
                    "the job has given no sign of life since " + alive
                            + "; it may not be running, or its checkpoints fail"));
        }
        JobStatus.Last last = status.last();
        if (last == null) {
            warnings.add(new Warning("nothing-published", "nothing has been published yet"));
        } else if (publicationAfter != null && isOlder(last.publishedAt(), publicationAfter, now)) {
            warnings.add(new Warning(
                    "publication-old",
                    "the last publication, " + last.publication() + ", is of " + last.publishedAt()
                            + ": older than it should be"));
        } else if (!bounded && backlog.isWaiting() && isOlder(last.publishedAt(), patience(status), now)) {
            warnings.add(new Warning(
                    "not-publishing",
                    "the last publication, " + last.publication() + ", is of " + last.publishedAt()
                            + ", and there is more to read: the job does not get on"));
        }
        JobStatus.Operation operation = status.operation();
        if (operation != null && isOlder(operation.updatedAt(), OPERATION_AFTER, now)) {
            warnings.add(new Warning(
                    "operation-open",
                    "an operation (" + operation.kind() + ") stands behind the step " + operation.step() + " since "
                            + operation.updatedAt() + "; repeat its command, which goes on with it"));
        }
    }

    private void completeness(JobStatus status, Instant now, List<Warning> warnings) {
        if (status.skippedFileCount() > 0) {
            warnings.add(new Warning(
                    "skipped-files",
                    "not read, because they came after a file that sorts behind them: " + status.skippedFileCount()
                            + (status.skippedFileCount() == 1 ? " file (" : " files (")
                            + String.join(", ", status.skippedFiles())
                            + (status.skippedFileCount() > status.skippedFiles().size() ? ", ...)" : ")")));
        }
        JobStatus.Last last = status.last();
        Instant frontier = last == null ? null : last.frontierGreatest();
        if (frontier != null && isOlder(now, FRONTIER_AHEAD, frontier)) {
            warnings.add(
                    new Warning(
                            "frontier-ahead",
                            "the greatest frontier, " + frontier
                                    + ", is more than a day ahead of the clock: records from a wild"
                                    + " clock have closed partitions too early; see: tidemark run --restore ... --reset-frontier"));
        }
        if (status.recent().rejected() > 0) {
            warnings.add(new Warning(
                    "rejected",
                    String.format(
                            Locale.ROOT,
                            "%,d changes were rejected of late; see: tidemark rejected",
                            status.recent().rejected())));
        }
        Instant oldest = status.openLate().oldestRecorded();
        if (oldest != null && isOlder(oldest, openLateAfter, now)) {
            warnings.add(new Warning(
                    "late-open",
                    String.format(
                            Locale.ROOT,
                            "of %,d open late changes the oldest waits since %s; see: tidemark ledger",
                            status.openLate().rows(),
                            oldest)));
        }
        if (status.recent().halfWindowExceeded() > 0) {
            warnings.add(new Warning(
                    "half-window",
                    String.format(
                            Locale.ROOT,
                            "%,d recent changes were admitted in the older half of the lookback: it may soon not suffice",
                            status.recent().halfWindowExceeded())));
        }
    }

    private static boolean isOlder(Instant instant, Duration age, Instant now) {
        return instant.plus(age).isBefore(now);
    }
}
