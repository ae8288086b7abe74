package dev.tidemark.job.sql;

import dev.tidemark.job.ExpressionParser;
import dev.tidemark.job.ExpressionSyntaxException;
import dev.tidemark.job.Syntax;
import dev.tidemark.job.Syntax.LiteralKind;
import dev.tidemark.job.Syntax.Place;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.avatica.util.Quoting;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlUnknownLiteral;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.parser.SqlAbstractParserImpl;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.parser.babel.SqlBabelParserImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.jspecify.annotations.Nullable;

/**
 * Parses expressions with Calcite's parser, in the variant that reserves few words: names keep their case, and double quotes
 * make a name of any word.
 */
public final class SqlExpressions implements ExpressionParser {
    private static final SqlParser.Config CONFIG = SqlParser.config()
            .withParserFactory(SqlBabelParserImpl.FACTORY)
            .withUnquotedCasing(Casing.UNCHANGED)
            .withQuotedCasing(Casing.UNCHANGED)
            .withQuoting(Quoting.DOUBLE_QUOTE)
            .withConformance(SqlConformanceEnum.BABEL)
            .withIdentifierMaxLength(Short.MAX_VALUE);

    private static final Pattern ENCOUNTERED = Pattern.compile("Encountered \"(.*?)\" at line (\\d+), column (\\d+)");
    private static final Pattern WORD = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    /** Words that are reserved only where a literal could begin. */
    private static final Set<String> TYPES = Set.of("DATE", "TIME", "TIMESTAMP", "INTERVAL");

    private static final Place BEGINNING = new Place(1, 1);

    @Override
    public Syntax parse(String text) {
        SqlParser parser = SqlParser.create(text, CONFIG);
        try {
            return syntax(parser.parseExpression());
        } catch (SqlParseException refused) {
            throw refusal(refused, text, parser.getMetadata());
        }
    }

    /** Calcite names every token that could follow; what people need is the place, and whether a word is reserved. */
    private static ExpressionSyntaxException refusal(
            SqlParseException refused, String text, SqlAbstractParserImpl.Metadata metadata) {
        String message = String.valueOf(refused.getMessage());
        SqlParserPos pos = refused.getPos();
        Matcher encountered = ENCOUNTERED.matcher(message);
        if (!encountered.lookingAt()) {
            String first = message.lines().findFirst().orElse(message);
            return new ExpressionSyntaxException(
                    pos == null ? BEGINNING : place(pos), "cannot be read: " + first, "expected an SQL expression");
        }
        Place place = new Place(Integer.parseInt(encountered.group(2)), Integer.parseInt(encountered.group(3)));
        String found =
                encountered.group(1).replace(" <EOF>", "").replace("<EOF>", "").strip();
        String word = found.isEmpty() ? "" : found.split(" ", 2)[0];
        String reserved = reservedWord(word, before(text, place), metadata);
        String wrong = word.isEmpty() || message.contains(word + " <EOF>\"")
                ? "the expression breaks off"
                : "'" + word + "' is not expected here";
        return new ExpressionSyntaxException(
                place,
                wrong,
                reserved == null
                        ? "expected an SQL expression"
                        : "'" + reserved + "' is a word of SQL: if it is a field, write it in double quotes");
    }

    /** The word at which reading stopped, or the last one before, if SQL has it for itself. */
    private static @Nullable String reservedWord(String found, String before, SqlAbstractParserImpl.Metadata metadata) {
        if (isReserved(found, metadata)) {
            return found;
        }
        Matcher words = WORD.matcher(before);
        String last = "";
        int end = -1;
        while (words.find()) {
            last = words.group();
            end = words.end();
        }
        return end >= 0 && before.substring(end).isBlank() && isReserved(last, metadata) ? last : null;
    }

    private static boolean isReserved(String word, SqlAbstractParserImpl.Metadata metadata) {
        String upper = word.toUpperCase(Locale.ROOT);
        return WORD.matcher(word).matches() && (metadata.isReservedWord(upper) || TYPES.contains(upper));
    }

