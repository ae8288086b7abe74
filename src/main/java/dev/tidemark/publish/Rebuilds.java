package dev.tidemark.publish;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a rebuild has to know of a job and leaves behind. Not thread-safe. */
public interface Rebuilds extends AutoCloseable {

    /**
     * What stands before a rebuild.
     *
     * @param notBeyond later partitions of the target are not taken for its last one
     */
    Standings look(long notBeyond);

    /**
     * Enters a rebuild, and clears away what others left behind that did not come to their end. While this is open it is
     * known to be at work.
     *
     * @throws WarehouseException if another one is at work
     */
    void begin(Rebuild rebuild);

    /** What became of it. */
    Result result(String rebuild);

    /** It has failed: says why, and removes what it staged. A trial is forgotten. */
    void fail(Rebuild rebuild, String error);

    /** Forgets a trial. */
    void forget(Rebuild rebuild);

    @Override
    void close();

    /**
     * What stands.
     *
     * @param publication the last publication of any kind; 0: none
     * @param stream what the stream's last publication left
     * @param completeFrom of the stream's last publication; {@link Standing#NOWHERE}: none
     * @param heartbeatAt when the stream last gave a sign of life; null: never
     * @param now the database's clock
     * @param least the target's first partition; null: it has no rows
     * @param greatest the target's last partition that is not beyond the bound; null: it has none
     * @param beyond partitions of the target that are, the first few
     * @param filled partitions that are known to have rows
     * @param covered what rebuilds and the stream have computed, in any order
     */
    record Standings(
            long publication,
            Standing stream,
            long completeFrom,
            @Nullable Instant heartbeatAt,
            Instant now,
            @Nullable Long least,
            @Nullable Long greatest,
            List<Long> beyond,
            List<Long> filled,
            List<PartitionSpan> covered) {
        /** Whether the stream has published. */
        public boolean isStreamed() {
            return stream.publication() > 0;
        }
    }

    /**
     * What a rebuild came to.
     *
     * @param publication under which it is visible; 0: it is not
     * @param rowsNew of the rows written, those that were not there before
     * @param incorporated ledger rows that were open and are accounted for
     */
    record Result(
            long publication,
            long scanned,
            long rejected,
            long bytes,
            long rowsWritten,
            long rowsNew,
            long rowsRemoved,
            long partitions,
            long incorporated,
            long lockMillis) {}
}
