package dev.tidemark.kit;

import dev.tidemark.source.StartPositions;
import org.jspecify.annotations.Nullable;

/** Start positions in memory. */
public final class MemoryStartPositions implements StartPositions {
    private static final long serialVersionUID = 1L;

    private @Nullable Fixed standing;

    @Override
    public synchronized @Nullable Fixed fixed() {
        return standing;
    }

    @Override
    public synchronized Fixed fix(Fixed proposed) {
        Fixed now = standing == null ? proposed : standing;
        standing = now;
        return now;
    }
}
