package dev.tidemark.source;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a job began to read its topic. Its first submission fixes it, once: so that a crash before the first checkpoint
 * loses nothing, and whoever begins anew without state begins where the job began.
 */
public interface StartPositions extends Serializable {

    /** What has been fixed; null: nothing yet. */
    @Nullable
    Fixed fixed();

    /**
     * Fixes the positions, durably, unless somebody has done so before.
     *
     * @return those that stand: these, or those of whoever was first
     */
    Fixed fix(Fixed proposed);

    /**
     * The positions of one topic.
     *
     * @param topicId what Kafka calls this topic and no later one of the same name
     * @param offsets log to the offset of the first record to be read
     */
    record Fixed(String topicId, Map<String, Long> offsets) implements Serializable {
        public Fixed {
            offsets = new TreeMap<>(offsets);
        }
    }
}
