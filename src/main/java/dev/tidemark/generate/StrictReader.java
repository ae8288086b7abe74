package dev.tidemark.generate;

import dev.tidemark.lateness.ReadTimes;
import dev.tidemark.lateness.StrictReads;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a reader that asks for {@code updated_at > MAX(updated_at)} makes of the records of a story, by the rule of
 * {@link StrictReads}. One of which it never loads anything is lost. Keeps only the lost ones. Times are microseconds since the
 * epoch.
 */
final class StrictReader {
    private final StrictReads reads;
    private final Map<Long, Long> lost = new LinkedHashMap<>();

    /** Reads at the given instants. */
    StrictReader(long[] reads) {
        this.reads = new StrictReads(ReadTimes.of(reads));
    }

    /** A record as it arrives first, in the order of arrival of all; false: the reader passes it over. */
    boolean first(long record, long happenedAt, long updatedAt, long ingestedAt) {
        boolean loads = loads(updatedAt, ingestedAt);
        if (!loads) {
            lost.putIfAbsent(record, happenedAt);
        }
        return loads;
    }

    /** A later version, or a copy, of a record that has arrived before; false: the reader passes it over. */
    boolean later(long record, long updatedAt, long ingestedAt) {
        boolean loads = loads(updatedAt, ingestedAt);
        if (loads) {
            lost.remove(record);
        }
        return loads;
    }

    private boolean loads(long updatedAt, long ingestedAt) {
        reads.see(ingestedAt, updatedAt);
        return reads.loads(ingestedAt, updatedAt);
    }

    /** The lost records with the time at which they happened. */
    Map<Long, Long> lost() {
        return lost;
    }
}
