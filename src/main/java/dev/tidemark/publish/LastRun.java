package dev.tidemark.publish;

import dev.tidemark.job.Definition;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a warehouse remembers of the last {@code init} or {@code run} of a job.
 *
 * @param lookback that it was told
 * @param epoch of the newest submission; 0: none has run
 * @param hasPublished whether there is something that the job would go on with
 */
public record LastRun(
        Definition definition,
        int lookback,
        long epoch,
        @Nullable Instant startedAt,
        @Nullable Instant retiredAt,
        boolean hasPublished) {}
