package dev.tidemark.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An expression as it was written: parsed, but neither looked up nor typed. */
public sealed interface Syntax {

    /** Where it begins. */
    Place place();

    /**
     * A place in the text of an expression.
     *
     * @param line from 1
     * @param column from 1
     */
    record Place(int line, int column) {
        /** The place for people; the line is named only where there are several. */
        public String text() {
            return line == 1 ? "column " + column : "line " + line + ", column " + column;
        }
    }

    /** A field, by its name; the parts of a nested one are joined by dots. */
    record Name(String name, Place place) implements Syntax {}

    /** What a literal is written as. */
    enum LiteralKind {
        INTEGER,
        DECIMAL,
        TEXT,
        BOOLEAN,
        NULL,
        DATE,
        TIME,
        TIMESTAMP
    }

    /**
     * A literal.
     *
     * @param text plain digits of a number; of all others what stands between the quotes, or the word
     */
    record Literal(LiteralKind kind, String text, Place place) implements Syntax {}

    /**
     * An operator or a function with its arguments.
     *
     * @param function its name in small letters, or its sign
     */
    record Call(String function, List<Syntax> arguments, Place place) implements Syntax {}

    /** {@code cast(operand as type)}; precision and scale are -1 where they are not given. */
    record Cast(Syntax operand, String type, int precision, int scale, Place place) implements Syntax {}

    /** {@code case}: as many results as conditions. */
    record Case(
            List<Syntax> conditions,
            List<Syntax> results,
            @Nullable Syntax otherwise,
            Place place) implements Syntax {}

    /**
     * What SQL knows but no expression may hold.
     *
     * @param what with its article, for instance {@code a subquery}
     */
    record Foreign(String what, Place place) implements Syntax {}
}
