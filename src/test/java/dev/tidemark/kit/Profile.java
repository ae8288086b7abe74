package dev.tidemark.kit;

import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan.Mode;
import org.jspecify.annotations.Nullable;

/**
 * What generated histories are to be like; the rest is left to the seed.
 *
 * @param mode null: any
 * @param grain null: any
 * @param poison whether there are records that are rejected
 * @param wildClocks whether there are clocks that run far ahead
 * @param beyondMemory whether promise 1 may be broken where the contract says that it can be: see {@link Oracle}
 */
public record Profile(
        String name,
        int leastRecords,
        int mostRecords,
        @Nullable Mode mode,
        @Nullable Grain grain,
        boolean poison,
        boolean wildClocks,
        boolean beyondMemory) {

    /** Everything that can happen while all promises hold. */
    public static Profile everything() {
        return new Profile("everything", 20, 250, null, null, true, true, false);
    }

    /** Also what the contract excepts from promise 1. */
    public static Profile forgetful() {
        return new Profile("forgetful", 60, 400, Mode.UPSERT, null, true, true, true);
    }

    public Profile withRecords(int least, int most) {
        return new Profile(name, least, most, mode, grain, poison, wildClocks, beyondMemory);
    }

    public Profile withMode(Mode newMode) {
        return new Profile(
                name + " " + newMode, leastRecords, mostRecords, newMode, grain, poison, wildClocks, beyondMemory);
    }

    public Profile withGrain(Grain newGrain) {
        return new Profile(
                name + " " + newGrain, leastRecords, mostRecords, mode, newGrain, poison, wildClocks, beyondMemory);
    }
}
