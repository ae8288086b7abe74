package dev.tidemark.job;

import dev.tidemark.job.Expression.Call;
import dev.tidemark.job.Expression.Literal;
import dev.tidemark.job.Expression.Reference;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.Syntax.LiteralKind;
import dev.tidemark.job.Syntax.Place;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Types the expressions of a job file: looks their fields up, finds their functions, and settles the type of every part by
 * PostgreSQL's rules. Everything that is wrong in an expression is reported, each with its place in it.
 */
final class ExpressionTyper {
    private static final FieldType BOOLEAN = FieldType.of(Kind.BOOLEAN);
    private static final FieldType TEXT = FieldType.of(Kind.STRING);
    private static final FieldType INTEGER = FieldType.of(Kind.INT);

    private static final Set<String> AGGREGATES = Set.of(
            "count",
            "sum",
            "avg",
            "min",
            "max",
            "first",
            "latest",
            "countdistinct",
            "every",
            "bool_and",
            "bool_or",
            "string_agg",
            "array_agg",
            "stddev",
            "variance",
            "stddev_pop",
            "stddev_samp",
            "var_pop",
            "var_samp");
    private static final Map<String, Function> COMPARISONS = Map.of(
            "=", Function.EQUAL,
            "<>", Function.NOT_EQUAL,
            "<", Function.LESS,
            "<=", Function.LESS_OR_EQUAL,
            ">", Function.GREATER,
            ">=", Function.GREATER_OR_EQUAL,
            "is distinct from", Function.DISTINCT,
            "is not distinct from", Function.NOT_DISTINCT);
    private static final Map<String, Function> TRUTH_TESTS = Map.of(
            "is true", Function.IS_TRUE,
            "is not true", Function.IS_NOT_TRUE,
            "is false", Function.IS_FALSE,
            "is not false", Function.IS_NOT_FALSE,
            "is unknown", Function.IS_NULL,
            "is not unknown", Function.IS_NOT_NULL);

    /** A function that is called by name: how many arguments it takes, and how it is written. */
    private record Signature(Function function, int least, int most, String form) {}

    private static final Map<String, Signature> FUNCTIONS = Map.ofEntries(
            signature("lower", Function.LOWER, 1, 1, "lower(text)"),
            signature("upper", Function.UPPER, 1, 1, "upper(text)"),
            signature("length", Function.LENGTH, 1, 1, "length(text)"),
            signature("char_length", Function.LENGTH, 1, 1, "char_length(text)"),
            signature("character_length", Function.LENGTH, 1, 1, "character_length(text)"),
            signature("substring", Function.SUBSTRING, 2, 3, "substring(text from start for length)"),
            signature("substr", Function.SUBSTRING, 2, 3, "substr(text, start, length)"),
            signature("left", Function.LEFT, 2, 2, "left(text, length)"),
            signature("right", Function.RIGHT, 2, 2, "right(text, length)"),
            signature("btrim", Function.TRIM, 1, 2, "trim(characters from text)"),
            signature("ltrim", Function.LTRIM, 1, 2, "ltrim(text, characters)"),
            signature("rtrim", Function.RTRIM, 1, 2, "rtrim(text, characters)"),
            signature("replace", Function.REPLACE, 3, 3, "replace(text, from, to)"),
            signature("strpos", Function.POSITION, 2, 2, "strpos(text, part)"),
            signature("position", Function.POSITION, 2, 2, "position(part in text)"),
            signature("concat", Function.CONCAT, 1, 100, "concat(value, ...)"),
            signature("coalesce", Function.COALESCE, 1, 100, "coalesce(value, ...)"),
            signature("nullif", Function.NULLIF, 2, 2, "nullif(value, value)"),
            signature("greatest", Function.GREATEST, 1, 100, "greatest(value, ...)"),
            signature("least", Function.LEAST, 1, 100, "least(value, ...)"),
            signature("abs", Function.ABS, 1, 1, "abs(number)"),
            signature("round", Function.ROUND, 1, 2, "round(number, digits)"),
            signature("floor", Function.FLOOR, 1, 1, "floor(number)"),
            signature("ceil", Function.CEIL, 1, 1, "ceil(number)"),
            signature("ceiling", Function.CEIL, 1, 1, "ceiling(number)"),
            signature("mod", Function.REMAINDER, 2, 2, "mod(number, number)"),
            signature("extract", Function.EXTRACT, 2, 2, "extract(unit from time)"),
            signature("date_trunc", Function.DATE_TRUNC, 2, 2, "date_trunc('unit', timestamp)"));

