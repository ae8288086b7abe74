package dev.tidemark.publish;

import java.util.List;

/** What is to be done with the parts of a checkpoint. */
public sealed interface Decision {
    /**
     * They become visible, together with parts that were carried.
     *
     * @param carried the carried checkpoints that belong to it, oldest first
     * @param logs where each log stands now
     * @param frontierLeast over the logs that the bounds wait for; {@link LogCut#UNKNOWN} while one has no mark
     * @param completeFrom {@link Standing#NOWHERE} while no log has a mark; likewise the other bounds
     * @param counts over all parts
     * @param read changes counted, rejected ones included
     */
    record Publish(
            List<Carried> carried,
            List<LogCut> logs,
            long frontierLeast,
            long frontierGreatest,
            long completeFrom,
            long closedBefore,
            long endedBefore,
            Tally counts,
            long read,
            long rejected)
            implements Decision {}

    /** They are kept: a split lies behind what is published. */
    record CarryForward() implements Decision {}

    /** Nothing was counted and nothing is staged, or all of it lies before what is published. */
    record NothingNew() implements Decision {}

    /** They must not become visible. */
    record Refuse(String message) implements Decision {}
}
