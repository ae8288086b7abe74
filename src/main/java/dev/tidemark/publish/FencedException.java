package dev.tidemark.publish;

/** A newer submission has taken over: this one must stop and not come back. */
public final class FencedException extends WarehouseException {
    private static final long serialVersionUID = 1L;

    public FencedException(String message) {
        super(message);
    }
}
