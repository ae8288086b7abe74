package dev.tidemark.recovery;

import com.google.errorprone.annotations.FormatMethod;

/** An operation cannot be begun or gone on with; the message says why, and the way out. */
public final class RecoveryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @FormatMethod
    public RecoveryException(String format, Object... values) {
        super(String.format(format, values));
    }

    public RecoveryException(String message, Throwable cause) {
        super(message, cause);
    }
}