    private static Map.Entry<String, Signature> signature(
            String name, Function function, int least, int most, String form) {
        return Map.entry(name, new Signature(function, least, most, form));
    }

    private final FieldLookup fields;
    private final ExpressionParser parser;
    private final Problems problems;
    private String path = "";
    private List<String> declaredLater = List.of();

    ExpressionTyper(FieldLookup fields, ExpressionParser parser, Problems problems) {
        this.fields = fields;
        this.parser = parser;
        this.problems = problems;
    }

    /**
     * The value of a derived field that is written at the path; null if something is wrong with it.
     *
     * @param later the derived fields that it must not read: itself and those behind it
     */
    @Nullable
    Expression expression(String place, String text, List<String> later) {
        declaredLater = later;
        Part part = parsed(place, text);
        if (part != null && part.isUntyped() && part.isNull()) {
            wrong(part.place(), "null has no type", "write cast(null as a type)");
            part = null;
        }
        declaredLater = List.of();
        return part == null ? null : part.expression();
    }

    /** The condition that is written at the path; null if something is wrong with it. */
    @Nullable
    Expression condition(String place, String text) {
        Part part = parsed(place, text);
        return part == null ? null : condition(part);
    }

    private @Nullable Part parsed(String place, String text) {
        path = place;
        try {
            return part(parser.parse(text));
        } catch (ExpressionSyntaxException refused) {
            wrong(refused.place(), String.valueOf(refused.getMessage()), refused.allowed());
            return null;
        }
    }

    /** A part of an expression, and how it is written: untyped literals take the type that they meet. */
    private record Part(Syntax syntax, Expression expression) {
        Place place() {
            return syntax.place();
        }

        FieldType type() {
            return expression.type();
        }

        boolean isUntyped() {
            return syntax instanceof Syntax.Literal literal
                    && (literal.kind() == LiteralKind.TEXT || literal.kind() == LiteralKind.NULL);
        }

        boolean isNull() {
            return expression instanceof Literal literal && literal.value() == null;
        }

        Part with(Expression other) {
            return new Part(syntax, other);
        }
    }

    // ---- parts

    private @Nullable Part part(Syntax syntax) {
        Expression expression;
        if (syntax instanceof Syntax.Name name) {
            expression = reference(name);
        } else if (syntax instanceof Syntax.Literal literal) {
            expression = literal(literal);
        } else if (syntax instanceof Syntax.Cast cast) {
            expression = cast(cast);
        } else if (syntax instanceof Syntax.Case written) {
            expression = caseOf(written);
        } else if (syntax instanceof Syntax.Call call) {
            expression = call(call);
        } else {
            String what = syntax instanceof Syntax.Foreign foreign ? foreign.what() : "this";
            wrong(syntax.place(), what + " is not allowed", "an expression is made of the fields of one record");
            return null;
        }
        return expression == null ? null : new Part(syntax, expression);
    }

    private @Nullable Expression reference(Syntax.Name name) {
        if (declaredLater.contains(name.name()) && !fields.isInSchema(name.name())) {
            wrong(
                    name.place(),
                    "derived field '" + name.name() + "' is not there yet",
                    "a derived field reads the schema's fields and derived ones that stand before it");
            return null;
        }
        Problems found = problems.another();
        Field field = fields.reporting(found).field(path, name.name());
        found.all().forEach(problem -> wrong(name.place(), problem.wrong(), problem.allowed()));
        return field == null ? null : new Reference(field);
    }

    private @Nullable Expression literal(Syntax.Literal literal) {
        String text = literal.text();
        return switch (literal.kind()) {
            case TEXT -> new Literal(TEXT, text);
            case NULL -> new Literal(TEXT, null);
            case BOOLEAN -> new Literal(BOOLEAN, Boolean.valueOf(text));
            case INTEGER -> integer(new BigDecimal(text));
            case DECIMAL -> decimal(new BigDecimal(text));
            case DATE -> valueOf(literal.place(), text, FieldType.of(Kind.DATE));
            case TIME -> valueOf(literal.place(), text, FieldType.of(Kind.TIME));
            case TIMESTAMP -> {
                TextValues.Timestamp timestamp = TextValues.timestamp(text);
                boolean isLocal = timestamp != null && timestamp.offsetSeconds() == null;
                yield valueOf(literal.place(), text, FieldType.of(isLocal ? Kind.LOCAL_TIMESTAMP : Kind.TIMESTAMP));
            }
        };
    }

