package dev.tidemark.publish;

import dev.tidemark.lateness.LatenessEntry;
import java.util.List;

/**
 * What became of the changes that one operator judged since the last cut. Each counted change is in exactly one of the
 * first four.
 *
 * @param maxLatenessMillis -1 if there is none
 * @param halfWindowExceeded admitted changes whose age is more than half the lookback
 */
public record Tally(
        long applied,
        long superseded,
        long late,
        long split,
        long maxLatenessMillis,
        long halfWindowExceeded,
        List<LatenessEntry> lateness) {
    public long judged() {
        return applied + superseded + late + split;
    }
}
