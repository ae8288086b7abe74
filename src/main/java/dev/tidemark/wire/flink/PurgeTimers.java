package dev.tidemark.wire.flink;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
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
public final class PurgeTimers<K> implements Purging<K> {
    /** The name of the timers in the keyed state. */
    public static final String TIMERS = "purge-timers";
    /** The name of the bound in the operator's state. */
    public static final String BOUND = "purge-bound";

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

    @Override
    public long bound() {
        return bound;
    }

    @Override
    public void keep(long partition) {
        timers.registerEventTimeTimer(VoidNamespace.INSTANCE, partition);
    }

    @Override
    public void release(long partition) {
        timers.deleteEventTimeTimer(VoidNamespace.INSTANCE, partition);
    }

    @Override
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

    /** The state that holds the bound. */
    ListState<Long> kept() {
        return kept;
    }

    boolean isEmpty() throws Exception {
        boolean[] any = new boolean[1];
        timers.forEachEventTimeTimer((namespace, time) -> any[0] = true);
        return !any[0];
    }

    /** Keeps every key that a state has: for a checkpoint that was written without timers. */
    void keepAll(KeyedStateBackend<K> backend, String state, KeptFor<K> keptFor) throws Exception {
        for (K key : PurgeIndex.keysOf(backend, state)) {
            operator.setCurrentKey(key);
            keep(keptFor.partition(key));
        }
    }

    /** Forgets all timers, without purging anything. */
    void discardAll() throws Exception {
        List<Runnable> deletions = new ArrayList<>();
        timers.forEachEventTimeTimer((namespace, time) -> {
            Object key = operator.getCurrentKey();
            deletions.add(() -> {
                operator.setCurrentKey(key);
                timers.deleteEventTimeTimer(VoidNamespace.INSTANCE, time);
            });
        });
        deletions.forEach(Runnable::run);
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