    private static Literal integer(BigDecimal value) {
        try {
            long number = value.longValueExact();
            boolean isShort = number == (int) number;
            return new Literal(FieldType.of(isShort ? Kind.INT : Kind.LONG), number);
        } catch (ArithmeticException tooLong) {
            return decimal(value);
        }
    }

    private static Literal decimal(BigDecimal value) {
        return new Literal(FieldType.decimal(Math.max(value.precision(), value.scale() + 1), value.scale()), value);
    }

    private @Nullable List<Part> parts(List<Syntax> written) {
        List<Part> parts = new ArrayList<>();
        for (Syntax syntax : written) {
            Part part = part(syntax);
            if (part != null) {
                parts.add(part);
            }
        }
        return parts.size() == written.size() ? parts : null;
    }

    private @Nullable Expression condition(Part part) {
        if (part.isUntyped()) {
            return valueOf(part, BOOLEAN);
        }
        if (part.type().kind() != Kind.BOOLEAN) {
            wrong(part.place(), shown(part) + " is " + part.type().sql() + ", not boolean", "expected a condition");
            return null;
        }
        return part.expression();
    }

    // ---- calls

    private @Nullable Expression call(Syntax.Call call) {
        String name = call.function();
        Function comparison = COMPARISONS.get(name);
        if (comparison != null) {
            return comparison(comparison, call);
        }
        Function truthTest = TRUTH_TESTS.get(name);
        if (truthTest != null) {
            List<Expression> condition = conditions(call.arguments());
            return condition == null ? null : new Call(truthTest, condition, BOOLEAN);
        }
        return switch (name) {
            case "and" -> logic(Function.AND, call);
            case "or" -> logic(Function.OR, call);
            case "not" -> logic(Function.NOT, call);
            case "is null" -> nullTest(Function.IS_NULL, call);
            case "is not null" -> nullTest(Function.IS_NOT_NULL, call);
            case "in" -> in(call);
            case "not in" -> not(in(call));
            case "between" -> between(call, Function.GREATER_OR_EQUAL, Function.LESS_OR_EQUAL, Function.AND);
            case "not between" -> between(call, Function.LESS, Function.GREATER, Function.OR);
            case "like" -> like(call);
            case "not like" -> not(like(call));
            case "+" -> arithmetic(Function.ADD, call);
            case "-" -> arithmetic(Function.SUBTRACT, call);
            case "*" -> arithmetic(Function.MULTIPLY, call);
            case "/" -> arithmetic(Function.DIVIDE, call);
            case "%" -> arithmetic(Function.REMAINDER, call);
            case "negate" -> negation(call);
            case "||" -> join(call);
            default -> named(call);
        };
    }

    private @Nullable List<Expression> conditions(List<Syntax> written) {
        List<Part> parts = parts(written);
        if (parts == null) {
            return null;
        }
        List<Expression> conditions = new ArrayList<>();
        for (Part part : parts) {
            Expression condition = condition(part);
            if (condition != null) {
                conditions.add(condition);
            }
        }
        return conditions.size() == parts.size() ? conditions : null;
    }

    private @Nullable Expression logic(Function function, Syntax.Call call) {
        List<Expression> conditions = conditions(call.arguments());
        return conditions == null ? null : new Call(function, conditions, BOOLEAN);
    }

    private static @Nullable Expression not(@Nullable Expression condition) {
        return condition == null ? null : new Call(Function.NOT, List.of(condition), BOOLEAN);
    }

    private @Nullable Expression nullTest(Function function, Syntax.Call call) {
        Part part = part(call.arguments().get(0));
        return part == null ? null : new Call(function, List.of(part.expression()), BOOLEAN);
    }

    private @Nullable Expression comparison(Function function, Syntax.Call call) {
        List<Part> parts = parts(call.arguments());
        return parts == null ? null : compared(function, call.place(), parts.get(0), parts.get(1));
    }

    private @Nullable Expression compared(Function function, Place place, Part left, Part right) {
        List<Expression> alike = comparable("'" + function.word() + "'", place, List.of(left, right));
        if (alike == null) {
            return null;
        }
        return isSymbol(left, right) && isSymbol(right, left) ? new Call(function, alike, BOOLEAN) : null;
    }

