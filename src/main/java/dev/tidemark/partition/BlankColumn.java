package dev.tidemark.partition;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.RowLayout;

/** A column that is null in the cell's truth, because somebody else fills it in; it remembers nothing. */
final class BlankColumn extends ColumnAlgebra<Count> {

    @Override
    Count create() {
        return new Count();
    }

    @Override
    void add(Count into, RowLayout.Cursor row, Member member, DistinctCounts counts) {}

    @Override
    void retract(Count from, RowLayout.Cursor row, Member member, DistinctCounts counts) {}

    @Override
    void result(Count of, RowLayout target, int index, ByteBuilder out) {}
}
