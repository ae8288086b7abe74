package dev.tidemark.job;

import dev.tidemark.job.Expression.Literal;
import dev.tidemark.job.FieldType.Kind;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules of types in expressions, which are PostgreSQL's, with one addition: where PostgreSQL's numeric is boundless, a
 * bound for its digits is stated that no value exceeds.
 */
final class Types {
    /** The most digits that PostgreSQL's numeric can declare. */
    static final int GREATEST_PRECISION = 1000;

    static final List<String> TRUNCATIONS =
            List.of("second", "minute", "hour", "day", "week", "month", "quarter", "year");

    /** Types by their names in SQL. */
    static final Map<String, Kind> KINDS = Map.ofEntries(
            Map.entry("boolean", Kind.BOOLEAN),
            Map.entry("bool", Kind.BOOLEAN),
            Map.entry("int", Kind.INT),
            Map.entry("integer", Kind.INT),
            Map.entry("bigint", Kind.LONG),
            Map.entry("real", Kind.FLOAT),
            Map.entry("double", Kind.DOUBLE),
            Map.entry("double precision", Kind.DOUBLE),
            Map.entry("decimal", Kind.DECIMAL),
            Map.entry("numeric", Kind.DECIMAL),
            Map.entry("text", Kind.STRING),
            Map.entry("varchar", Kind.STRING),
            Map.entry("date", Kind.DATE),
            Map.entry("time", Kind.TIME),
            Map.entry("timestamp", Kind.LOCAL_TIMESTAMP),
            Map.entry("timestamp with time zone", Kind.TIMESTAMP),
            Map.entry("timestamptz", Kind.TIMESTAMP),
            Map.entry("uuid", Kind.UUID));

    private static final List<String> DATE_UNITS =
            List.of("year", "isoyear", "quarter", "month", "week", "day", "doy", "dow", "isodow");
    private static final List<String> TIME_UNITS = List.of("hour", "minute", "second");

    private static final int INT_DIGITS = 10;
    private static final int LONG_DIGITS = 19;
    private static final int GREATEST_SCALE = 1000;

    private Types() {}

    static boolean isNumber(FieldType type) {
        return isInteger(type) || type.kind() == Kind.DECIMAL || type.isFloatingPoint();
    }

    private static boolean isInteger(FieldType type) {
        return type.kind() == Kind.INT || type.kind() == Kind.LONG;
    }

    private static boolean isDay(FieldType type) {
        return type.kind() == Kind.DATE || type.kind() == Kind.TIMESTAMP || type.kind() == Kind.LOCAL_TIMESTAMP;
    }

    /** The decimal that holds every value of an exact number. */
    static FieldType exact(FieldType type) {
        return switch (type.kind()) {
            case INT -> FieldType.decimal(INT_DIGITS, 0);
            case LONG -> FieldType.decimal(LONG_DIGITS, 0);
            default -> type;
        };
    }

    static boolean areComparable(FieldType one, FieldType other) {
        return one.kind() == other.kind() || (isNumber(one) && isNumber(other)) || (isDay(one) && isDay(other));
    }

    /** The type that values of both take on; null: there is none. */
    static @Nullable FieldType common(FieldType one, FieldType other) {
        if (one.equals(other)) {
            return one;
        }
        if (isNumber(one) && isNumber(other)) {
            if (one.kind() == Kind.DOUBLE || other.kind() == Kind.DOUBLE) {
                return FieldType.of(Kind.DOUBLE);
            }
            if (one.kind() == Kind.FLOAT || other.kind() == Kind.FLOAT) {
                return FieldType.of(Kind.FLOAT);
            }
            if (isInteger(one) && isInteger(other)) {
                return FieldType.of(Kind.LONG);
            }
            FieldType left = exact(one);
            FieldType right = exact(other);
            int scale = Math.max(left.scale(), right.scale());
            int whole = Math.max(left.precision() - left.scale(), right.precision() - right.scale());
            return FieldType.decimal(whole + scale, scale);
        }
        if (isDay(one) && isDay(other)) {
            boolean isInstant = one.kind() == Kind.TIMESTAMP || other.kind() == Kind.TIMESTAMP;
            return FieldType.of(isInstant ? Kind.TIMESTAMP : Kind.LOCAL_TIMESTAMP);
        }
        return null;
    }