    /** What is compared with an enum must be one of its symbols, or it is never true. */
    private boolean isSymbol(Part field, Part text) {
        if (!(field.expression() instanceof Reference reference)
                || !(text.expression() instanceof Literal literal)
                || !(literal.value() instanceof String written)) {
            return true;
        }
        List<String> symbols = fields.symbols(reference.field().name());
        if (symbols.isEmpty() || symbols.contains(written)) {
            return true;
        }
        wrong(
                text.place(),
                "'" + written + "' is no symbol of field '" + reference.field().name() + "'",
                Nearest.question(written, symbols) + "symbols: " + String.join(", ", symbols));
        return false;
    }

    private @Nullable Expression in(Syntax.Call call) {
        List<Part> parts = parts(call.arguments());
        if (parts == null) {
            return null;
        }
        List<Expression> alike = comparable("'in'", call.place(), parts);
        boolean isFit = alike != null;
        for (int i = 1; i < parts.size(); i++) {
            isFit &= isSymbol(parts.get(0), parts.get(i));
        }
        return alike != null && isFit ? new Call(Function.IN, alike, BOOLEAN) : null;
    }

    private @Nullable Expression between(Syntax.Call call, Function low, Function high, Function both) {
        List<Part> parts = parts(call.arguments());
        if (parts == null) {
            return null;
        }
        Expression lower = compared(low, call.place(), parts.get(0), parts.get(1));
        Expression upper = compared(high, call.place(), parts.get(0), parts.get(2));
        return lower == null || upper == null ? null : new Call(both, List.of(lower, upper), BOOLEAN);
    }

    private @Nullable Expression like(Syntax.Call call) {
        List<Part> parts = parts(call.arguments());
        if (parts == null) {
            return null;
        }
        boolean isFit = isText(parts.get(0), "'like'");
        for (Part part : parts.subList(1, parts.size())) {
            if (!(part.expression() instanceof Literal literal && literal.value() instanceof String)) {
                wrong(part.place(), "a pattern and its escape character must be constant", "expected 'text'");
                return null;
            }
        }
        if (!isFit) {
            return null;
        }
        String escape = parts.size() > 2 ? textOf(parts.get(2)) : "\\";
        if (escape.codePointCount(0, escape.length()) > 1) {
            wrong(parts.get(2).place(), "'" + escape + "' is no escape character", "expected one character, or ''");
            return null;
        }
        if (!escape.isEmpty() && endsInEscape(textOf(parts.get(1)), escape)) {
            wrong(parts.get(1).place(), "the pattern ends in its escape character", "write it twice");
            return null;
        }
        return new Call(Function.LIKE, expressions(parts), BOOLEAN);
    }

    private static boolean endsInEscape(String pattern, String escape) {
        int at = 0;
        while (at < pattern.length()) {
            if (!pattern.startsWith(escape, at)) {
                at += Character.charCount(pattern.codePointAt(at));
                continue;
            }
            at += escape.length();
            if (at == pattern.length()) {
                return true;
            }
            at += Character.charCount(pattern.codePointAt(at));
        }
        return false;
    }

    private static String textOf(Part literal) {
        return literal.expression() instanceof Literal constant ? String.valueOf(constant.value()) : "";
    }

    private @Nullable Expression join(Syntax.Call call) {
        List<Part> parts = parts(call.arguments());
        if (parts == null) {
            return null;
        }
        if (parts.stream().noneMatch(part -> part.type().kind() == Kind.STRING)) {
            wrong(
                    call.place(),
                    "'||' cannot join " + types(parts),
                    "expected text on one side at least; cast(... as text) makes it");
            return null;
        }
        return areTextual(parts) ? new Call(Function.JOIN, expressions(parts), TEXT) : null;
    }

    private @Nullable Expression named(Syntax.Call call) {
        String name = call.function();
        if (AGGREGATES.contains(name)) {
            wrong(
                    call.place(),
                    "'" + name + "' is an aggregate, and an expression sees one record",
                    "aggregates stand under target.columns");
            return null;
        }
        Signature signature = FUNCTIONS.get(name);
        if (signature == null) {
            Set<String> known = new TreeSet<>(FUNCTIONS.keySet());
            known.add("trim");
            known.add("cast");
            wrong(
                    call.place(),
                    "function '" + name + "' is not known",
                    Nearest.question(name, known) + "functions: " + String.join(", ", known));
            parts(call.arguments());
            return null;
        }
        int count = call.arguments().size();
        if (count < signature.least() || count > signature.most()) {
            wrong(
                    call.place(),
                    "'" + name + "' is given " + count + (count == 1 ? " argument" : " arguments"),
                    "expected " + signature.form());
            return null;
        }
        List<Part> parts = parts(call.arguments());
        return parts == null ? null : applied(name, signature, call.place(), parts);
    }