    private static String before(String text, Place place) {
        List<String> lines = text.lines().toList();
        if (place.line() > lines.size()) {
            return "";
        }
        String line = lines.get(place.line() - 1);
        return line.substring(0, Math.min(line.length(), place.column() - 1));
    }

    private static Place place(SqlParserPos pos) {
        return new Place(Math.max(pos.getLineNum(), 1), Math.max(pos.getColumnNum(), 1));
    }

    /** Where a node begins: a cast by {@code ::} has no place of its own. */
    private static Place placeOf(SqlNode node) {
        SqlNode first = node;
        while (first.getParserPosition().getLineNum() < 1
                && first instanceof SqlCall call
                && call.operandCount() > 0
                && call.operand(0) != null) {
            first = call.operand(0);
        }
        return place(first.getParserPosition());
    }

    private static Syntax syntax(SqlNode node) {
        Place place = placeOf(node);
        if (node instanceof SqlIdentifier name) {
            return name.isStar()
                    ? new Syntax.Foreign("a star", place)
                    : new Syntax.Name(String.join(".", name.names), place);
        }
        if (node instanceof SqlLiteral literal) {
            return literal(literal, place);
        }
        if (node instanceof SqlCase written) {
            return caseOf(written, place);
        }
        if (node.isA(SqlKind.QUERY) || node.getKind() == SqlKind.EXISTS || node.getKind() == SqlKind.UNIQUE) {
            return new Syntax.Foreign("a subquery", place);
        }
        if (node instanceof SqlCall call) {
            return call(call, place);
        }
        if (node.getKind() == SqlKind.DYNAMIC_PARAM) {
            return new Syntax.Foreign("a parameter", place);
        }
        if (node instanceof SqlIntervalQualifier) {
            return new Syntax.Foreign("the unit '" + node + "', which as a field stands in double quotes,", place);
        }
        return new Syntax.Foreign("'" + node + "'", place);
    }

    private static Syntax literal(SqlLiteral literal, Place place) {
        if (literal instanceof SqlUnknownLiteral tagged) {
            LiteralKind kind = switch (tagged.tag) {
                case "DATE" -> LiteralKind.DATE;
                case "TIME" -> LiteralKind.TIME;
                case "TIMESTAMP", "TIMESTAMP WITH TIME ZONE" -> LiteralKind.TIMESTAMP;
                default -> null;
            };
            return kind == null
                    ? new Syntax.Foreign("a literal of type " + tagged.tag.toLowerCase(Locale.ROOT), place)
                    : new Syntax.Literal(kind, text(tagged), place);
        }
        if (literal instanceof SqlNumericLiteral number) {
            BigDecimal value = Objects.requireNonNull(number.bigDecimalValue(), "a number has a value");
            boolean isInteger = number.isExact() && value.scale() == 0;
            return new Syntax.Literal(
                    isInteger ? LiteralKind.INTEGER : LiteralKind.DECIMAL, value.toPlainString(), place);
        }
        SqlTypeName type = literal.getTypeName();
        if (type == SqlTypeName.CHAR) {
            return new Syntax.Literal(LiteralKind.TEXT, text(literal), place);
        }
        if (type == SqlTypeName.BOOLEAN && literal.getValue() != null) {
            return new Syntax.Literal(LiteralKind.BOOLEAN, String.valueOf(literal.booleanValue()), place);
        }
        if (type == SqlTypeName.NULL || type == SqlTypeName.BOOLEAN) {
            return new Syntax.Literal(LiteralKind.NULL, "null", place);
        }
        return new Syntax.Foreign(
                type.getFamily() != null && SqlTypeName.INTERVAL_TYPES.contains(type)
                        ? "an interval"
                        : "'" + literal + "'",
                place);
    }

    private static String text(SqlLiteral literal) {
        return Objects.requireNonNull(literal.getValueAs(String.class), "a text has a value");
    }

