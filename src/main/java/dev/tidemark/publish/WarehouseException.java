package dev.tidemark.publish;

/** The warehouse could not do what was asked; the message says what, where and the way out. */
public class WarehouseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public WarehouseException(String message) {
        super(message);
    }

    public WarehouseException(String message, Throwable cause) {
        super(message, cause);
    }
}