    private @Nullable Expression applied(String name, Signature signature, Place place, List<Part> parts) {
        String word = "'" + name + "'";
        return switch (signature.function()) {
            case LOWER, UPPER, TRIM, LTRIM, RTRIM, REPLACE -> texts(signature.function(), word, parts, TEXT);
            case LENGTH -> texts(Function.LENGTH, word, parts, INTEGER);
            case POSITION ->
                texts(
                        Function.POSITION,
                        word,
                        name.equals("position") ? List.of(parts.get(1), parts.get(0)) : parts,
                        INTEGER);
            case SUBSTRING, LEFT, RIGHT -> textAndIntegers(signature.function(), word, parts);
            case CONCAT -> areTextual(parts) ? new Call(Function.CONCAT, expressions(parts), TEXT) : null;
            case COALESCE, GREATEST, LEAST -> unified(signature.function(), word, place, parts);
            case NULLIF -> nullif(word, place, parts);
            case REMAINDER -> arithmetic(Function.REMAINDER, word, place, parts);
            case ABS -> absolute(word, parts.get(0));
            case FLOOR, CEIL -> whole(signature.function(), word, parts.get(0));
            case ROUND -> parts.size() == 1 ? whole(Function.ROUND, word, parts.get(0)) : rounded(word, parts);
            case EXTRACT -> extract(parts);
            case DATE_TRUNC -> truncated(parts);
            default -> throw new IllegalStateException(signature.function() + " is not called by name");
        };
    }

    // ---- text

    private @Nullable Expression texts(Function function, String word, List<Part> parts, FieldType type) {
        boolean isFit = true;
        for (Part part : parts) {
            isFit &= isText(part, word);
        }
        return isFit ? new Call(function, expressions(parts), type) : null;
    }

    private @Nullable Expression textAndIntegers(Function function, String word, List<Part> parts) {
        boolean isFit = isText(parts.get(0), word);
        List<Expression> arguments = new ArrayList<>();
        arguments.add(parts.get(0).expression());
        for (Part part : parts.subList(1, parts.size())) {
            Expression count = part.isUntyped() ? valueOf(part, INTEGER) : part.expression();
            if (count != null && count.type().kind() != Kind.INT) {
                wrong(
                        part.place(),
                        word + " counts characters by integer, and " + shown(part) + " is "
                                + part.type().sql(),
                        "expected integer");
                count = null;
            }
            isFit &= count != null;
            if (count != null) {
                arguments.add(count);
            }
        }
        return isFit ? new Call(function, arguments, TEXT) : null;
    }

    private boolean isText(Part part, String word) {
        if (part.type().kind() == Kind.STRING) {
            return true;
        }
        wrong(
                part.place(),
                word + " takes text, and " + shown(part) + " is " + part.type().sql(),
                "cast(... as text) makes text of it");
        return false;
    }

    /** Whether all have a text form that is the same everywhere. */
    private boolean areTextual(List<Part> parts) {
        boolean areFit = true;
        for (Part part : parts) {
            switch (part.type().kind()) {
                case STRING, INT, LONG, DECIMAL, DATE, UUID -> {
                    // has one
                }
                default -> {
                    wrong(
                            part.place(),
                            shown(part) + " is " + part.type().sql() + ", which has no text form here",
                            "expected text, integer, bigint, numeric, date or uuid");
                    areFit = false;
                }
            }
        }
        return areFit;
    }

    // ---- choices

    private @Nullable Expression caseOf(Syntax.Case written) {
        List<Expression> conditions = conditions(written.conditions());
        List<Syntax> branches = new ArrayList<>(written.results());
        branches.add(
                written.otherwise() == null
                        ? new Syntax.Literal(LiteralKind.NULL, "null", written.place())
                        : written.otherwise());
        List<Part> results = parts(branches);
        if (conditions == null || results == null) {
            return null;
        }
        List<Expression> values = alike("'case'", written.place(), results);
        if (values == null) {
            return null;
        }
        List<Expression> arguments = new ArrayList<>();
        for (int i = 0; i < conditions.size(); i++) {
            arguments.add(conditions.get(i));
            arguments.add(values.get(i));
        }
        arguments.add(values.get(values.size() - 1));
        return new Call(Function.CASE, arguments, typeOf(values));
    }

    private @Nullable Expression unified(Function function, String word, Place place, List<Part> parts) {
        List<Expression> values = alike(word, place, parts);
        boolean orders = function != Function.COALESCE;
        return values == null || (orders && !isOrdered(typeOf(values), word, place))
                ? null
                : new Call(function, values, typeOf(values));
    }

