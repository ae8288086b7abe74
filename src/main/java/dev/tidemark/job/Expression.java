package dev.tidemark.job;

import dev.tidemark.job.FieldType.Kind;
import java.io.Serializable;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A typed expression over the fields of a record: SQL's scalars with SQL's three-valued logic. Equal expressions say the
 * same; {@link #sql} writes them in one way only, which PostgreSQL reads as it is meant.
 */
public sealed interface Expression extends Serializable {

    /** The type of its values. */
    FieldType type();

    /** The expression as canonical SQL. */
    String sql();

    /** The fields that it reads, in the order of their first use. */
    default Set<Field> fields() {
        Set<Field> fields = new LinkedHashSet<>();
        visit(part -> {
            if (part instanceof Reference reference) {
                fields.add(reference.field());
            }
        });
        return fields;
    }

    /** Shows this expression and its parts. */
    private void visit(Consumer<Expression> visitor) {
        visitor.accept(this);
        if (this instanceof Call call) {
            call.arguments().forEach(argument -> argument.visit(visitor));
        }
    }

    /** The condition that a boolean field is true. */
    static Expression isTrue(Field field) {
        return new Reference(field);
    }

    /** The condition that a text field is a text. */
    static Expression equalsText(Field field, String text) {
        return new Call(
                Function.EQUAL,
                List.of(new Reference(field), new Literal(FieldType.of(Kind.STRING), text)),
                FieldType.of(Kind.BOOLEAN));
    }

    /** The value of a field. */
    record Reference(Field field) implements Expression {
        private static final Set<String> RESERVED =
                Set.of(("all analyse analyze and any array as asc asymmetric both case cast check collate column"
                                + " constraint create current_date current_role current_time current_timestamp"
                                + " current_user date default deferrable desc distinct do else end except explain false"
                                + " fetch for foreign from grant group having in initially intersect interval into"
                                + " lateral leading limit localtime localtimestamp not null offset on only or order"
                                + " placing primary references returning select session_user some symmetric table then"
                                + " time timestamp to trailing true union unique user using variadic when where window"
                                + " with year quarter month week day hour minute second")
                        .split(" "));

        @Override
        public FieldType type() {
            return field.type();
        }

        /** The name; in quotes if it is no plain one or SQL has the word for itself. */
        @Override
        public String sql() {
            boolean isPlain = ColumnNames.SQL_NAME.matcher(field.name()).matches()
                    && !RESERVED.contains(field.name().toLowerCase(Locale.ROOT));
            return isPlain ? field.name() : '"' + field.name().replace("\"", "\"\"") + '"';
        }
    }

    /**
     * A constant.
     *
     * @param value null; a Boolean; a Long for integers, dates and times in the unit of {@link FieldType}; a BigDecimal; a
     *     Double for both floating-point types; a String for text and uuid
     */
    record Literal(FieldType type, @Nullable Serializable value) implements Expression {
        @Override
        public String sql() {
            if (value == null) {
                return "cast(null as " + type.sql() + ")";
            }
            return switch (type.kind()) {
                case STRING -> quoted(value.toString());
                case BOOLEAN -> value.toString();
                case DATE -> "date '" + LocalDate.ofEpochDay((Long) value) + "'";
                case TIME -> "time '" + LocalTime.ofNanoOfDay((Long) value * 1000) + "'";
                case TIMESTAMP -> "timestamp with time zone '" + local() + "+00'";
                case LOCAL_TIMESTAMP -> "timestamp '" + local() + "'";
                case INT, LONG -> number(value.toString());
                case DECIMAL -> {
                    BigDecimal number = (BigDecimal) value;
                    yield number.scale() > 0
                            ? number(number.toPlainString())
                            : "cast(" + number(number.toPlainString()) + " as " + type.sql() + ")";
                }
                case FLOAT, DOUBLE, UUID, BYTES -> "cast(" + quoted(value.toString()) + " as " + type.sql() + ")";
            };
        }

        private LocalDateTime local() {
            long micros = value == null ? 0 : (Long) value;
            return LocalDateTime.ofEpochSecond(
                    Math.floorDiv(micros, 1_000_000L), (int) Math.floorMod(micros, 1_000_000L) * 1000, ZoneOffset.UTC);
        }

        private static String quoted(String text) {
            return "'" + text.replace("'", "''") + "'";
        }

        private static String number(String digits) {
            return digits.startsWith("-") ? "(" + digits + ")" : digits;
        }
    }

    /** A function or operator of other expressions. */
    record Call(Function function, List<Expression> arguments, FieldType type) implements Expression {
        @Override
        public String sql() {
            List<String> written = arguments.stream().map(Expression::sql).toList();
            return switch (function) {
                case CASE -> {
                    StringBuilder text = new StringBuilder("case");
                    for (int i = 0; i + 1 < written.size(); i += 2) {
                        text.append(" when ")
                                .append(written.get(i))
                                .append(" then ")
                                .append(written.get(i + 1));
                    }
                    yield text.append(" else ")
                            .append(written.get(written.size() - 1))
                            .append(" end")
                            .toString();
                }
                case CAST -> "cast(" + written.get(0) + " as " + type.sql() + ")";
                case IN ->
                    "(" + written.get(0) + " in "
                            + written.stream().skip(1).collect(Collectors.joining(", ", "(", "))"));
                case LIKE ->
                    "(" + written.get(0) + " like " + written.get(1)
                            + (written.size() > 2 ? " escape " + written.get(2) : "") + ")";
                case EXTRACT -> "extract(" + unit() + " from " + written.get(1) + ")";
                default -> function.sql(written);
            };
        }

        private String unit() {
            return arguments.get(0) instanceof Literal literal ? String.valueOf(literal.value()) : "";
        }
    }
}
