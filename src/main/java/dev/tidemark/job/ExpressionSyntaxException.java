package dev.tidemark.job;

/** A text is no SQL expression. */
public final class ExpressionSyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Syntax.Place place;
    private final String allowed;

    public ExpressionSyntaxException(Syntax.Place place, String wrong, String allowed) {
        super(wrong);
        this.place = place;
        this.allowed = allowed;
    }

    /** Where reading came to its end. */
    public Syntax.Place place() {
        return place;
    }

    /** The way out; may be empty. */
    public String allowed() {
        return allowed;
    }
}
