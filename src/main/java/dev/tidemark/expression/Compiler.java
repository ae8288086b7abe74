package dev.tidemark.expression;

import dev.tidemark.expression.Leaves.Constant;
import dev.tidemark.job.Expression;
import dev.tidemark.job.Expression.Call;
import dev.tidemark.job.Expression.Literal;
import dev.tidemark.job.Expression.Reference;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.Function;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Makes evaluators of typed expressions: each node for what it is given, conversions between types put in. */
final class Compiler {
    private static final FieldType TEXT = FieldType.of(Kind.STRING);

    private final Map<Field, Integer> slots;
    private final LocalClock clock;

    /**
     * A compiler for records whose fields lie in those slots.
     *
     * @param zone in which instants have dates
     */
    Compiler(Map<Field, Integer> slots, ZoneId zone) {
        this.slots = slots;
        this.clock = new LocalClock(zone);
    }

    /** The evaluator of an expression, in the form of its type. */
    Evaluator compile(Expression expression) {
        if (expression instanceof Reference reference) {
            return field(reference.field());
        }
        if (expression instanceof Literal literal) {
            return constant(literal);
        }
        return call((Call) expression);
    }

    private int slot(Field field) {
        Integer slot = slots.get(field);
        if (slot == null) {
            throw new IllegalArgumentException("field '" + field.name() + "' is not read");
        }
        return slot;
    }

    private Evaluator field(Field field) {
        int slot = slot(field);
        FieldType type = field.type();
        return switch (type.kind()) {
            case DECIMAL ->
                type.isFixed() ? new Leaves.DecimalField(slot, type.scale()) : new Leaves.WideField(slot, type.scale());
            case FLOAT, DOUBLE -> new Leaves.FloatingField(slot);
            case STRING, BYTES, UUID -> new Leaves.VariableField(slot);
            default -> new Leaves.FixedField(slot);
        };
    }

    private static Evaluator constant(Literal literal) {
        Serializable value = literal.value();
        if (value == null) {
            return Constant.none();
        }
        if (value instanceof Boolean truth) {
            return Constant.ofFixed(truth ? 1 : 0);
        }
        if (value instanceof Long number) {
            return Constant.ofFixed(number);
        }
        if (value instanceof Double number) {
            return Constant.ofFloating(number);
        }
        if (value instanceof BigDecimal number) {
            return Constant.ofDecimal(number);
        }
        String text = value.toString();
        if (literal.type().kind() == Kind.UUID) {
            UUID uuid = UUID.fromString(text);
            return Constant.ofBytes(ByteBuffer.allocate(16)
                    .putLong(uuid.getMostSignificantBits())
                    .putLong(uuid.getLeastSignificantBits())
                    .array());
        }
        return Constant.ofBytes(Texts.utf8(text));
    }

    // ---- calls

