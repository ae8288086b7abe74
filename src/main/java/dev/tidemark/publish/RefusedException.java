package dev.tidemark.publish;

/** What was asked cannot be done however often it is tried; the message says what, where and the way out. */
public final class RefusedException extends WarehouseException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message);
    }

    public RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
