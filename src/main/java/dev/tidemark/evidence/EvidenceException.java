package dev.tidemark.evidence;

/** What was to be looked at could not be; the message says what, where and the way out. */
public class EvidenceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public EvidenceException(String message) {
        super(message);
    }

    public EvidenceException(String message, Throwable cause) {
        super(message, cause);
    }
}
