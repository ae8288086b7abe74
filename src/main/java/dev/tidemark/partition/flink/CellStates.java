package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.partition.CellAlgebra;
import dev.tidemark.partition.CellState;
import dev.tidemark.partition.DistinctCounts;
import dev.tidemark.partition.Member;
import dev.tidemark.partition.Members;
import dev.tidemark.wire.flink.BytesSerializer;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * The state of the {@link CellOperator}, keyed by cell. Only the operator touches it; it clears all of a cell when the
 * cell has lost its last member (at the flush before a barrier), and when its partition is purged.
 *
 * <table>
 *   <caption>States</caption>
 *   <tr><th>name</th><th>written</th><th>size</th></tr>
 *   <tr><td>{@value #CELLS}</td><td>at the flush, for each changed cell</td><td>one a cell: some ten bytes a column, for a
 *     selective column of an upsert job up to eight contenders</td></tr>
 *   <tr><td>{@value #MEMBERS}</td><td>with each contribution, if the job retracts and has selective columns</td><td>one
 *     a member</td></tr>
 *   <tr><td>{@value #DISTINCT}</td><td>with each contribution, if a column counts distinct values</td><td>one a value
 *     and column</td></tr>
 * </table>
 *
 * <p>Besides, {@link dev.tidemark.wire.flink.Purging} keeps one entry a cell.
 */
final class CellStates {
    static final String CELLS = "cells";
    static final String MEMBERS = "members";
    static final String DISTINCT = "distinct";

    private final ValueState<CellState> cells;
    private final Members members;
    private final DistinctCounts distinct;

    CellStates(KeyedStateStore store, JobPlan plan, CellAlgebra algebra) {
        cells = store.getState(new ValueStateDescriptor<>(CELLS, new CellStateSerializer(algebra.shape())));
        members = plan.keepsMembers()
                ? new KeptMembers(store.getMapState(
                        new MapStateDescriptor<>(MEMBERS, BytesSerializer.INSTANCE, new MemberSerializer())))
                : Members.NONE;
        boolean countsDistinct =
                plan.target().columns().stream().anyMatch(column -> column.function() == Aggregate.COUNT_DISTINCT);
        distinct = countsDistinct
                ? new KeptCounts(store.getMapState(
                        new MapStateDescriptor<>(DISTINCT, BytesSerializer.INSTANCE, LongSerializer.INSTANCE)))
                : DistinctCounts.NONE;
    }

    ValueState<CellState> cells() {
        return cells;
    }

    Members members() {
        return members;
    }

    DistinctCounts distinct() {
        return distinct;
    }

    /** Forgets the current cell. */
    void clear() {
        cells.clear();
        if (members instanceof KeptMembers kept) {
            kept.state.clear();
        }
        if (distinct instanceof KeptCounts kept) {
            kept.state.clear();
        }
    }

    private record KeptMembers(MapState<Bytes, Member> state) implements Members {
        @Override
        public void put(Member member) {
            try {
                state.put(member.recordId(), member);
            } catch (Exception e) {
                throw new FlinkRuntimeException("Could not write the state " + MEMBERS, e);
            }
        }

        @Override
        public void remove(Bytes recordId) {
            try {
                state.remove(recordId);
            } catch (Exception e) {
                throw new FlinkRuntimeException("Could not write the state " + MEMBERS, e);
            }
        }

        @Override
        public void forEach(Consumer<Member> action) {
            try {
                state.values().forEach(action);
            } catch (Exception e) {
                throw new FlinkRuntimeException("Could not read the state " + MEMBERS, e);
            }
        }
    }

    private record KeptCounts(MapState<Bytes, Long> state) implements DistinctCounts {
        @Override
        public long increment(Bytes value) {
            long now = 1 + read(value);
            write(value, now);
            return now;
        }

        @Override
        public long decrement(Bytes value) {
            long now = read(value) - 1;
            if (now < 0) {
                throw new IllegalStateException("a value is taken out that was never put in");
            }
            write(value, now);
            return now;
        }

        private long read(Bytes value) {
            try {
                Long count = state.get(value);
                return count == null ? 0 : count;
            } catch (Exception e) {
                throw new FlinkRuntimeException("Could not read the state " + DISTINCT, e);
            }
        }

        private void write(Bytes value, long count) {
            try {
                if (count == 0) {
                    state.remove(value);
                } else {
                    state.put(value, count);
                }
            } catch (Exception e) {
                throw new FlinkRuntimeException("Could not write the state " + DISTINCT, e);
            }
        }
    }
}
