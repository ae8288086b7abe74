package dev.tidemark.gate;

/** The state that the job was to go on with is not for it; the message says what is otherwise, and the way out. */
public final class RestoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RestoreException(String message) {
        super(message);
    }
}
