package dev.tidemark.partition;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.FieldType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** {@code sum} and {@code avg} of integers and decimals: exact, the average rounded once, half up. */
final class IntegerSumColumn extends ColumnAlgebra<IntegerSum> {
    private final int field;
    private final FieldType type;
    private final FieldType resultType;
    private final boolean isAverage;

    private IntegerSumColumn(int field, FieldType type, FieldType resultType, boolean isAverage) {
        this.field = field;
        this.type = type;
        this.resultType = resultType;
        this.isAverage = isAverage;
    }

    static IntegerSumColumn sum(int field, FieldType type, FieldType resultType) {
        return new IntegerSumColumn(field, type, resultType, false);
    }

    static IntegerSumColumn average(int field, FieldType type, FieldType resultType) {
        return new IntegerSumColumn(field, type, resultType, true);
    }

    @Override
    IntegerSum create() {
        return new IntegerSum();
    }

    @Override
    void add(IntegerSum into, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (row.isNull(field)) {
            return;
        }
        into.count++;
        if (type.isFixed()) {
            into.add(row.fixed(field));
        } else {
            into.add(row.source(), row.start(field), row.length(field));
        }
    }

    @Override
    void retract(IntegerSum from, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (row.isNull(field)) {
            return;
        }
        from.count--;
        if (type.isFixed()) {
            from.subtract(row.fixed(field));
        } else {
            from.subtract(row.source(), row.start(field), row.length(field));
        }
    }

    @Override
    void result(IntegerSum of, RowLayout target, int index, ByteBuilder out) {
        if (of.count == 0) {
            return;
        }
        BigInteger unscaled = isAverage ? average(of) : of.sum();
        if (resultType.kind() == FieldType.Kind.LONG) {
            target.putFixed(out, index, unscaled.longValueExact());
        } else {
            target.putDecimal(out, index, unscaled);
        }
    }

    private BigInteger average(IntegerSum of) {
        return new BigDecimal(of.sum(), type.scale())
                .divide(BigDecimal.valueOf(of.count), resultType.scale(), RoundingMode.HALF_UP)
                .unscaledValue();
    }
}
