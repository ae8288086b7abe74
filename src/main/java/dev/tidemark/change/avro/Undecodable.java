package dev.tidemark.change.avro;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;

/** Ends the decoding of a record. Never leaves the room, hence without a trace. */
final class Undecodable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @FormatMethod
    Undecodable(@FormatString String format, Object... values) {
        super(String.format(java.util.Locale.ROOT, format, values), null, false, false);
    }
}
