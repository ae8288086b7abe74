package dev.tidemark.evidence;

import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * That it was looked whether anything is missing, for the record.
 *
 * @param publication as of which
 * @param from the first partition, as ISO text; null: the first that there was
 * @param to the last one; null: the last that there was
 * @param live source rows that live in these partitions
 * @param late of those: what the ledger has, open or dismissed
 * @param refused of those: what was rejected when it was read live
 * @param rejected changes of the history that are no rows, because they must not count
 * @param beyondMemory rows of the target that are what comes of a forgotten record
 * @param found source rows by what is the matter with them; what is not in it is nothing
 * @param unread what the source holds beyond the last publication, in words: it is not missing
 */
public record Completeness(
        long publication,
        @Nullable String from,
        @Nullable String to,
        long live,
        long late,
        long refused,
        long rejected,
        long beyondMemory,
        Map<Unmatched.Kind, Long> found,
        String unread,
        Instant startedAt,
        Instant finishedAt) {

    /** Whether every source row is where it should be, once. */
    public boolean isPassed() {
        return found.values().stream().allMatch(rows -> rows == 0);
    }

    /** How many rows have this the matter. */
    public long found(Unmatched.Kind kind) {
        return found.getOrDefault(kind, 0L);
    }

    /** Keeps what was found, and what accounts for a row outside of the target. Not thread-safe. */
    public interface Store extends AutoCloseable {
        /** Keeps it with its rows, in one transaction. */
        void keep(Completeness completeness, Rows rows);

        /** The last one; null: nobody has looked. */
        @Nullable
        Completeness last();

        /**
         * Hands over the positions of changes that are out of the target by a person's word or by their content: dismissed
         * ledger rows and rejected changes.
         */
        void accounts(Accounts accounts);

        @Override
        void close();
    }

    /** Hands over rows, as often as it is asked. */
    @FunctionalInterface
    public interface Rows {
        /** All of them. */
        void forEach(Consumer<Unmatched> action);
    }

    /** Takes what accounts for a change. */
    public interface Accounts {
        /** A late change that a person has dismissed; without partition it names none. */
        void dismissed(String split, long offset, @Nullable String partition);

        /** A change that was rejected. */
        void refused(String split, long offset);
    }
}