    private static Syntax caseOf(SqlCase written, Place place) {
        SqlNode otherwise = written.getElseOperand();
        return new Syntax.Case(
                all(written.getWhenOperands()),
                all(written.getThenOperands()),
                otherwise == null ? null : syntax(otherwise),
                place);
    }

    private static Syntax call(SqlCall call, Place place) {
        String name = call.getOperator().getName().toLowerCase(Locale.ROOT);
        List<SqlNode> operands = call.getOperandList();
        return switch (call.getKind()) {
            case OVER -> new Syntax.Foreign("a window function", place);
            case FILTER, WITHIN_GROUP, WITHIN_DISTINCT -> new Syntax.Foreign("an aggregate", place);
            case CAST -> cast(operands, place);
            case MINUS_PREFIX -> new Syntax.Call("negate", all(operands), place);
            case PLUS_PREFIX -> syntax(operands.get(0));
            case IN, NOT_IN -> in(name, operands, place);
            case TRIM -> trim(operands, place);
            case EXTRACT -> extract(operands, place);
            case ROW -> new Syntax.Foreign("a row of several values", place);
            case LITERAL_CHAIN -> new Syntax.Foreign("a text in several parts", place);
            case BETWEEN -> new Syntax.Call(name.replace(" asymmetric", ""), all(operands), place);
            case FLOOR, CEIL ->
                operands.size() > 1
                        ? new Syntax.Foreign("'" + name + " ... to' a unit", place)
                        : new Syntax.Call(name, all(operands), place);
            default -> {
                if (call.getFunctionQuantifier() != null) {
                    yield new Syntax.Foreign("an aggregate", place);
                }
                yield new Syntax.Call(name.equals("!=") ? "<>" : name, all(operands), place);
            }
        };
    }

    private static Syntax cast(List<SqlNode> operands, Place place) {
        Syntax operand = syntax(operands.get(0));
        if (!(operands.get(1) instanceof SqlDataTypeSpec type)) {
            return new Syntax.Foreign("such a cast", place);
        }
        String name = type.toString().toLowerCase(Locale.ROOT).replace("`", "");
        if (type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec plain) {
            name = name.replaceAll("\\(.*?\\)", "").strip();
            return new Syntax.Cast(operand, name, plain.getPrecision(), plain.getScale(), place);
        }
        return new Syntax.Cast(operand, name, -1, -1, place);
    }

    private static Syntax in(String name, List<SqlNode> operands, Place place) {
        if (!(operands.get(1) instanceof SqlNodeList list)) {
            return new Syntax.Foreign("a subquery", place);
        }
        List<Syntax> arguments = new ArrayList<>();
        arguments.add(syntax(operands.get(0)));
        arguments.addAll(all(list));
        return new Syntax.Call(name, arguments, place);
    }

    private static Syntax trim(List<SqlNode> operands, Place place) {
        SqlTrimFunction.Flag side = ((SqlLiteral) operands.get(0)).getValueAs(SqlTrimFunction.Flag.class);
        String name = switch (Objects.requireNonNull(side, "trim has a side")) {
            case BOTH -> "btrim";
            case LEADING -> "ltrim";
            case TRAILING -> "rtrim";
        };
        return new Syntax.Call(name, List.of(syntax(operands.get(2)), syntax(operands.get(1))), place);
    }

    private static Syntax extract(List<SqlNode> operands, Place place) {
        SqlNode unit = operands.get(0);
        String word = unit instanceof SqlIntervalQualifier qualifier
                ? qualifier.toString().replace("`", "")
                : unit.toString();
        return new Syntax.Call(
                "extract",
                List.of(
                        new Syntax.Literal(
                                LiteralKind.TEXT, word.toLowerCase(Locale.ROOT), place(unit.getParserPosition())),
                        syntax(operands.get(1))),
                place);
    }

    private static List<Syntax> all(Iterable<SqlNode> nodes) {
        List<Syntax> all = new ArrayList<>();
        for (SqlNode node : nodes) {
            all.add(node == null ? new Syntax.Foreign("a missing operand", BEGINNING) : syntax(node));
        }
        return List.copyOf(all);
    }
}
