package dev.tidemark.partition;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.OrderedBytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.FieldType;
import java.util.List;

/**
 * {@code latest} and {@code first}: the field of the member that is greatest, or least, by event time, then the order
 * fields (nulls lowest), then version, then position. One whole row wins: if its field is null, so is the result.
 */
final class WinnerColumn extends ColumnAlgebra<Head> {
    private static final FieldType TEXT = FieldType.of(FieldType.Kind.STRING);

    private final int field;
    private final FieldType type;
    private final int[] orderFields;
    private final FieldType[] orderTypes;
    private final Head.Contest contest;
    private final ByteBuilder scratch = new ByteBuilder();
    private String lastLog = "";
    private Bytes lastLogBytes = Bytes.EMPTY;

    /**
     * @param orderFields where in a row the order fields lie
     * @param orderTypes their types
     */
    WinnerColumn(
            int field, FieldType type, List<Integer> orderFields, List<FieldType> orderTypes, Head.Contest contest) {
        this.field = field;
        this.type = type;
        this.orderFields = orderFields.stream().mapToInt(Integer::intValue).toArray();
        this.orderTypes = orderTypes.toArray(new FieldType[0]);
        this.contest = contest;
    }

    @Override
    Head create() {
        return new Head();
    }

    @Override
    void add(Head into, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        long rank = rank(member);
        if (into.passesOver(rank, contest)) {
            return;
        }
        Bytes rest = rest(row, member);
        Head.Entry entry;
        if (row.isNull(field)) {
            entry = Head.Entry.ofNothing(rank, rest);
        } else if (type.isFixed()) {
            entry = Head.Entry.ofFixed(rank, rest, row.fixed(field));
        } else {
            scratch.clear();
            scratch.put(row.source(), row.start(field), row.length(field));
            entry = Head.Entry.ofVariable(rank, rest, scratch.build());
        }
        into.offer(entry, contest);
    }

    @Override
    void retract(Head from, RowLayout.Cursor row, Member member, DistinctCounts counts) {
        long rank = rank(member);
        if (!from.holds(rank) || !from.remove(rank, rest(row, member))) {
            from.requireOutsiders();
        }
    }

    @Override
    void result(Head of, RowLayout target, int index, ByteBuilder out) {
        Head.Entry best = of.best();
        if (best == null || !best.isPresent) {
            return;
        }
        if (best.variable == null) {
            target.putFixed(out, index, best.fixed);
        } else {
            target.putBytes(out, index, best.variable.array(), 0, best.variable.length());
        }
    }

    private static long rank(Member member) {
        return member.eventTime() ^ Long.MIN_VALUE;
    }

    private Bytes rest(RowLayout.Cursor row, Member member) {
        scratch.clear();
        for (int i = 0; i < orderFields.length; i++) {
            int at = orderFields[i];
            if (row.isNull(at)) {
                scratch.put(0);
                continue;
            }
            scratch.put(1);
            if (orderTypes[i].isFixed()) {
                scratch.putLong(OrderedBytes.ordered(orderTypes[i], row.fixed(at)));
            } else {
                OrderedBytes.putVariable(scratch, orderTypes[i], row.source(), row.start(at), row.length(at));
            }
        }
        scratch.put(member.version().array(), 0, member.version().length());
        if (!member.log().equals(lastLog)) {
            lastLog = member.log();
            lastLogBytes = Bytes.utf8(lastLog);
        }
        OrderedBytes.putVariable(scratch, TEXT, lastLogBytes.array(), 0, lastLogBytes.length());
        scratch.putLong(member.sequence() ^ Long.MIN_VALUE);
        return scratch.build();
    }
}
