package dev.tidemark.partition;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;

/** {@code countDistinct}: the different values of a field that are not null. */
final class DistinctColumn extends ColumnAlgebra<Count> {
    private final int column;
    private final int field;
    private final boolean isFixed;
    private final ByteBuilder scratch = new ByteBuilder();

    DistinctColumn(int column, int field, boolean isFixed) {
        this.column = column;
        this.field = field;
        this.isFixed = isFixed;
    }

    @Override
    Count create() {
        return new Count();
    }

    @Override
    void add(Count into, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (!row.isNull(field) && counts.increment(value(row)) == 1) {
            into.count++;
        }
    }

    @Override
    void retract(Count from, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (!row.isNull(field) && counts.decrement(value(row)) == 0) {
            from.count--;
        }
    }

    @Override
    void result(Count of, RowLayout target, int index, ByteBuilder out) {
        target.putFixed(out, index, of.count);
    }

    private Bytes value(RowLayout.Cursor row) {
        scratch.clear();
        scratch.putVarint(column);
        if (isFixed) {
            scratch.putLong(row.fixed(field));
        } else {
            scratch.put(row.source(), row.start(field), row.length(field));
        }
        return scratch.build();
    }
}
