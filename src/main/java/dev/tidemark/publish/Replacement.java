package dev.tidemark.publish;

import java.io.Serializable;
import java.util.List;

/** The committer's side of a rebuild. Not thread-safe. */
public interface Replacement extends AutoCloseable {

    /**
     * Replaces in one transaction all partitions of a rebuild by what was staged for it, or, if it is a trial, finds out what
     * that would change. Safe to repeat: a rebuild that is done is not done again. Whatever else was staged for it, by
     * attempts that failed, is removed.
     *
     * @param parts the receipts of everything that the rebuild computed
     * @param scans what was read for it
     * @throws WarehouseException if what was true when it began no longer is, or the database failed for good
     */
    void replace(List<StagedPart> parts, List<Scan> scans);

    @Override
    void close();

    /** Opens it where it is used. */
    @FunctionalInterface
    interface Factory extends Serializable {
        Replacement open();
    }
}
