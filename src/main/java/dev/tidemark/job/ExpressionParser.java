package dev.tidemark.job;

/** Reads the text of an SQL scalar expression. */
@FunctionalInterface
public interface ExpressionParser {

    /**
     * What the text says.
     *
     * @throws ExpressionSyntaxException if it is no expression
     */
    Syntax parse(String text);
}
