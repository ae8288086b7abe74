package dev.tidemark.wire.flink;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;

/**
 * Purging for state on the heap: the keys by the partition that they are kept for, in lists beside the state. It is not
 * part of checkpoints; at a restore it is built anew from the keys of a state. A released key stays in its list, and its
 * purge finds nothing.
 */
final class PurgeIndex<K> implements Purging<K> {
    /** What the heap backend calls itself. */
    static final String HEAP = "hashmap";

    private final AbstractStreamOperator<?> operator;
    private final ListState<Long> keptBound;
    private final Purge<K> purge;
    private final TreeMap<Long, List<K>> keys = new TreeMap<>();
    private long bound = UNKNOWN;
    private long lastPartition = UNKNOWN;
    private List<K> last = new ArrayList<>();

    private PurgeIndex(AbstractStreamOperator<?> operator, ListState<Long> keptBound, Purge<K> purge) {
        this.operator = operator;
        this.keptBound = keptBound;
        this.purge = purge;
    }

    /** The index of the keys that a state has. */
    static <K> PurgeIndex<K> restored(
            AbstractStreamOperator<?> operator,
            KeyedStateBackend<K> backend,
            ListState<Long> keptBound,
            String state,
            KeptFor<K> keptFor,
            Purge<K> purge)
            throws Exception {
        PurgeIndex<K> index = new PurgeIndex<>(operator, keptBound, purge);
        for (long restored : keptBound.get()) {
            index.bound = restored;
        }
        for (K key : keysOf(backend, state)) {
            operator.setCurrentKey(key);
            index.list(keptFor.partition(key)).add(key);
        }
        return index;
    }

    /** All keys of a state, gathered before anything touches it. */
    static <K> List<K> keysOf(KeyedStateBackend<K> backend, String state) {
        try (var keys = backend.getKeys(state, VoidNamespace.INSTANCE)) {
            return keys.toList();
        }
    }

    @Override
    public long bound() {
        return bound;
    }

    @Override
    @SuppressWarnings("unchecked") // Flink hands out the operator's key untyped
    public void keep(long partition) {
        list(partition).add((K) operator.getCurrentKey());
    }

    @Override
    public void release(long partition) {}

    @Override
    public void advanceTo(long firstKept) throws Exception {
        if (firstKept <= bound) {
            return;
        }
        bound = firstKept;
        keptBound.update(List.of(firstKept));
        Object key = operator.getCurrentKey();
        lastPartition = UNKNOWN;
        for (var due = keys.pollFirstEntry(); due != null; due = keys.pollFirstEntry()) {
            if (due.getKey() >= firstKept) {
                keys.put(due.getKey(), due.getValue());
                break;
            }
            for (K each : due.getValue()) {
                operator.setCurrentKey(each);
                purge.purge(each, due.getKey());
            }
        }
        if (key != null) {
            operator.setCurrentKey(key);
        }
    }

    private List<K> list(long partition) {
        if (partition != lastPartition || partition == UNKNOWN) {
            last = keys.computeIfAbsent(partition, any -> new ArrayList<>());
            lastPartition = partition;
        }
        return last;
    }
}
