package dev.tidemark.partition;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.RowLayout;

/** {@code count}: the members, or those whose field is not null. */
final class CountColumn extends ColumnAlgebra<Count> {
    private static final int MEMBERS = -1;

    private final int field;

    private CountColumn(int field) {
        this.field = field;
    }

    static CountColumn ofMembers() {
        return new CountColumn(MEMBERS);
    }

    static CountColumn ofField(int field) {
        return new CountColumn(field);
    }

    @Override
    Count create() {
        return new Count();
    }

    @Override
    void add(Count into, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (field == MEMBERS || !row.isNull(field)) {
            into.count++;
        }
    }

    @Override
    void retract(Count from, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (field == MEMBERS || !row.isNull(field)) {
            from.count--;
        }
    }

    @Override
    void result(Count of, RowLayout target, int index, ByteBuilder out) {
        target.putFixed(out, index, of.count);
    }
}
