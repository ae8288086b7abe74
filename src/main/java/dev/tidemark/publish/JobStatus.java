package dev.tidemark.publish;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a job stands, by what the warehouse knows of it.
 *
 * @param lookback of the last {@code init} or {@code run}; {@code because} is the evidence for it, null: a hypothesis
 * @param totals what all publications of the stream add up to
 * @param last the last publication; null before the first
 * @param carriedParts how many parts wait until the job has caught up with what is published
 * @param skippedFiles paths, in their order, the first few
 * @param lastRebuild null: never
 * @param operation what is under way in several steps; null: nothing is
 * @param frontierResets the last few, the newest first
 */
public record JobStatus(
        String job,
        String target,
        String zone,
        int lookback,
        @Nullable String because,
        int retain,
        Run run,
        Totals totals,
        @Nullable Last last,
        Recent recent,
        OpenLate openLate,
        long carriedParts,
        long skippedFileCount,
        List<String> skippedFiles,
        @Nullable Rebuild lastRebuild,
        @Nullable Operation operation,
        List<FrontierReset> frontierResets) {

    /**
     * The one writer.
     *
     * @param epoch counts submissions; 0: none has run
     * @param attempt counts the restarts of the newest submission
     * @param checkpointInterval how often it is to publish; null: it is not known
     * @param heartbeatAt when the last checkpoint was dealt with
     */
    public record Run(
            long epoch,
            long attempt,
            @Nullable String flinkJobId,
            @Nullable Duration checkpointInterval,
            @Nullable Instant startedAt,
            @Nullable Instant heartbeatAt,
            @Nullable Instant retiredAt) {}

    /** Sums over publications. */
    public record Totals(
            long publications, long read, long applied, long superseded, long late, long split, long rejected) {}

    /**
     * A publication.
     *
     * @param kind stream, widen or rebuild
     * @param frontierLeast with the other bounds and {@code logs} as the stream last said them
     * @param logs where it stands
     */
    public record Last(
            long publication,
            String kind,
            Instant publishedAt,
            @Nullable Instant frontierLeast,
            @Nullable Instant frontierGreatest,
            @Nullable String completeFrom,
            @Nullable String closedBefore,
            List<LogCut> logs) {}

    /**
     * The last publication and those since {@code since}.
     *
     * @param halfWindowExceeded admitted changes whose age was more than half the lookback
     */
    public record Recent(Instant since, long publications, long rejected, long halfWindowExceeded) {}

    /** Ledger rows that are open. */
    public record OpenLate(long rows, @Nullable Instant oldestRecorded, List<Reason> reasons) {

        /** How many of one reason. */
        public record Reason(String reason, long rows) {}
    }

    /**
     * A rebuild that is done.
     *
     * @param fromPartition null: from the first that there was
     * @param toPartition null: to the last that there was
     */
    public record Rebuild(
            @Nullable String fromPartition, @Nullable String toPartition, Instant startedAt, Instant finishedAt) {}

    /**
     * What is under way in several steps.
     *
     * @param step the last one that is done
     * @param error why it did not go on when it was last tried; null: it did
     */
    public record Operation(
            String kind, String step, @Nullable String error, Instant startedAt, Instant updatedAt) {}

    /** A frontier that a person set back. */
    public record FrontierReset(String log, Instant frontier, Instant requestedAt) {}

    /** Reads the status of a job that the warehouse knows. */
    public interface Reader extends AutoCloseable {
        /**
         * Reads it, all of one moment.
         *
         * @param since from when on a publication is recent
         */
        JobStatus read(Instant since);

        @Override
        void close();
    }
}
