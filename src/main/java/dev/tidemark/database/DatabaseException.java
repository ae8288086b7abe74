package dev.tidemark.database;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The database could not do what was asked; the message says what, and what the database said. */
public final class DatabaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String message;

    public DatabaseException(String message) {
        super(message);
        this.message = message;
    }

    public DatabaseException(String message, Throwable cause) {
        super(message, cause);
        this.message = message;
    }

    @Override
    public String getMessage() {
        return message;
    }

    /** The SQLSTATE of the failure behind it; null if the database did not speak. */
    public @Nullable String sqlState() {
        return getCause() instanceof SQLException failure ? failure.getSQLState() : null;
    }
}