    private Evaluator call(Call call) {
        List<Expression> arguments = call.arguments();
        return switch (call.function()) {
            case AND -> new Logic.And(all(arguments));
            case OR -> new Logic.Or(all(arguments));
            case NOT -> new Logic.Not(compile(arguments.get(0)));
            case IS_NULL, IS_NOT_NULL, IS_TRUE, IS_NOT_TRUE, IS_FALSE, IS_NOT_FALSE ->
                Logic.Test.of(call.function(), compile(arguments.get(0)));
            case EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL ->
                comparison(call.function(), arguments.get(0), arguments.get(1));
            case DISTINCT, NOT_DISTINCT -> {
                FieldType type =
                        comparedAs(arguments.get(0).type(), arguments.get(1).type());
                yield new Comparisons.Distinct(
                        as(arguments.get(0), type),
                        as(arguments.get(1), type),
                        Order.of(type.kind()),
                        call.function() == Function.DISTINCT);
            }
            case IN -> in(arguments);
            case LIKE ->
                new Texts.Like(
                        compile(arguments.get(0)),
                        constantText(arguments.get(1)),
                        arguments.size() > 2 ? constantText(arguments.get(2)) : "\\");
            case ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER ->
                arithmetic(call.function(), arguments.get(0), arguments.get(1), call.type());
            case NEGATE, ABS, ROUND, FLOOR, CEIL -> ofNumber(call);
            case JOIN -> new Texts.Joined(texts(arguments), false);
            case CONCAT -> new Texts.Joined(texts(arguments), true);
            case CASE -> caseOf(arguments, call.type());
            case COALESCE -> new Choices.Coalesce(allAs(arguments, call.type()));
            case NULLIF -> nullIf(arguments, call.type());
            case GREATEST, LEAST ->
                new Choices.Extreme(
                        allAs(arguments, call.type()),
                        Order.of(call.type().kind()),
                        call.function() == Function.GREATEST);
            case CAST -> cast(compile(arguments.get(0)), arguments.get(0).type(), call.type());
            case LOWER, UPPER -> new Texts.Folded(compile(arguments.get(0)), call.function() == Function.UPPER);
            case LENGTH -> new Texts.Length(compile(arguments.get(0)));
            case SUBSTRING -> {
                Evaluator[] parts = all(arguments);
                yield parts.length > 2
                        ? new Texts.Substring(parts[0], parts[1], parts[2])
                        : new Texts.Substring(parts[0], parts[1]);
            }
            case LEFT, RIGHT ->
                new Texts.Side(compile(arguments.get(0)), compile(arguments.get(1)), call.function() == Function.LEFT);
            case TRIM, LTRIM, RTRIM ->
                new Texts.Trimmed(
                        call.function(),
                        compile(arguments.get(0)),
                        arguments.size() > 1 ? compile(arguments.get(1)) : Constant.ofBytes(new byte[] {' '}));
            case REPLACE ->
                new Texts.Replaced(compile(arguments.get(0)), compile(arguments.get(1)), compile(arguments.get(2)));
            case POSITION -> new Texts.Position(compile(arguments.get(0)), compile(arguments.get(1)));
            case EXTRACT -> extract(constantText(arguments.get(0)), arguments.get(1));
            case DATE_TRUNC -> truncated(constantText(arguments.get(0)), arguments.get(1));
        };
    }

    private Evaluator[] all(List<Expression> expressions) {
        return expressions.stream().map(this::compile).toArray(Evaluator[]::new);
    }

    private Evaluator[] allAs(List<Expression> expressions, FieldType type) {
        return expressions.stream().map(expression -> as(expression, type)).toArray(Evaluator[]::new);
    }

    private Evaluator[] texts(List<Expression> expressions) {
        return expressions.stream()
                .map(expression -> expression.type().kind() == Kind.STRING
                        ? compile(expression)
                        : cast(compile(expression), expression.type(), TEXT))
                .toArray(Evaluator[]::new);
    }

    private static String constantText(Expression expression) {
        return expression instanceof Literal literal ? String.valueOf(literal.value()) : "";
    }

    // ---- comparisons and choices

    private Evaluator comparison(Function function, Expression left, Expression right) {
        boolean isEquality = function == Function.EQUAL || function == Function.NOT_EQUAL;
        if (isEquality
                && left instanceof Reference reference
                && reference.type().kind() == Kind.STRING
                && right instanceof Literal literal
                && literal.value() instanceof String text) {
            return new Comparisons.TextAgainst(slot(reference.field()), Texts.utf8(text), function == Function.EQUAL);
        }
        FieldType type = comparedAs(left.type(), right.type());
        return new Comparisons.Compared(function, as(left, type), as(right, type), Order.of(type.kind()));
    }

    private Evaluator in(List<Expression> arguments) {
        Expression value = arguments.get(0);
        List<Expression> candidates = arguments.subList(1, arguments.size());
        boolean areConstant = candidates.stream()
                .allMatch(candidate -> candidate instanceof Literal literal && literal.value() instanceof String);
        if (value instanceof Reference reference && value.type().kind() == Kind.STRING && areConstant) {
            return new Comparisons.TextAmong(
                    slot(reference.field()),
                    candidates.stream()
                            .map(Compiler::constantText)
                            .map(Texts::utf8)
                            .toArray(byte[][]::new));
        }
        Evaluator[] values = new Evaluator[candidates.size()];
        Evaluator[] others = new Evaluator[candidates.size()];
        Order[] orders = new Order[candidates.size()];
        for (int i = 0; i < others.length; i++) {
            FieldType type = comparedAs(value.type(), candidates.get(i).type());
            values[i] = as(value, type);
            others[i] = as(candidates.get(i), type);
            orders[i] = Order.of(type.kind());
        }
        return new Comparisons.In(values, others, orders);
    }

