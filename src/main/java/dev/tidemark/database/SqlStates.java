package dev.tidemark.database;

import java.sql.SQLException;
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
    static @Nullable String wayOut(@Nullable String state) {
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
