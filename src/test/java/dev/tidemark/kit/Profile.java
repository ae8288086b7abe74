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
 * @param wildClocks whether there are clocks that run far ahead; with several logs only in the first of them
 * @param beyondMemory whether promise 1 may be broken where the contract says that it can be: see {@link Oracle}
 * @param layout what the logs are
 * @param crossing whether changes of one id may be in several logs
 */
public record Profile(
        String name,
        int leastRecords,
        int mostRecords,
        @Nullable Mode mode,
        @Nullable Grain grain,
        boolean poison,
        boolean wildClocks,
        boolean beyondMemory,
        Layout layout,
        boolean crossing) {

    /** What the logs are. */
    public enum Layout {
        /** All files are one log. */
        SOURCE,
        /** Each first-level folder is a log; there are up to five. */
        FOLDERS,
        /** Each partition of a topic is a log; there are up to five. */
        PARTITIONS
    }

    /** Everything that can happen to one log while all promises hold. */
    public static Profile everything() {
        return new Profile("everything", 20, 250, null, null, true, true, false, Layout.SOURCE, false);
    }

    /** Also what the contract excepts from promise 1. */
    public static Profile forgetful() {
        return new Profile("forgetful", 60, 400, Mode.UPSERT, null, true, true, true, Layout.SOURCE, false);
    }

    /** Up to five logs, unevenly far, some of them empty; each id stays in its log. */
    public static Profile several(Layout layout) {
        return everything().withLayout(layout).withRecords(20, 350);
    }

    /** Several logs, and ids whose changes are in more than one. */
    public static Profile crossing(Layout layout) {
        Profile several = several(layout);
        return new Profile(
                several.name + ", crossing",
                several.leastRecords,
                several.mostRecords,
                Mode.UPSERT,
                several.grain,
                several.poison,
                several.wildClocks,
                true,
                layout,
                true);
    }

    public Profile withLayout(Layout newLayout) {
        return new Profile(
                name + " in " + newLayout,
                leastRecords,
                mostRecords,
                mode,
                grain,
                poison,
                wildClocks,
                beyondMemory,
                newLayout,
                crossing);
    }

    public Profile withRecords(int least, int most) {
        return new Profile(name, least, most, mode, grain, poison, wildClocks, beyondMemory, layout, crossing);
    }

    public Profile withMode(Mode newMode) {
        return new Profile(
                name + " " + newMode,
                leastRecords,
                mostRecords,
                newMode,
                grain,
                poison,
                wildClocks,
                beyondMemory,
                layout,
                crossing);
    }

    public Profile withGrain(Grain newGrain) {
        return new Profile(
                name + " " + newGrain,
                leastRecords,
                mostRecords,
                mode,
                newGrain,
                poison,
                wildClocks,
                beyondMemory,
                layout,
                crossing);
    }
}
