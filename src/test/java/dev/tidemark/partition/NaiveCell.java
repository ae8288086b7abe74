package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The definition of a cell's values, computed from all members, shortest way. */
public final class NaiveCell {
    private NaiveCell() {}

    /** A member with its row as objects. */
    public record Seen(Member member, Map<Field, Object> row) {
        /** Of a row; the hash is any function of id and version. */
        public static Seen of(
                JobPlan plan, String id, String version, String log, long sequence, long time, Map<Field, Object> row) {
            List<@Nullable Object> values = new ArrayList<>();
            plan.rowFields().forEach(field -> values.add(row.get(field)));
            Bytes encoded = Rows.encode(RowLayout.ofFields(plan.rowFields()), values);
            long hash = (id + "\0" + version).hashCode() * 0x9E37_79B9_7F4A_7C15L;
            return new Seen(new Member(Bytes.utf8(id), Bytes.utf8(version), log, sequence, time, encoded, hash), row);
        }
    }

    /** The values of the target's columns; byte arrays as {@link Bytes}. */
    public static List<@Nullable Object> values(JobPlan plan, Collection<Seen> members) {
        List<@Nullable Object> values = new ArrayList<>();
        for (ValueColumn column : plan.target().columns()) {
            values.add(comparable(value(column, members)));
        }
        return values;
    }

    /** Makes what was exported comparable with {@link #values}. */
    public static List<@Nullable Object> comparable(List<? extends @Nullable Object> values) {
        List<@Nullable Object> result = new ArrayList<>();
        values.forEach(value -> result.add(comparable(value)));
        return result;
    }

    private static @Nullable Object comparable(@Nullable Object value) {
        return value instanceof byte[] bytes ? Bytes.of(bytes) : value;
    }

    private static @Nullable Object value(ValueColumn column, Collection<Seen> members) {
        Field field = column.field();
        if (field == null) {
            return (long) members.size();
        }
        Aggregate function = column.function();
        if (function == Aggregate.FIRST || function == Aggregate.LATEST) {
            Comparator<Seen> order = order(column.order());
            return members.stream()
                    .max(function == Aggregate.LATEST ? order : order.reversed())
                    .map(winner -> winner.row().get(field))
                    .orElse(null);
        }
        List<Object> present = members.stream()
                .map(member -> member.row().get(field))
                .filter(Objects::nonNull)
                .toList();
        return switch (function.ofCell()) {
            case COUNT -> (long) present.size();
            case COUNT_DISTINCT ->
                present.stream().map(NaiveCell::comparable).distinct().count();
            case MIN -> present.stream().min(NaiveCell::compare).orElse(null);
            case MAX -> present.stream().max(NaiveCell::compare).orElse(null);
            default -> present.isEmpty() ? null : sumOrAverage(column, field, present);
        };
    }

    private static Object sumOrAverage(ValueColumn column, Field field, List<Object> present) {
        BigDecimal sum = BigDecimal.ZERO;
        for (Object value : present) {
            sum = sum.add(decimal(value));
        }
        BigDecimal count = BigDecimal.valueOf(present.size());
        if (field.type().isFloatingPoint()) {
            return column.function().ofCell() == Aggregate.SUM
                    ? sum.doubleValue() + 0.0
                    // So many digits that a tie is seen as one and a near tie is not taken for one.
                    : sum.divide(count, new MathContext(1200, RoundingMode.DOWN))
                                    .doubleValue()
                            + 0.0;
        }
        if (column.function() == Aggregate.AVG) {
            return sum.divide(count, column.type().scale(), RoundingMode.HALF_UP);
        }
        return column.type().kind() == Kind.LONG
                ? (Object) sum.longValueExact()
                : sum.setScale(column.type().scale(), RoundingMode.UNNECESSARY);
    }

    private static BigDecimal decimal(Object value) {
        if (value instanceof BigDecimal decimal) {
            return decimal;
        }
        return value instanceof Float || value instanceof Double
                ? new BigDecimal(((Number) value).doubleValue())
                : BigDecimal.valueOf(((Number) value).longValue());
    }

    private static Comparator<Seen> order(List<Field> fields) {
        Comparator<Seen> order = Comparator.comparingLong(seen -> seen.member().eventTime());
        for (Field field : fields) {
            order = order.thenComparing(seen -> seen.row().get(field), Comparator.nullsFirst(NaiveCell::compare));
        }
        return order.thenComparing(seen -> seen.member().version())
                .thenComparing(seen -> Bytes.utf8(seen.member().log()))
                .thenComparingLong(seen -> seen.member().sequence());
    }

    @SuppressWarnings("unchecked")
    private static int compare(Object one, Object other) {
        if (one instanceof String text) {
            return Bytes.utf8(text).compareTo(Bytes.utf8((String) other));
        }
        if (one instanceof byte[] bytes) {
            return Arrays.compareUnsigned(bytes, (byte[]) other);
        }
        if (one instanceof UUID uuid) {
            return Arrays.compareUnsigned(Rows.bytes(uuid), Rows.bytes((UUID) other));
        }
        return ((Comparable<Object>) one).compareTo(other);
    }
}
