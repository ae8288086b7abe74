package dev.tidemark.database;

import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a failure of the database means for the one who asked. */
final class SqlStates {
    /** What can be done about it. */
    enum Kind {
        /** Somebody was in the way, or the server is away for a moment: the same work can succeed soon. */
        PASSING,
        /** Room has to be made first; a few tries bridge a short shortage. */
        FULL,
        /** Asking again will not help. */
        LASTING
    }

    private static final Pattern DENIED = Pattern.compile("permission denied for (database|schema|table) (\\S+)");

    private SqlStates() {}

    static Kind kind(SQLException failure) {
        String state = failure.getSQLState();
        if (state == null) {
            return Kind.LASTING;
        }
        return switch (state) {
            case "40001", // serialization failure
                    "40P01", // deadlock
                    "55P03", // lock timeout
                    "57P01", // administrator shut the session down
                    "57P02", // crash of another session
                    "57P03", // starting up, shutting down
                    "25P03", // the session sat idle in its transaction for too long
                    "53300" // too many connections
            -> Kind.PASSING;
            case "53100" -> Kind.FULL;
            default -> state.startsWith("08") ? Kind.PASSING : Kind.LASTING;
        };
    }

    /** What a person can do about a failure; null if the database's own words are all there is to say. */
    static @Nullable String wayOut(SQLException failure) {
        String grant = "42501".equals(failure.getSQLState()) ? grant(String.valueOf(failure.getMessage())) : null;
        return grant == null
                ? wayOut(failure.getSQLState())
                : "the user lacks this right: let the owner `" + grant + "`, or connect as another user";
    }

    /** The statement that gives the right whose lack the server reports in English; null: it says something else. */
    private static @Nullable String grant(String message) {
        Matcher denied = DENIED.matcher(message);
        if (!denied.find()) {
            return null;
        }
        String name = denied.group(2);
        return switch (denied.group(1)) {
            case "database" -> "grant create on database " + name + " to USER";
            case "schema" -> "grant usage, create on schema " + name + " to USER";
            default -> "grant select, insert, update, delete on " + name + " to USER";
        };
    }

    private static @Nullable String wayOut(@Nullable String state) {
        if (state == null) {
            return null;
        }
        return switch (state) {
            case "42501" -> "the user lacks this right: let the owner grant it, or connect as another user";
            case "28000", "28P01" ->
                "check user and password: they are taken from the address, then from " + ConnectionSettings.USER
                        + " and " + ConnectionSettings.PASSWORD;
            case "3D000" -> "create the database first, or correct its name in the address";
            case "3F000", "42P01" -> "run `init` first; if it was run, somebody dropped or renamed the table";
            case "42703", "42804" ->
                "somebody changed the table since `init`: run `init` again, it lists the differences";
            case "53100" -> "the database's disk is full: make room";
            case "53300" -> "the server has no free connection: raise max_connections or lower the parallelism";
            case "55P03" -> "another transaction holds the lock: see pg_stat_activity and pg_locks";
            case "57014" -> "it took longer than the session's statement_timeout";
            default -> state.startsWith("08") ? "check that the server runs and can be reached" : null;
        };
    }
}