    private Evaluator nullIf(List<Expression> arguments, FieldType type) {
        return new Choices.NullIf(as(arguments.get(0), type), as(arguments.get(1), type), Order.of(type.kind()));
    }

    private Evaluator caseOf(List<Expression> arguments, FieldType type) {
        int branches = arguments.size() / 2;
        Evaluator[] conditions = new Evaluator[branches];
        Evaluator[] results = new Evaluator[branches];
        for (int i = 0; i < branches; i++) {
            conditions[i] = compile(arguments.get(2 * i));
            results[i] = as(arguments.get(2 * i + 1), type);
        }
        return new Choices.Case(conditions, results, as(arguments.get(2 * branches), type));
    }

    /** The type in which two values are compared; the digits of a decimal do not matter. */
    private static FieldType comparedAs(FieldType one, FieldType other) {
        if (one.isFloatingPoint() || other.isFloatingPoint()) {
            return FieldType.of(Kind.DOUBLE);
        }
        if (one.kind() == Kind.DECIMAL) {
            return one;
        }
        if (other.kind() == Kind.DECIMAL) {
            return other;
        }
        if (one.kind() == Kind.TIMESTAMP || other.kind() == Kind.TIMESTAMP) {
            return FieldType.of(Kind.TIMESTAMP);
        }
        boolean isLocal = one.kind() == Kind.LOCAL_TIMESTAMP || other.kind() == Kind.LOCAL_TIMESTAMP;
        return isLocal ? FieldType.of(Kind.LOCAL_TIMESTAMP) : one;
    }

    // ---- numbers

    private Evaluator arithmetic(Function function, Expression left, Expression right, FieldType type) {
        Kind leftKind = left.type().kind();
        Kind rightKind = right.type().kind();
        if (leftKind == Kind.DATE || rightKind == Kind.DATE) {
            Evaluator one = compile(left);
            Evaluator other = compile(right);
            if (leftKind == rightKind) {
                return new Times.Days(one, other);
            }
            return leftKind == Kind.DATE
                    ? new Times.Shifted(one, other, function == Function.SUBTRACT)
                    : new Times.Shifted(other, one, false);
        }
        return switch (type.kind()) {
            case INT, LONG -> new Numbers.Whole(function, compile(left), compile(right), type.kind() == Kind.INT);
            case DECIMAL -> new Decimals.Arithmetic(function, as(left, type), as(right, type));
            default -> new Numbers.Floating(function, as(left, type), as(right, type), type.kind() == Kind.FLOAT);
        };
    }

    private Evaluator ofNumber(Call call) {
        Function function = call.function();
        Evaluator value = compile(call.arguments().get(0));
        FieldType type = call.arguments().get(0).type();
        if (type.isFloatingPoint()) {
            return new Numbers.FloatingOne(function, value);
        }
        boolean isSign = function == Function.NEGATE || function == Function.ABS;
        if (isSign && type.kind() != Kind.DECIMAL) {
            return new Numbers.WholeSign(value, function == Function.ABS, type.kind() == Kind.INT);
        }
        if (isSign) {
            return new Decimals.Sign(value, function == Function.ABS);
        }
        Evaluator decimal = type.kind() == Kind.DECIMAL ? value : new Decimals.OfWhole(value);
        int digits = call.arguments().size() > 1
                        && call.arguments().get(1) instanceof Literal literal
                        && literal.value() instanceof Long given
                ? given.intValue()
                : 0;
        RoundingMode mode = switch (function) {
            case FLOOR -> RoundingMode.FLOOR;
            case CEIL -> RoundingMode.CEILING;
            default -> RoundingMode.HALF_UP;
        };
        return new Decimals.Rounded(decimal, digits, mode);
    }

