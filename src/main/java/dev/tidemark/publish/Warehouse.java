package dev.tidemark.publish;

import java.io.Serializable;
import java.util.List;

/** The committer's side of the warehouse. Not thread-safe. */
public interface Warehouse extends AutoCloseable {

    /**
     * Takes the seat of the one writer: a submission not seen before gets the next epoch and attempt 1; the newest
     * submission gets its epoch and the next attempt.
     *
     * @throws FencedException if a newer submission has registered: this one must never publish again
     */
    Seat register(String submission, String flinkJobId);

    /**
     * Publishes in one transaction what one submission staged up to a completed checkpoint, or finds that there is
     * nothing to publish. Safe to repeat.
     *
     * @param parts all receipts up to the checkpoint that are not published yet, those of aborted checkpoints too
     * @throws FencedException if the seat is no longer the newest
     * @throws WarehouseException if the cut does not add up, rows are gone, or the database failed for good
     */
    Outcome publish(Seat seat, List<StagedPart> parts);

    /**
     * Removes what the seat's submission staged and never published, at the end of its input: every stage has sealed its
     * last part and all receipts are published, so what is left was staged for checkpoints that never completed. Parts that
     * are carried forward stay.
     *
     * @throws FencedException if the seat is no longer the newest
     */
    void conclude(Seat seat);

    /**
     * How the job stands, for those who watch it. Its cost does not grow with the age of the table. Not repeated if it fails.
     *
     * @throws WarehouseException if it could not be read
     */
    Observation observe();

    @Override
    void close();

    /** The right to publish. */
    record Seat(String submission, long epoch, long attempt) {}

    /** What became of a checkpoint. */
    enum Outcome {
        /** It is visible as a new publication. */
        PUBLISHED,
        /** It was visible already. */
        ALREADY_PUBLISHED,
        /** It lies behind what is published: its parts are kept for a later one. */
        CARRIED_FORWARD,
        /** Nothing was read and nothing changed. */
        NOTHING_NEW
    }

    /** Opens the warehouse where it is used. */
    @FunctionalInterface
    interface Factory extends Serializable {
        Warehouse open();
    }

    /**
     * What the job's last publication left, with all closed that the plan's lookback closes for it ({@link
     * PublicationRule#closed}): what the next publication will go by.
     */
    @FunctionalInterface
    interface PublishedPositions extends Serializable {
        Standing read();
    }
}
