package dev.tidemark.evidence;

import dev.tidemark.publish.AsOf;
import dev.tidemark.publish.LogCut;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the target stood at one moment.
 *
 * @param publication the newest of any kind; 0: nothing was published
 * @param publishedAt when that was; null: nothing was
 * @param streamed the newest of the stream; 0: none, so that only rebuilds have filled the target
 * @param logs where the logs stood in it, or for the newest rebuild where nothing streams; null: that is not known
 * @param closedBefore the first partition that the stream may still change, as ISO text; null: not known
 * @param completeFrom from here on every partition equals a full recomputation; null: not known
 * @param recordsRead how many records the stream has counted
 * @param rebuilt where nothing streams: partitions that an earlier rebuild has filled, as of when it read
 */
public record Standpoint(
        long publication,
        @Nullable Instant publishedAt,
        long streamed,
        @Nullable List<LogCut> logs,
        @Nullable String closedBefore,
        @Nullable String completeFrom,
        long recordsRead,
        List<Rebuilt> rebuilt) {

    /** The changes that the target was made of. */
    public AsOf asOf() {
        return logs == null ? AsOf.END : AsOf.of(logs);
    }

    /**
     * A partition that is as of an earlier rebuild than the newest.
     *
     * @param logs the changes before where these stood were taken
     */
    public record Rebuilt(String partition, long publication, List<LogCut> logs) {}
}
