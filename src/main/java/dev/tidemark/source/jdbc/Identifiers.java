package dev.tidemark.source.jdbc;

/** Names in SQL. */
final class Identifiers {
    private Identifiers() {}

    /** A column of the rows, as it is called, capitals included. */
    static String column(String name) {
        return "h." + quoted(name);
    }

    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
