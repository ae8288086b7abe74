package dev.tidemark.wire.flink;

import java.util.List;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;

/**
 * How a keyed operator forgets what lies before the job's own bound, and nothing else does: Flink's watermarks (idleness,
 * end of input, drain) never purge.
 *
 * @param <K> the operator's key
 */
public interface Purging<K> {
    /** The bound before the first advance: nothing is forgotten. */
    long UNKNOWN = Long.MIN_VALUE;

    /** The first partition that is still kept; {@link #UNKNOWN} before the first advance. */
    long bound();

    /**
     * Asks for the current key to be purged once the bound is after a partition. A key kept for several partitions is purged
     * at each of them: keep it anew, or ignore what is not due yet.
     */
    void keep(long partition);

    /** Takes back {@link #keep} of the current key, or lets its purge find nothing. */
    void release(long partition);

    /**
     * Moves the bound and purges every key kept for a partition before it, the oldest partition first. Does nothing if the
     * bound stands there or further. The operator's current key is the same afterwards.
     *
     * @param firstKept the first partition that is not forgotten
     */
    void advanceTo(long firstKept) throws Exception;

    /** What to do with a key whose partition is before the bound. */
    @FunctionalInterface
    interface Purge<K> {
        /**
         * Forgets the key, which is the operator's current one; or keeps it for a partition that is not before the bound.
         *
         * @param partition the one that the key was kept for
         */
        void purge(K key, long partition) throws Exception;
    }

    /** For which partition a key was kept, told from its state: the key is the operator's current one. */
    @FunctionalInterface
    interface KeptFor<K> {
        long partition(K key) throws Exception;
    }

    /**
     * All keys of a state of an operator, gathered before anything touches it.
     *
     * @param state its name
     */
    static <K> List<K> keysOf(AbstractStreamOperator<?> operator, String state) {
        return PurgeIndex.keysOf(operator.<K>getKeyedStateBackend(), state);
    }

    /**
     * Chooses by the state backend: with state on the heap an index beside it, which costs nothing at checkpoints and is
     * built anew at a restore; else timers, which lie where the state does. To be called in the operator's {@code
     * initializeState}. A checkpoint of one kind of backend restored on the other is found and mended.
     *
     * @param clock the operator's time service manager; it must have no other timers
     * @param state the name of a state that every kept key has
     */
    static <K> Purging<K> of(
            AbstractStreamOperator<?> operator,
            InternalTimeServiceManager<?> clock,
            OperatorStateStore store,
            String state,
            KeptFor<K> keptFor,
            Purge<K> purge)
            throws Exception {
        KeyedStateBackend<K> backend = operator.getKeyedStateBackend();
        PurgeTimers<K> timers = new PurgeTimers<>(operator, clock, store, purge);
        boolean onHeap = PurgeIndex.HEAP.equals(backend.getBackendTypeIdentifier());
        if (onHeap) {
            timers.discardAll();
            return PurgeIndex.restored(operator, backend, timers.kept(), state, keptFor, purge);
        }
        if (timers.isEmpty()) {
            timers.keepAll(backend, state, keptFor);
        }
        return timers;
    }
}