    /** The type of arithmetic of two numbers; null: it is not known. */
    static @Nullable FieldType ofArithmetic(Function function, FieldType one, FieldType other) {
        if (one.isFloatingPoint() || other.isFloatingPoint()) {
            boolean isSingle = one.kind() == Kind.FLOAT && other.kind() == Kind.FLOAT;
            return function == Function.REMAINDER ? null : FieldType.of(isSingle ? Kind.FLOAT : Kind.DOUBLE);
        }
        if (isInteger(one) && isInteger(other)) {
            return FieldType.of(one.kind() == Kind.INT && other.kind() == Kind.INT ? Kind.INT : Kind.LONG);
        }
        FieldType left = exact(one);
        FieldType right = exact(other);
        int scale = Math.max(left.scale(), right.scale());
        int leftWhole = left.precision() - left.scale();
        int rightWhole = right.precision() - right.scale();
        return switch (function) {
            case ADD, SUBTRACT -> FieldType.decimal(Math.max(leftWhole, rightWhole) + 1 + scale, scale);
            case MULTIPLY -> FieldType.decimal(left.precision() + right.precision(), left.scale() + right.scale());
            case REMAINDER -> FieldType.decimal(Math.max(Math.min(leftWhole, rightWhole), 1) + scale, scale);
            case DIVIDE -> quotient(left, right);
            default -> null;
        };
    }

    /**
     * A bound for PostgreSQL's division of numerics, which gives at least 16 significant digits and at least the scales
     * of both sides: how many digits that are depends on the values.
     */
    private static FieldType quotient(FieldType left, FieldType right) {
        int leastWeight = -Math.floorDiv(left.scale() + 3, 4);
        int greatestWeight = Math.floorDiv(right.precision() - right.scale() - 1, 4);
        int scale = 16 - 4 * (leastWeight - greatestWeight - 1);
        scale = Math.min(Math.max(scale, Math.max(left.scale(), right.scale())), GREATEST_SCALE);
        int whole = Math.max(left.precision() - left.scale(), 0) + right.scale() + 1;
        return FieldType.decimal(whole + scale, scale);
    }

    /** Days added to a date, or between two; null: it is not known. */
    static @Nullable FieldType ofDays(Function function, FieldType one, FieldType other) {
        boolean isLeft = one.kind() == Kind.DATE;
        boolean isRight = other.kind() == Kind.DATE;
        if (function == Function.SUBTRACT && isLeft && isRight) {
            return FieldType.of(Kind.INT);
        }
        if (isLeft && other.kind() == Kind.INT && (function == Function.ADD || function == Function.SUBTRACT)) {
            return one;
        }
        return isRight && one.kind() == Kind.INT && function == Function.ADD ? other : null;
    }

    /** What can be extracted of a kind of time. */
    static List<String> units(Kind kind) {
        return switch (kind) {
            case DATE -> DATE_UNITS;
            case TIME -> TIME_UNITS;
            case LOCAL_TIMESTAMP, TIMESTAMP ->
                java.util.stream.Stream.of(DATE_UNITS, TIME_UNITS, List.of("epoch"))
                        .flatMap(List::stream)
                        .toList();
            default -> List.of();
        };
    }

    static boolean isCast(Kind from, Kind to) {
        return from == to || castsOf(from).contains(to);
    }

