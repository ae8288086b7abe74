package dev.tidemark.expression;

import java.util.List;
import java.util.Random;

/** Expressions over {@link TypedRows}, drawn by type; PostgreSQL and the program read the same text. */
final class RandomExpressions {
    private static final int DEEPEST = 3;

    private final Random random;

    RandomExpressions(Random random) {
        this.random = random;
    }

    /** An expression of any type. */
    String next() {
        return switch (random.nextInt(6)) {
            case 0, 1 -> condition(0);
            case 2 -> integer(0);
            case 3 -> decimal(0);
            case 4 -> text(0);
            default -> time(0);
        };
    }

    private String pick(String... choices) {
        return List.of(choices).get(random.nextInt(choices.length));
    }

    private boolean isLeaf(int depth) {
        return depth >= DEEPEST || random.nextInt(4) == 0;
    }

    private String condition(int depth) {
        if (isLeaf(depth)) {
            return pick("f", "g", "true", "false", "s = 'abc'", "i > 0", "n < 1", "cast(null as boolean)");
        }
        int next = depth + 1;
        return switch (random.nextInt(11)) {
            case 0 -> "(" + condition(next) + " and " + condition(next) + ")";
            case 1 -> "(" + condition(next) + " or " + condition(next) + ")";
            case 2 -> "(not " + condition(next) + ")";
            case 3 -> "(" + condition(next) + pick(" is true", " is not true", " is false", " is null") + ")";
            case 4 -> "(" + integer(next) + comparison() + integer(next) + ")";
            case 5 -> "(" + decimal(next) + comparison() + pick(integer(next), decimal(next), "d", "r") + ")";
            case 6 -> "(" + text(next) + comparison() + text(next) + ")";
            case 7 -> "(" + time(next) + comparison() + time(next) + ")";
            case 8 ->
                "(" + text(next) + pick(" like ", " not like ") + pick("'a%'", "'%b%'", "'_'", "'%€_'", "'%\\%%'")
                        + ")";
            case 9 -> "(" + integer(next) + pick(" in (", " not in (") + integer(next) + ", 5, " + decimal(next) + "))";
            default ->
                "(" + decimal(next) + pick(" between ", " not between ") + integer(next) + " and " + decimal(next)
                        + ")";
        };
    }

    private String comparison() {
        return pick(" = ", " <> ", " < ", " <= ", " > ", " >= ", " is distinct from ", " is not distinct from ");
    }

    private String integer(int depth) {
        if (isLeaf(depth)) {
            return pick("i", "j", "l", "0", "1", "7", "(-3)", "1000000");
        }
        int next = depth + 1;
        return switch (random.nextInt(9)) {
            case 0, 1 -> "(" + integer(next) + pick(" + ", " - ", " * ", " / ", " % ") + integer(next) + ")";
            case 2 -> "(- " + integer(next) + ")";
            case 3 -> "abs(" + integer(next) + ")";
            case 4 -> "length(" + text(next) + ")";
            case 5 -> choice(integer(next), integer(next), next);
            case 6 -> "cast(" + decimal(next) + " as bigint)";
            case 7 -> "strpos(" + text(next) + ", " + text(next) + ")";
            default -> "nullif(" + integer(next) + ", " + integer(next) + ")";
        };
    }

    private String decimal(int depth) {
        if (isLeaf(depth)) {
            return pick("n", "w", "0.5", "100.00", "(-0.001)", "3.0");
        }
        int next = depth + 1;
        return switch (random.nextInt(9)) {
            case 0, 1 -> "(" + decimal(next) + pick(" + ", " - ", " * ", " / ", " % ") + decimal(next) + ")";
            case 2 -> "(" + integer(next) + pick(" + ", " - ", " * ", " / ") + decimal(next) + ")";
            case 3 -> "round(" + decimal(next) + ", " + pick("0", "1", "4", "-2") + ")";
            case 4 -> pick("floor(", "ceil(", "abs(", "round(") + decimal(next) + ")";
            case 5 -> choice(decimal(next), pick(integer(next), decimal(next)), next);
            case 6 -> "cast(" + pick(decimal(next), integer(next)) + " as decimal(20, 3))";
            case 7 -> "extract(" + pick("year", "second", "hour", "dow", "epoch") + " from " + pick("at", "loc") + ")";
            default -> pick("greatest(", "least(", "coalesce(") + decimal(next) + ", " + integer(next) + ")";
        };
    }

    private String text(int depth) {
        if (isLeaf(depth)) {
            return pick("s", "t", "'abc'", "''", "'ä€'", "'it''s'");
        }
        int next = depth + 1;
        return switch (random.nextInt(9)) {
            case 0 -> "(" + text(next) + " || " + pick(text(next), integer(next)) + ")";
            case 1 -> pick("lower(", "upper(", "ltrim(", "rtrim(", "trim(") + columnText(next) + ")";
            case 2 -> "substring(" + text(next) + ", " + pick("1", "2", "-1", "i") + ", " + pick("0", "2", "5") + ")";
            case 3 -> pick("left(", "right(") + text(next) + ", " + pick("0", "1", "3", "-1") + ")";
            case 4 -> "replace(" + text(next) + ", " + text(next) + ", " + text(next) + ")";
            case 5 -> choice(text(next), text(next), next);
            case 6 -> "cast(" + pick(integer(next), decimal(next)) + " as text)";
            case 7 -> "concat(" + text(next) + ", " + text(next) + ", " + integer(next) + ")";
            default -> "coalesce(" + text(next) + ", " + text(next) + ")";
        };
    }

    /** Text whose collation is that of a column: a constant's would be the database's. */
    private String columnText(int depth) {
        return "(" + pick("s", "t") + " || " + text(depth) + ")";
    }

    private String time(int depth) {
        if (isLeaf(depth)) {
            return pick("at", "loc", "\"day\"", "date '2026-02-28'", "timestamp '2026-03-08 02:30:00'");
        }
        int next = depth + 1;
        return switch (random.nextInt(5)) {
            case 0 ->
                "date_trunc('" + pick("hour", "day", "week", "month", "quarter", "year") + "', " + time(next) + ")";
            case 1 -> "cast(" + time(next) + " as date)";
            case 2 -> "(\"day\" + " + pick("1", "30", "(-400)") + ")";
            case 3 -> choice(time(next), time(next), next);
            default -> "cast(" + time(next) + pick(" as timestamp)", " as timestamp with time zone)");
        };
    }

    private String choice(String one, String other, int depth) {
        return "case when " + condition(depth + 1) + " then " + one + " else " + other + " end";
    }
}
