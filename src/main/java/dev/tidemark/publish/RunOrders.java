package dev.tidemark.publish;

import java.io.Serializable;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a submission was told beside its job file, to be recorded when it registers.
 *
 * @param checkpointInterval how often it is to publish
 * @param frontierResets the frontiers that it sets back, in microseconds by log
 */
public record RunOrders(Duration checkpointInterval, Map<String, Long> frontierResets) implements Serializable {
    public RunOrders {
        frontierResets = new TreeMap<>(frontierResets);
    }
}
