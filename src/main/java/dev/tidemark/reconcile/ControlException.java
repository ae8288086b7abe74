package dev.tidemark.reconcile;

import java.util.List;

/** Control totals that cannot be used; the message lists what is wrong with them, all at once. */
public final class ControlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ControlException(String message) {
        super(message);
    }

    public ControlException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Several problems.
     *
     * @param origin where the totals came from
     */
    public static ControlException of(String origin, List<String> problems) {
        return new ControlException(
                "the control totals (" + origin + ") cannot be compared:\n  " + String.join("\n  ", problems));
    }
}