    private @Nullable Expression nullif(String word, Place place, List<Part> parts) {
        List<Expression> values = alike(word, place, parts);
        return values == null ? null : new Call(Function.NULLIF, values, typeOf(values));
    }

    /** The parts as values that have a type in common. */
    private @Nullable List<Expression> alike(String word, Place place, List<Part> parts) {
        FieldType type = common(word, place, parts);
        return type == null ? null : valuesOf(parts, type);
    }

    /** The type that such values have in common; a number that was written as text may have more digits than the others. */
    private static FieldType typeOf(List<Expression> alike) {
        FieldType type = alike.get(0).type();
        for (Expression value : alike) {
            type = Objects.requireNonNull(Types.common(type, value.type()), "the values have a type in common");
        }
        return type;
    }

    private boolean isOrdered(FieldType type, String word, Place place) {
        if (type.kind() != Kind.BOOLEAN) {
            return true;
        }
        wrong(place, word + " of booleans is not known", "write it with and, or");
        return false;
    }

    /** The type that all take on; null and a problem if there is none. */
    private @Nullable FieldType common(String word, Place place, List<Part> parts) {
        FieldType type = null;
        for (Part part : parts) {
            if (part.isUntyped()) {
                continue;
            }
            FieldType wider = type == null ? part.type() : Types.common(type, part.type());
            if (wider == null) {
                wrong(place, word + " cannot bring together " + types(parts), "expected values of one type");
                return null;
            }
            type = wider;
        }
        if (type != null) {
            return type;
        }
        if (parts.stream().allMatch(Part::isNull)) {
            wrong(place, word + " has nothing but nulls", "write cast(null as a type)");
            return null;
        }
        return TEXT;
    }

    private @Nullable List<Expression> comparable(String word, Place place, List<Part> parts) {
        FieldType met = null;
        for (Part part : parts) {
            if (part.isUntyped()) {
                continue;
            }
            if (met != null && !Types.areComparable(met, part.type())) {
                wrong(place, word + " cannot compare " + types(parts), "expected values of one kind");
                return null;
            }
            met = met == null ? part.type() : met;
        }
        return valuesOf(parts, met == null ? TEXT : met);
    }

    /** The parts, untyped ones as values of the type. */
    private @Nullable List<Expression> valuesOf(List<Part> parts, FieldType type) {
        List<Expression> values = new ArrayList<>();
        for (Part part : parts) {
            Expression value = part.isUntyped() ? valueOf(part, type) : part.expression();
            if (value != null) {
                values.add(value);
            }
        }
        return values.size() == parts.size() ? values : null;
    }

    private @Nullable Expression valueOf(Part untyped, FieldType type) {
        return untyped.isNull() ? new Literal(type, null) : valueOf(untyped.place(), textOf(untyped), type);
    }

    /** A text as a value of a type. */
    private @Nullable Literal valueOf(Place place, String text, FieldType type) {
        Literal value = Types.valueOf(text, type);
        if (value == null) {
            wrong(place, "'" + text + "' is no " + type.sql(), "expected " + TextValues.form(type.kind()));
        }
        return value;
    }

    // ---- numbers and dates

    private @Nullable Expression arithmetic(Function function, Syntax.Call call) {
        List<Part> parts = parts(call.arguments());
        return parts == null ? null : arithmetic(function, "'" + function.word() + "'", call.place(), parts);
    }

