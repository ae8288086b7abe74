package dev.tidemark.partition;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.RowLayout;

/** A column that sees only the members for which a boolean field of their row is true. */
final class ConditionalColumn<A extends Accumulator> extends ColumnAlgebra<A> {
    private final ColumnAlgebra<A> column;
    private final int condition;

    ConditionalColumn(ColumnAlgebra<A> column, int condition) {
        this.column = column;
        this.condition = condition;
    }

    @Override
    A create() {
        return column.create();
    }

    @Override
    void add(A into, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (sees(row)) {
            column.add(into, row, member, counts);
        }
    }

    @Override
    void retract(A from, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (sees(row)) {
            column.retract(from, row, member, counts);
        }
    }

    @Override
    void result(A of, RowLayout target, int index, ByteBuilder out) {
        column.result(of, target, index, out);
    }

    private boolean sees(RowLayout.Cursor row) {
        return !row.isNull(condition) && row.fixed(condition) != 0;
    }
}
