package dev.tidemark.publish;

import java.io.Serializable;

/**
 * Where one stage operator puts rows so that they are durable, and invisible, before the barrier is acknowledged. Not
 * thread-safe. Nothing staged is ever visible to readers of the target.
 */
public interface Stage extends AutoCloseable {

    /** Takes a part; rows may be kept in memory until {@link #seal}. Cuts and tallies are kept for the receipt. */
    void add(Part part);

    /**
     * Makes all parts since the last seal durable and gives their receipt.
     *
     * @throws WarehouseException if they could not be made durable; nothing is sealed then
     */
    StagedPart seal(long checkpoint);

    /** Opens a stage where it runs. */
    @FunctionalInterface
    interface Factory extends Serializable {
        Stage open(String submission, int subtask);
    }
}
