package dev.tidemark.recovery;

import dev.tidemark.publish.Standing;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far back the state of a job's stream reaches, by what its last publication says. Bounds are {@link
 * Standing#NOWHERE} while nothing is known of them.
 *
 * @param lookback under which its changes were judged
 * @param closedBefore the first partition that the stream may still change
 * @param endedBefore the partition of the least frontier
 * @param completeFrom from here on every partition equals a full recomputation
 * @param retainedFrom the first partition that the state has not forgotten
 * @param wholeFrom log to the first partition that it holds whole; logs that hold all are not in it
 */
public record StateReach(
        long publication,
        int lookback,
        long closedBefore,
        long endedBefore,
        long completeFrom,
        long retainedFrom,
        Map<String, Long> wholeFrom) {

    public StateReach {
        wholeFrom = new TreeMap<>(wholeFrom);
    }

    /**
     * Late changes of one reason to one partition that the state does not hold.
     *
     * @param reason as the ledger says it
     */
    public record NotHeld(String partition, String reason, long rows) {}

    /** What the warehouse knows of a job. */
    public interface Reader extends AutoCloseable {
        /**
         * How far back the state reaches.
         *
         * @throws RecoveryException if the job has published nothing yet
         */
        StateReach reach();

        /**
         * Which late changes the state does not hold, whatever became of them since: a rebuild may have brought them in.
         *
         * @param from the first partition; {@code before}: the one after the last
         */
        List<NotHeld> notHeld(String from, String before);

        /** How many ledger rows of these partitions are open. */
        long openRows(String from, String before);

        @Override
        void close();
    }
}
