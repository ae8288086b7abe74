package dev.tidemark.publish;

import java.util.List;

/**
 * What operators say that were restored under a larger lookback than their state was written under. An operator that has
 * the truth says from where on it is whole; one that reads logs says where they stood.
 *
 * @param from the first partition whose whole truth, every cell of it, goes out with what is said ahead of the same barrier;
 *     {@link Standing#NOWHERE}: of all; {@link #UNSAID} by an operator that reads logs
 * @param stood where the logs stood in the restored state: what was withheld before is in the truth
 */
public record Reopening(long from, List<LogCut> stood) {
    /** Somebody else says it. */
    public static final long UNSAID = Long.MAX_VALUE;

    public Reopening {
        stood = List.copyOf(stood);
    }

    /** Of an operator that has the truth. */
    public static Reopening from(long partition) {
        return new Reopening(partition, List.of());
    }

    /** Of an operator that reads logs. */
    public static Reopening at(List<LogCut> stood) {
        return new Reopening(UNSAID, stood);
    }
}
