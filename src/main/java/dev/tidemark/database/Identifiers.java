package dev.tidemark.database;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Names of schemas, tables and columns. */
public final class Identifiers {
    /** Longer ones PostgreSQL cuts off without a word. */
    public static final int LIMIT_BYTES = 63;

    private static final Pattern PLAIN = Pattern.compile("[a-z_][a-z0-9_]*");

    private Identifiers() {}

    /** A name as SQL takes it, whatever is in it. */
    public static String quoted(String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a name in the database cannot be empty or hold a zero byte");
        }
        if (name.getBytes(StandardCharsets.UTF_8).length > LIMIT_BYTES) {
            throw new IllegalArgumentException("the name " + name + " is longer than " + LIMIT_BYTES + " bytes");
        }
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A table as SQL takes it. */
    public static String quoted(String schema, String table) {
        return quoted(schema) + "." + quoted(table);
    }

    /** A table as people write it: quoted only where it must be. */
    public static String shown(String schema, String table) {
        return shown(schema) + "." + shown(table);
    }

    private static String shown(String name) {
        return PLAIN.matcher(name).matches() ? name : quoted(name);
    }

    /** Text as an SQL literal. */
    public static String literal(String text) {
        return text.indexOf('\\') < 0
                ? "'" + text.replace("'", "''") + "'"
                : "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }
}
