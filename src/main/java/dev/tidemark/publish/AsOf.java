package dev.tidemark.publish;

import dev.tidemark.source.Extent;
import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The changes before given positions: a prefix of each log. A log that is not named has none; {@link #END} has all that
 * there are.
 */
public final class AsOf implements Extent, Serializable {
    private static final long serialVersionUID = 1L;

    /** All changes that there are when they are read. */
    public static final AsOf END = new AsOf(null);

    /** Null: no limit. */
    @SuppressWarnings("serial") // a HashMap
    private final @Nullable Map<String, Place> places;

    private AsOf(@Nullable Map<String, Place> places) {
        this.places = places;
    }

    /** The changes before where the logs stand. */
    public static AsOf of(List<LogCut> logs) {
        Map<String, Place> places = new HashMap<>();
        logs.forEach(log -> places.put(log.log(), new Place(log.split(), log.nextOffset())));
        return new AsOf(places);
    }

    /** Whether there is no limit. */
    public boolean isEnd() {
        return places == null;
    }

    /** Whether the change at a position of a log is among them. */
    @Override
    public boolean contains(String log, String split, long offset) {
        if (places == null) {
            return true;
        }
        Place place = places.get(log);
        return place != null && LogCut.comparePositions(split, offset, place.split(), place.nextOffset()) < 0;
    }

    @Override
    public long end(String log) {
        if (places == null) {
            return UNLIMITED;
        }
        Place place = places.get(log);
        return place == null ? 0 : place.nextOffset();
    }

    private record Place(String split, long nextOffset) implements Serializable {}
}
