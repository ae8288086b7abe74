package dev.tidemark.partition;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.OrderedBytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.FieldType;
import java.math.BigInteger;

/**
 * {@code min} and {@code max}: the least or greatest value that is not null. Equal values are as good as each other, so a
 * contender is a value, as often as members have it; its order is the value itself.
 */
final class ExtremeColumn extends ColumnAlgebra<Head> {
    private final int field;
    private final FieldType type;
    private final Head.Contest contest;
    private final ByteBuilder scratch = new ByteBuilder();

    ExtremeColumn(int field, FieldType type, Head.Contest contest) {
        this.field = field;
        this.type = type;
        this.contest = contest;
    }

    @Override
    Head create() {
        return new Head();
    }

    @Override
    void add(Head into, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (row.isNull(field)) {
            return;
        }
        if (type.isFixed()) {
            long rank = OrderedBytes.ordered(type, row.fixed(field));
            if (!into.passesOver(rank, contest)) {
                into.offer(Head.Entry.ofNothing(rank, Bytes.EMPTY), contest);
            }
            return;
        }
        Bytes order = order(row);
        long rank = prefix(order);
        if (!into.passesOver(rank, contest)) {
            into.offer(Head.Entry.ofNothing(rank, order), contest);
        }
    }

    @Override
    void retract(Head from, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        if (row.isNull(field)) {
            return;
        }
        boolean wasInside;
        if (type.isFixed()) {
            wasInside = from.remove(OrderedBytes.ordered(type, row.fixed(field)), Bytes.EMPTY);
        } else {
            Bytes order = order(row);
            wasInside = from.remove(prefix(order), order);
        }
        if (!wasInside) {
            from.requireOutsiders();
        }
    }

    @Override
    void result(Head of, RowLayout target, int index, ByteBuilder out) {
        Head.Entry best = of.best();
        if (best == null) {
            return;
        }
        byte[] order = best.rest.array();
        if (type.isFixed()) {
            target.putFixed(out, index, OrderedBytes.unordered(type, best.rank));
        } else if (type.kind() == FieldType.Kind.DECIMAL) {
            byte[] unscaled = order.clone();
            unscaled[0] ^= (byte) 0x80;
            target.putDecimal(out, index, new BigInteger(unscaled));
        } else {
            target.putBytes(out, index, order, 0, order.length);
        }
    }

    /** Bytes that order as the values do: decimals need it; the others are their own order. */
    private Bytes order(RowLayout.Cursor row) {
        scratch.clear();
        if (type.kind() == FieldType.Kind.DECIMAL) {
            OrderedBytes.putVariable(scratch, type, row.source(), row.start(field), row.length(field));
        } else {
            scratch.put(row.source(), row.start(field), row.length(field));
        }
        return scratch.build();
    }

    /** The first eight bytes, filled up with zeros: never above another order's if the order is not. */
    private static long prefix(Bytes order) {
        byte[] bytes = order.array();
        long prefix = 0;
        for (int i = 0; i < 8; i++) {
            prefix = (prefix << 8) | (i < bytes.length ? bytes[i] & 0xff : 0);
        }
        return prefix;
    }
}