    /** The kinds that a kind can be cast to, for people. */
    static String casts(Kind from) {
        Set<Kind> kinds = castsOf(from);
        return kinds.isEmpty()
                ? "none"
                : Arrays.stream(Kind.values())
                        .filter(kinds::contains)
                        .map(kind -> FieldType.of(kind)
                                .sql()
                                .toLowerCase(Locale.ROOT)
                                .replace("(0,0)", ""))
                        .collect(Collectors.joining(", "));
    }

    private static Set<Kind> castsOf(Kind from) {
        return switch (from) {
            case BOOLEAN -> EnumSet.of(Kind.INT, Kind.STRING);
            case INT -> EnumSet.of(Kind.BOOLEAN, Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL, Kind.STRING);
            case LONG, DECIMAL -> EnumSet.of(Kind.INT, Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL, Kind.STRING);
            case FLOAT, DOUBLE -> EnumSet.of(Kind.INT, Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL);
            case STRING ->
                EnumSet.of(
                        Kind.BOOLEAN,
                        Kind.INT,
                        Kind.LONG,
                        Kind.FLOAT,
                        Kind.DOUBLE,
                        Kind.DECIMAL,
                        Kind.DATE,
                        Kind.TIME,
                        Kind.TIMESTAMP,
                        Kind.LOCAL_TIMESTAMP,
                        Kind.UUID);
            case DATE -> EnumSet.of(Kind.STRING, Kind.TIMESTAMP, Kind.LOCAL_TIMESTAMP);
            case TIMESTAMP -> EnumSet.of(Kind.DATE, Kind.TIME, Kind.LOCAL_TIMESTAMP);
            case LOCAL_TIMESTAMP -> EnumSet.of(Kind.DATE, Kind.TIME, Kind.TIMESTAMP);
            case UUID -> EnumSet.of(Kind.STRING);
            case TIME, BYTES -> EnumSet.noneOf(Kind.class);
        };
    }

    /** A text as a constant of a type; null if it is none. A decimal keeps the digits that are written. */
    static @Nullable Literal valueOf(String text, FieldType type) {
        Serializable value = switch (type.kind()) {
            case STRING -> text;
            case BOOLEAN -> TextValues.truth(text);
            case INT -> {
                OptionalLong integer = TextValues.integer(text);
                boolean fits = integer.isPresent() && integer.getAsLong() == (int) integer.getAsLong();
                yield fits ? (Long) integer.getAsLong() : null;
            }
            case LONG -> boxed(TextValues.integer(text));
            case DECIMAL -> TextValues.number(text);
            case FLOAT -> {
                BigDecimal number = TextValues.number(text);
                yield number == null ? null : (Double) (double) number.floatValue();
            }
            case DOUBLE -> {
                BigDecimal number = TextValues.number(text);
                yield number == null ? null : (Double) number.doubleValue();
            }
            case DATE -> boxed(TextValues.date(text));
            case TIME -> boxed(TextValues.time(text));
            case TIMESTAMP -> instant(text);
            case LOCAL_TIMESTAMP -> {
                TextValues.Timestamp timestamp = TextValues.timestamp(text);
                yield timestamp == null ? null : (Long) timestamp.local();
            }
            case UUID -> TextValues.isUuid(text) ? text.strip().toLowerCase(Locale.ROOT) : null;
            case BYTES -> null;
        };
        if (value == null || (value instanceof Double number && !Double.isFinite(number))) {
            return null;
        }
        if (value instanceof BigDecimal number) {
            BigDecimal plain = number.scale() < 0 ? number.setScale(0, RoundingMode.UNNECESSARY) : number;
            return new Literal(FieldType.decimal(Math.max(plain.precision(), plain.scale() + 1), plain.scale()), plain);
        }
        return new Literal(type, value);
    }

    private static @Nullable Long instant(String text) {
        TextValues.Timestamp timestamp = TextValues.timestamp(text);
        Integer offset = timestamp == null ? null : timestamp.offsetSeconds();
        return timestamp == null || offset == null ? null : timestamp.local() - offset * 1_000_000L;
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }
}
