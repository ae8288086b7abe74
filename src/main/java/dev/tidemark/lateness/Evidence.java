package dev.tidemark.lateness;

import java.time.LocalDate;
import java.util.List;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * What a job has seen in a period. Superseded and rejected changes are not in it.
 *
 * @param days by day of observation, ascending; a day on which nothing was observed is not there
 * @param exceptional what was observed on the days that are left out
 * @param sensor by day of publication, ascending: how many changes were admitted in the older half of the lookback
 * @param ledger late changes by reason and age
 * @param logs by log: what it has in the ledger; the most days first
 * @param partitions what the target's partitions hold
 * @param withoutEventTime changes that were rejected because they name no partition
 */
public record Evidence(
        NavigableMap<LocalDate, Day> days,
        Distribution exceptional,
        NavigableMap<LocalDate, Long> sensor,
        List<Late> ledger,
        List<LateLog> logs,
        Partitions partitions,
        long withoutEventTime) {

    /**
     * What was observed on one day.
     *
     * @param first changes whose record was not known
     * @param corrections the others
     */
    public record Day(Distribution first, Distribution corrections) {
        /** A day of which nothing is known yet. */
        public Day() {
            this(new Distribution(), new Distribution());
        }

        /** Adds what a stored row counts. */
        public void add(LatenessEntry entry) {
            (entry.correction() ? corrections : first).add(entry);
        }

        /** First arrivals and corrections together. */
        public Distribution all() {
            Distribution all = new Distribution();
            all.add(first);
            all.add(corrections);
            return all;
        }
    }

    /**
     * Ledger rows, two for a change that would have moved its record between two closed partitions.
     *
     * @param reason as the ledger writes it
     * @param age null: not known
     */
    public record Late(String reason, @Nullable Long age, long rows) {}

    /**
     * The late changes of one log.
     *
     * @param log its name: a partition of a topic, a folder; empty for a source that is one log
     * @param days on how many days late changes of it were observed
     * @param greatestMillis null: not known
     * @param greatestAge null: not known
     */
    public record LateLog(
            String log,
            long rows,
            long days,
            @Nullable Long greatestMillis,
            @Nullable Long greatestAge) {}

    /** Sums over the partitions that hold anything. */
    public record Partitions(long partitions, long cells, long members) {
        /** Cells of a partition on average; 0 if there is none. */
        public double meanCells() {
            return partitions == 0 ? 0 : (double) cells / partitions;
        }

        /** Members of a partition on average; 0 if there is none. */
        public double meanMembers() {
            return partitions == 0 ? 0 : (double) members / partitions;
        }
    }

    /** Reads the evidence of one job. */
    public interface Reader extends AutoCloseable {
        /** Reads it, all of one moment. */
        Evidence read(Period period);

        @Override
        void close();
    }
}
