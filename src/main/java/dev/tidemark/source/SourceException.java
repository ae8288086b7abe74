package dev.tidemark.source;

/** The source cannot be read on, now or ever; the message says what, where and the way out. */
public final class SourceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SourceException(String message) {
        super(message);
    }
}
