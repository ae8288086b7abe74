package dev.tidemark.expression;

import java.io.Serial;

/** A value cannot be computed. Never leaves the room, hence without a trace. */
final class OutOfRange extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    OutOfRange(String why) {
        super(why, null, false, false);
    }
}
