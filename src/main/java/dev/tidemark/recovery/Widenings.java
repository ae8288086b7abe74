package dev.tidemark.recovery;

import org.jspecify.annotations.Nullable;

/** The widenings of one job, kept where they outlive this process. */
public interface Widenings extends AutoCloseable {

    /**
     * The one that is open; null: none is.
     *
     * @throws RecoveryException if another kind of operation is open
     */
    @Nullable
    Widening open();

    /** The last one that came to its end without an error; null: there is none. */
    @Nullable
    Widening lastDone();

    /**
     * Begins one.
     *
     * @throws RecoveryException if an operation of the job is open
     */
    void begin(Widening widening);

    /**
     * Records how far one has come. If it is done it is closed.
     *
     * @param before as it was read or recorded last
     * @throws RecoveryException if somebody else has recorded something in between
     */
    void record(Widening before, Widening after);

    /** Records why it does not go on for now; it stays open. */
    void failed(Widening widening, String error);

    /** Closes one that has not come to its end. */
    void close(Widening widening, String note);

    @Override
    void close();
}