    // ---- times

    private Evaluator extract(String unit, Expression time) {
        Evaluator value = compile(time);
        return new Times.Extracted(
                unit,
                switch (time.type().kind()) {
                    case DATE -> new Times.OfDate(value);
                    case TIMESTAMP -> unit.equals("epoch") ? value : new Times.Local(value, clock);
                    default -> value;
                });
    }

    private Evaluator truncated(String unit, Expression time) {
        if (time.type().kind() == Kind.LOCAL_TIMESTAMP) {
            return new Times.Truncated(unit, compile(time));
        }
        return new Times.TruncatedInstant(unit, as(time, FieldType.of(Kind.TIMESTAMP)), clock);
    }

    // ---- conversions

    /** An expression's value in the form of a type that it takes on without being cast. */
    private Evaluator as(Expression expression, FieldType type) {
        Evaluator value = compile(expression);
        Kind from = expression.type().kind();
        if (from == type.kind()) {
            return value;
        }
        return switch (type.kind()) {
            case DECIMAL -> new Decimals.OfWhole(value);
            case FLOAT, DOUBLE, TIMESTAMP, LOCAL_TIMESTAMP -> cast(value, expression.type(), type);
            default -> value;
        };
    }

    private Evaluator cast(Evaluator value, FieldType from, FieldType to) {
        if (from.kind() == Kind.STRING && to.kind() != Kind.STRING) {
            Evaluator read = new Casts.OfText(value, to, clock);
            return to.kind() == Kind.DECIMAL ? new Decimals.Fitted(read, to.precision(), to.scale()) : read;
        }
        return switch (to.kind()) {
            case BOOLEAN -> from.kind() == Kind.BOOLEAN ? value : new Casts.WholeToBoolean(value);
            case INT, LONG -> toWhole(value, from, to.kind() == Kind.INT);
            case FLOAT, DOUBLE -> toFloating(value, from, to.kind() == Kind.FLOAT);
            case DECIMAL -> new Decimals.Fitted(toDecimal(value, from), to.precision(), to.scale());
            case STRING -> from.kind() == Kind.STRING ? value : new Casts.ToText(value, from);
            case DATE -> from.kind() == Kind.DATE ? value : new Times.DateOf(local(value, from));
            case TIME -> from.kind() == Kind.TIME ? value : new Times.TimeOf(local(value, from));
            case LOCAL_TIMESTAMP -> local(value, from);
            case TIMESTAMP -> from.kind() == Kind.TIMESTAMP ? value : new Times.OfLocal(local(value, from), clock);
            case UUID, BYTES -> value;
        };
    }

    private static Evaluator toWhole(Evaluator value, FieldType from, boolean isInt) {
        return switch (from.kind()) {
            case DECIMAL -> new Casts.DecimalToWhole(value, isInt);
            case FLOAT, DOUBLE -> new Casts.FloatingToWhole(value, isInt);
            case LONG -> isInt ? new Casts.Ranged(value) : value;
            default -> value;
        };
    }

    private static Evaluator toFloating(Evaluator value, FieldType from, boolean isSingle) {
        return switch (from.kind()) {
            case INT, LONG -> new Casts.WholeToFloating(value, isSingle);
            case DECIMAL -> new Casts.DecimalToFloating(value, isSingle);
            case DOUBLE -> isSingle ? new Casts.ToSingle(value) : value;
            default -> value;
        };
    }

    private static Evaluator toDecimal(Evaluator value, FieldType from) {
        return switch (from.kind()) {
            case INT, LONG -> new Decimals.OfWhole(value);
            case FLOAT, DOUBLE -> new Casts.FloatingToDecimal(value, from.kind() == Kind.FLOAT);
            default -> value;
        };
    }

    private Evaluator local(Evaluator value, FieldType from) {
        return switch (from.kind()) {
            case DATE -> new Times.OfDate(value);
            case TIMESTAMP -> new Times.Local(value, clock);
            default -> value;
        };
    }
}
