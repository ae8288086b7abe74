package dev.tidemark.wire.flink;

import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;

/**
 * Timers by which a keyed operator forgets what lies before the job's own bound, and nothing else does.
 *
 * <p>A timer's time is a partition as the calendar numbers it. It fires when the bound passes the partition: {@link
 * #advanceTo} is the only clock. Flink's watermarks (idleness, end of input, drain) must not reach the timers, so an
 * operator that uses this class overrides {@code processWatermark(Watermark)} and only forwards the watermark there.
 * Should it forget to, the first timer that a watermark fires is a fault.
 *
 * <p>State: the timers themselves, one a key and kept partition, written by {@link #keep}, gone when fired or {@link
 * #release}d; and the bound, one number a subtask, in union state. Each subtask restores the least bound that any
 * subtask had, so that rescaling can only make it forget later.
 *
 * @param <K> the operator's key
 */
public final class PurgeTimers<K> {
    /** The name of the timers in the keyed state. */
    public static final String TIMERS = "purge-timers";
    /** The name of the bound in the operator's state. */
    public static final String BOUND = "purge-bound";

    /** The bound before the first advance: nothing is forgotten. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    private final AbstractStreamOperator<?> operator;
    private final InternalTimeServiceManager<?> clock;
    private final InternalTimerService<VoidNamespace> timers;
    private final ListState<Long> kept;
    private long bound = UNKNOWN;

    /**
     * Restores timers and bound; to be called in the operator's {@code initializeState}.
     *
     * @param clock the operator's time service manager; it must have no timers but these
     */
    public PurgeTimers(
            AbstractStreamOperator<?> operator,
            InternalTimeServiceManager<?> clock,
            OperatorStateStore store,
            Purge<K> purge)
            throws Exception {
        this.operator = operator;
        this.clock = clock;
        this.timers =
                operator.getInternalTimerService(TIMERS, VoidNamespaceSerializer.INSTANCE, new Firing<>(this, purge));
        this.kept = store.getUnionListState(new ListStateDescriptor<>(BOUND, LongSerializer.INSTANCE));
        for (long restored : kept.get()) {
            bound = bound == UNKNOWN ? restored : Math.min(bound, restored);
        }
        if (bound != UNKNOWN) {
            kept.update(List.of(bound));
        }
    }

    /** The first partition that is still kept; {@link #UNKNOWN} before the first advance. */
    public long bound() {
        return bound;
    }

    /**
     * Asks for the current key to be purged once the bound is after a partition. Asking twice is asking once. A key kept
     * for several partitions is purged at each of them: keep it anew, or ignore what is not due yet.
     */
    public void keep(long partition) {
        timers.registerEventTimeTimer(VoidNamespace.INSTANCE, partition);
    }

    /** Takes back {@link #keep} of the current key. */
    public void release(long partition) {
        timers.deleteEventTimeTimer(VoidNamespace.INSTANCE, partition);
    }

    /**
     * Moves the bound and purges every key kept for a partition before it. Does nothing if the bound stands there or
     * further. The operator's current key is the same afterwards.
     *
     * @param firstKept the first partition that is not forgotten
     */
    public void advanceTo(long firstKept) throws Exception {
        if (firstKept <= bound) {
            return;
        }
        bound = firstKept;
        kept.update(List.of(firstKept));
        Object key = operator.getCurrentKey();
        clock.advanceWatermark(new Watermark(firstKept - 1));
        if (key != null) {
            operator.setCurrentKey(key);
        }
    }

    /** What to do with a key whose partition is before the bound. */
    @FunctionalInterface
    public interface Purge<K> {
        /**
         * Forgets the key, which is the operator's current one; or keeps it for a partition that is not before the bound.
         *
         * @param partition the one that the key was kept for
         */
        void purge(K key, long partition) throws Exception;
    }

    private record Firing<K>(PurgeTimers<K> owner, Purge<K> purge) implements Triggerable<K, VoidNamespace> {
        @Override
        public void onEventTime(InternalTimer<K, VoidNamespace> timer) throws Exception {
            if (timer.getTimestamp() >= owner.bound) {
                throw new IllegalStateException("A Flink watermark fired the purge timer of partition "
                        + timer.getTimestamp() + " while the bound is " + owner.bound
                        + "; the operator must override processWatermark and only forward the watermark");
            }
            purge.purge(timer.getKey(), timer.getTimestamp());
        }

        @Override
        public void onProcessingTime(InternalTimer<K, VoidNamespace> timer) {
            throw new IllegalStateException("Purge timers know no processing time");
        }
    }
}
