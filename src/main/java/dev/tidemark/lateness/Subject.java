package dev.tidemark.lateness;

import dev.tidemark.job.Grain;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The job whose lookback is judged.
 *
 * @param lookback what is set
 * @param because the evidence that was given for it; null: it is a hypothesis
 * @param observed whether changes say when they could first be seen
 * @param append whether every record counts, so that nothing is ever corrected
 * @param deletes whether a record can be withdrawn
 * @param recordsRead by all publications
 * @param rebuilt whether history has ever been brought in
 */
public record Subject(
        Grain grain,
        int lookback,
        @Nullable String because,
        boolean observed,
        boolean append,
        boolean deletes,
        long recordsRead,
        boolean rebuilt) {

    /**
     * The least lookback that admits whatever comes within a lateness, if partitions have their usual length: a day 24 hours, a
     * month at least 28 days.
     */
    public long lookbackFor(Duration lateness) {
        Duration partition = switch (grain) {
            case HOUR -> Duration.ofHours(1);
            case DAY -> Duration.ofDays(1);
            case WEEK -> Duration.ofDays(7);
            case MONTH -> Duration.ofDays(28);
        };
        return -Math.floorDiv(-Math.max(0, lateness.toMillis()), partition.toMillis());
    }
}
