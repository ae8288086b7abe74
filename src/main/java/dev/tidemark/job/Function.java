package dev.tidemark.job;

import java.util.List;

/** What an expression can do with its arguments; the meaning is PostgreSQL's. */
public enum Function {
    AND(Form.INFIX, "and"),
    OR(Form.INFIX, "or"),
    NOT(Form.PREFIX, "not "),
    IS_NULL(Form.POSTFIX, "is null"),
    IS_NOT_NULL(Form.POSTFIX, "is not null"),
    IS_TRUE(Form.POSTFIX, "is true"),
    IS_NOT_TRUE(Form.POSTFIX, "is not true"),
    IS_FALSE(Form.POSTFIX, "is false"),
    IS_NOT_FALSE(Form.POSTFIX, "is not false"),
    EQUAL(Form.INFIX, "="),
    NOT_EQUAL(Form.INFIX, "<>"),
    LESS(Form.INFIX, "<"),
    LESS_OR_EQUAL(Form.INFIX, "<="),
    GREATER(Form.INFIX, ">"),
    GREATER_OR_EQUAL(Form.INFIX, ">="),
    DISTINCT(Form.INFIX, "is distinct from"),
    NOT_DISTINCT(Form.INFIX, "is not distinct from"),
    /** The first argument is one of the others. */
    IN(Form.SPECIAL, "in"),
    /** Text, pattern and perhaps the escape character; both are literals. */
    LIKE(Form.SPECIAL, "like"),
    ADD(Form.INFIX, "+"),
    SUBTRACT(Form.INFIX, "-"),
    MULTIPLY(Form.INFIX, "*"),
    DIVIDE(Form.INFIX, "/"),
    REMAINDER(Form.INFIX, "%"),
    NEGATE(Form.PREFIX, "- "),
    /** Text that is joined; null if a part is. */
    JOIN(Form.INFIX, "||"),
    /** Text that is joined; parts that are null are passed over. */
    CONCAT(Form.FUNCTION, "concat"),
    /** Conditions and results by turns, and the result for when none holds. */
    CASE(Form.SPECIAL, "case"),
    COALESCE(Form.FUNCTION, "coalesce"),
    NULLIF(Form.FUNCTION, "nullif"),
    GREATEST(Form.FUNCTION, "greatest"),
    LEAST(Form.FUNCTION, "least"),
    /** To the call's type. */
    CAST(Form.SPECIAL, "cast"),
    LOWER(Form.FUNCTION, "lower"),
    UPPER(Form.FUNCTION, "upper"),
    LENGTH(Form.FUNCTION, "length"),
    SUBSTRING(Form.FUNCTION, "substr"),
    LEFT(Form.FUNCTION, "left"),
    RIGHT(Form.FUNCTION, "right"),
    TRIM(Form.FUNCTION, "btrim"),
    LTRIM(Form.FUNCTION, "ltrim"),
    RTRIM(Form.FUNCTION, "rtrim"),
    REPLACE(Form.FUNCTION, "replace"),
    /** Where in the first text the second begins, from 1; 0: nowhere. */
    POSITION(Form.FUNCTION, "strpos"),
    ABS(Form.FUNCTION, "abs"),
    ROUND(Form.FUNCTION, "round"),
    FLOOR(Form.FUNCTION, "floor"),
    CEIL(Form.FUNCTION, "ceil"),
    /** The unit is a literal. */
    EXTRACT(Form.SPECIAL, "extract"),
    /** The unit is a literal. */
    DATE_TRUNC(Form.FUNCTION, "date_trunc");

    private enum Form {
        INFIX,
        PREFIX,
        POSTFIX,
        FUNCTION,
        SPECIAL
    }

    private final Form form;
    private final String word;

    Function(Form form, String word) {
        this.form = form;
        this.word = word;
    }

    /** As SQL writes it. */
    public String word() {
        return word.strip();
    }

    /** A call in SQL, of arguments that are in SQL already. */
    String sql(List<String> arguments) {
        return switch (form) {
            case INFIX -> "(" + String.join(" " + word + " ", arguments) + ")";
            case PREFIX -> "(" + word + arguments.get(0) + ")";
            case POSTFIX -> "(" + arguments.get(0) + " " + word + ")";
            case FUNCTION -> word + "(" + String.join(", ", arguments) + ")";
            case SPECIAL -> throw new IllegalStateException(this + " is written in a form of its own");
        };
    }
}
