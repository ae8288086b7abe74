package dev.tidemark.partition;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.RowLayout;

/** {@code sum} and {@code avg} of floating-point values: exact, the result rounded once. */
final class FloatSumColumn extends ColumnAlgebra<FloatSum> {
    private final int field;
    private final boolean isAverage;

    private FloatSumColumn(int field, boolean isAverage) {
        this.field = field;
        this.isAverage = isAverage;
    }

    static FloatSumColumn sum(int field) {
        return new FloatSumColumn(field, false);
    }

    static FloatSumColumn average(int field) {
        return new FloatSumColumn(field, true);
    }

    @Override
    FloatSum create() {
        return new FloatSum();
    }

    @Override
    void add(FloatSum into, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (!row.isNull(field)) {
            into.count++;
            into.add(row.fixed(field));
        }
    }

    @Override
    void retract(FloatSum from, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (!row.isNull(field)) {
            from.count--;
            from.subtract(row.fixed(field));
        }
    }

    @Override
    void result(FloatSum of, RowLayout target, int index, ByteBuilder out) {
        if (of.count > 0) {
            double result = isAverage ? of.average() : of.sum();
            // A rounded zero has no sign: -0.0 is 0.0 everywhere.
            target.putFixed(out, index, Double.doubleToLongBits(result == 0.0 ? 0.0 : result));
        }
    }
}