    private @Nullable Expression arithmetic(Function function, String word, Place place, List<Part> written) {
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Part part = written.get(i);
            Part other = written.get(1 - i);
            if (part.isUntyped()) {
                Expression value = valueOf(part, other.isUntyped() ? INTEGER : other.type());
                if (value == null) {
                    return null;
                }
                part = part.with(value);
            }
            parts.add(part);
        }
        FieldType left = parts.get(0).type();
        FieldType right = parts.get(1).type();
        FieldType type = Types.isNumber(left) && Types.isNumber(right)
                ? Types.ofArithmetic(function, left, right)
                : Types.ofDays(function, left, right);
        if (type == null) {
            String expected = function == Function.REMAINDER
                    ? "expected integers or numerics"
                    : function == Function.ADD || function == Function.SUBTRACT
                            ? "expected two numbers, or a date and an integer"
                            : "expected two numbers";
            wrong(place, word + " cannot take " + types(parts), expected);
            return null;
        }
        return bounded(place, new Call(function, expressions(parts), type));
    }

    private @Nullable Expression negation(Syntax.Call call) {
        Part part = part(call.arguments().get(0));
        if (part == null) {
            return null;
        }
        if (part.syntax() instanceof Syntax.Literal number && part.expression() instanceof Literal constant) {
            if (constant.value() instanceof Long digits && number.kind() == LiteralKind.INTEGER) {
                return new Literal(constant.type(), -digits);
            }
            if (constant.value() instanceof BigDecimal digits) {
                return new Literal(constant.type(), digits.negate());
            }
        }
        if (!Types.isNumber(part.type())) {
            wrong(call.place(), "'-' cannot take " + part.type().sql(), "expected a number");
            return null;
        }
        return new Call(Function.NEGATE, List.of(part.expression()), part.type());
    }

    private @Nullable Expression absolute(String word, Part part) {
        return isNumber(part, word) ? new Call(Function.ABS, List.of(part.expression()), part.type()) : null;
    }

    private boolean isNumber(Part part, String word) {
        if (Types.isNumber(part.type())) {
            return true;
        }
        wrong(
                part.place(),
                word + " takes numbers, and " + shown(part) + " is "
                        + part.type().sql(),
                "expected a number");
        return false;
    }

    /** round, floor and ceil to whole numbers. */
    private @Nullable Expression whole(Function function, String word, Part part) {
        if (!isNumber(part, word)) {
            return null;
        }
        return switch (part.type().kind()) {
            case DECIMAL -> {
                int digits = part.type().precision() - part.type().scale() + 1;
                yield new Call(function, List.of(part.expression()), FieldType.decimal(Math.max(digits, 1), 0));
            }
            case FLOAT, DOUBLE -> new Call(function, List.of(part.expression()), FieldType.of(Kind.DOUBLE));
            default -> {
                wrong(
                        part.place(),
                        shown(part) + " is " + part.type().sql() + ", which is whole already",
                        "remove " + word);
                yield null;
            }
        };
    }

    private @Nullable Expression rounded(String word, List<Part> parts) {
        Part number = parts.get(0);
        if (!isNumber(number, word)) {
            return null;
        }
        if (number.type().isFloatingPoint()) {
            wrong(
                    number.place(),
                    word + " to digits takes numeric, and " + shown(number) + " is "
                            + number.type().sql(),
                    "cast(... as decimal(precision, scale)) rounds too");
            return null;
        }
        if (!(parts.get(1).expression() instanceof Literal literal
                && literal.value() instanceof Long digits
                && Math.abs(digits) <= Types.GREATEST_PRECISION)) {
            wrong(parts.get(1).place(), "the digits to round to must be constant", "expected an integer");
            return null;
        }
        FieldType exact = Types.exact(number.type());
        int scale = (int) Math.max(0, digits);
        int whole = Math.max(exact.precision() - exact.scale() + 1, 1);
        return bounded(
                number.place(), new Call(Function.ROUND, expressions(parts), FieldType.decimal(whole + scale, scale)));
    }

    private @Nullable Expression bounded(Place place, Call call) {
        if (call.type().kind() == Kind.DECIMAL && call.type().precision() > Types.GREATEST_PRECISION) {
            wrong(
                    place,
                    "the result could have " + call.type().precision() + " digits",
                    "expected at most " + Types.GREATEST_PRECISION
                            + "; cast(... as decimal(precision, scale)) bounds a part of it");
            return null;
        }
        return call;
    }

    // ---- times

    private @Nullable Expression extract(List<Part> parts) {
        Part time = parts.get(1);
        String unit = textOf(parts.get(0));
        List<String> units = Types.units(time.type().kind());
        if (units.isEmpty()) {
            wrong(
                    time.place(),
                    "'extract' takes dates and times, and " + shown(time) + " is "
                            + time.type().sql(),
                    "expected a date, time or timestamp");
            return null;
        }
        if (!units.contains(unit)) {
            wrong(
                    parts.get(0).place(),
                    "'" + unit + "' is no unit of " + time.type().sql(),
                    Nearest.question(unit, units) + "units: " + String.join(", ", units));
            return null;
        }
        FieldType type = switch (unit) {
            case "second" -> FieldType.decimal(8, 6);
            case "epoch" -> FieldType.decimal(18, 6);
            default -> FieldType.decimal(7, 0);
        };
        return new Call(Function.EXTRACT, expressions(parts), type);
    }

    private @Nullable Expression truncated(List<Part> parts) {
        Part time = parts.get(1);
        if (!(parts.get(0).expression() instanceof Literal literal && literal.value() instanceof String unit)) {
            wrong(parts.get(0).place(), "the unit must be constant", "units: " + String.join(", ", Types.TRUNCATIONS));
            return null;
        }
        if (!Types.TRUNCATIONS.contains(unit)) {
            wrong(
                    parts.get(0).place(),
                    "'" + unit + "' is no unit of 'date_trunc'",
                    Nearest.question(unit, Types.TRUNCATIONS) + "units: " + String.join(", ", Types.TRUNCATIONS));
            return null;
        }
        return switch (time.type().kind()) {
            case TIMESTAMP, LOCAL_TIMESTAMP -> new Call(Function.DATE_TRUNC, expressions(parts), time.type());
            case DATE -> new Call(Function.DATE_TRUNC, expressions(parts), FieldType.of(Kind.TIMESTAMP));
            default -> {
                wrong(
                        time.place(),
                        "'date_trunc' takes dates and timestamps, and " + shown(time) + " is "
                                + time.type().sql(),
                        "expected a date or timestamp");
                yield null;
            }
        };
    }

    // ---- casts

    private @Nullable Expression cast(Syntax.Cast cast) {
        Part operand = part(cast.operand());
        FieldType type = castType(cast);
        if (operand == null || type == null) {
            return null;
        }
        if (operand.isUntyped()) {
            if (operand.isNull()) {
                return new Literal(type, null);
            }
            if (type.kind() != Kind.DECIMAL) {
                return valueOf(operand, type);
            }
        }
        FieldType from = operand.type();
        FieldType settled = type;
        if (type.kind() == Kind.DECIMAL && type.precision() == 0) {
            if (from.kind() != Kind.DECIMAL && from.kind() != Kind.INT && from.kind() != Kind.LONG) {
                wrong(
                        cast.place(),
                        "how many digits a numeric of " + from.sql() + " has is not known",
                        "expected decimal(precision, scale)");
                return null;
            }
            settled = Types.exact(from);
        }
        if (!Types.isCast(from.kind(), type.kind())) {
            wrong(
                    cast.place(),
                    from.sql() + " cannot be cast to " + type.sql(),
                    "casts of " + from.sql() + ": " + Types.casts(from.kind()));
            return null;
        }
        boolean isDone = operand.expression() instanceof Literal && from.equals(settled);
        return isDone ? operand.expression() : new Call(Function.CAST, List.of(operand.expression()), settled);
    }

    /** The type that a cast names; a numeric without digits has precision 0. */
    private @Nullable FieldType castType(Syntax.Cast cast) {
        Kind kind = Types.KINDS.get(cast.type());
        if (kind == null) {
            Set<String> names = new TreeSet<>(Types.KINDS.keySet());
            wrong(
                    cast.place(),
                    "type '" + cast.type() + "' is not known",
                    Nearest.question(cast.type(), names) + "types: " + String.join(", ", names));
            return null;
        }
        if (kind != Kind.DECIMAL) {
            if (cast.precision() >= 0) {
                wrong(
                        cast.place(),
                        "type " + cast.type() + " with a length or precision is not known",
                        "expected " + cast.type() + " without one");
                return null;
            }
            return FieldType.of(kind);
        }
        if (cast.precision() < 0) {
            return FieldType.decimal(0, 0);
        }
        int scale = Math.max(cast.scale(), 0);
        if (cast.precision() < 1 || cast.precision() > Types.GREATEST_PRECISION || scale > cast.precision()) {
            wrong(
                    cast.place(),
                    "decimal(" + cast.precision() + ", " + scale + ") is no type",
                    "expected a precision of 1 to " + Types.GREATEST_PRECISION + " and a scale within it");
            return null;
        }
        return FieldType.decimal(cast.precision(), scale);
    }

    // ---- problems

    private void wrong(Place place, String wrong, String allowed) {
        problems.wrong(path, "at " + place.text() + ": " + wrong, allowed);
    }

    private static String shown(Part part) {
        return part.expression() instanceof Reference reference
                ? "field '" + reference.field().name() + "'"
                : part.expression() instanceof Literal literal && literal.value() != null
                        ? "'" + literal.value() + "'"
                        : "it";
    }

    private static String types(List<Part> parts) {
        return parts.stream()
                .map(part -> part.isUntyped()
                        ? (part.isNull() ? "null" : "text")
                        : part.type().sql())
                .distinct()
                .collect(Collectors.joining(" and "));
    }

    private static List<Expression> expressions(List<Part> parts) {
        return parts.stream().map(Part::expression).toList();
    }
}
