package dev.tidemark.partition.flink;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.partition.CellAlgebra;
import dev.tidemark.partition.CellState;
import dev.tidemark.partition.DistinctCounts;
import dev.tidemark.partition.Layers;
import dev.tidemark.partition.Members;
import dev.tidemark.wire.flink.BytesSerializer;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.jspecify.annotations.Nullable;

/**
 * The state of the {@link CellOperator}, keyed by cell. Only the operator touches it; it clears all of a cell when the
 * cell has lost its last member, shown or withheld (at the flush before a barrier), and when its partition is purged.
 *
 * <table>
 *   <caption>States</caption>
 *   <tr><th>name</th><th>written</th><th>size</th></tr>
 *   <tr><td>{@value #CELLS}</td><td>at the flush, for each changed cell</td><td>one a cell: some ten bytes a column, for a
 *     selective column of an upsert job up to eight contenders; twice that if its truths differ</td></tr>
 *   <tr><td>{@value #MEMBERS}</td><td>with each contribution, if the job retracts and has selective columns</td><td>one
 *     a member</td></tr>
 *   <tr><td>{@value #DISTINCT}</td><td>with each contribution, if a column counts distinct values</td><td>one a value
 *     and column</td></tr>
 *   <tr><td>{@value #WITHHELD_MEMBERS}</td><td>with each contribution to a cell whose truths differ</td><td>one a member
 *     that only one of them has</td></tr>
 *   <tr><td>{@value #WITHHELD_DISTINCT}</td><td>likewise</td><td>one a value that they have in different numbers</td></tr>
 * </table>
 *
 * <p>Besides, {@link dev.tidemark.wire.flink.Purging} keeps one entry a cell.
 */
final class CellStates {
    static final String CELLS = "cells";
    static final String MEMBERS = "members";
    static final String DISTINCT = "distinct";
    static final String WITHHELD_MEMBERS = "withheld-members";
    static final String WITHHELD_DISTINCT = "withheld-distinct";

    private final ValueState<CellState> cells;
    private final Layers layers;
    private final Members members;
    private final DistinctCounts distinct;

    CellStates(KeyedStateStore store, JobPlan plan, CellAlgebra algebra) {
        cells = store.getState(new ValueStateDescriptor<>(CELLS, new CellStateSerializer(algebra.shape())));
        boolean countsDistinct = plan.target().columns().stream()
                .anyMatch(column -> column.function().ofCell() == Aggregate.COUNT_DISTINCT);
        layers = new Layers(
                plan.keepsMembers() ? entries(store, MEMBERS, new MemberSerializer()) : null,
                plan.keepsMembers() ? entries(store, WITHHELD_MEMBERS, new SubstituteSerializer()) : null,
                countsDistinct ? entries(store, DISTINCT, LongSerializer.INSTANCE) : null,
                countsDistinct ? entries(store, WITHHELD_DISTINCT, LongSerializer.INSTANCE) : null);
        members = layers.alone();
        distinct = layers.countsAlone();
    }

    private static <V> StateEntries<V> entries(KeyedStateStore store, String name, TypeSerializer<V> values) {
        return new StateEntries<>(store, name, BytesSerializer.INSTANCE, values);
    }

    ValueState<CellState> cells() {
        return cells;
    }

    /** The members of the published truth. */
    Members members() {
        return members;
    }

    /** The counts of a cell that has one truth. */
    DistinctCounts distinct() {
        return distinct;
    }

    /** Members and counts of a cell that has two. */
    Layers layers() {
        return layers;
    }

    /**
     * Forgets the current cell.
     *
     * @param state what is known of it; null: what the backend has
     */
    void clear(@Nullable CellState state) throws Exception {
        CellState known = state == null ? cells.value() : state;
        if (known != null && known.isLayered()) {
            layers.forgetWithheld();
        }
        cells.clear();
        layers.clear();
    }
}
