package dev.tidemark.publish;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is to be done with the parts of a checkpoint. */
public sealed interface Decision {
    /**
     * They become visible, together with parts that were carried.
     *
     * @param carried the carried checkpoints that belong to it, oldest first
     * @param logs where each log stands now
     * @param frontierLeast over the logs that the bounds wait for; {@link LogCut#UNKNOWN} while one has no mark
     * @param completeFrom {@link Standing#NOWHERE} while no log has a mark; likewise the other bounds
     * @param retainedFrom the first partition that the stream's state has not forgotten
     * @param changesFrom the first partition that the parts may change
     * @param widening null: it is an ordinary publication of the stream
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
            long retainedFrom,
            long changesFrom,
            @Nullable Widening widening,
            Tally counts,
            long read,
            long rejected)
            implements Decision {}

    /**
     * What makes a publication a widening.
     *
     * @param replacedFrom from here on the parts hold every cell: what else stands goes; {@link Standing#NOWHERE}: everywhere
     * @param shownBefore rows of earlier partitions are there because of it; likewise
     * @param stood where the logs stood in the restored state; what was withheld before is in the truth
     */
    record Widening(long replacedFrom, long shownBefore, List<LogCut> stood) {}

    /** They are kept: a split lies behind what is published. */
    record CarryForward() implements Decision {}

    /** Nothing was counted and nothing is staged, or all of it lies before what is published. */
    record NothingNew() implements Decision {}

    /** They must not become visible. */
    record Refuse(String message) implements Decision {}
}
