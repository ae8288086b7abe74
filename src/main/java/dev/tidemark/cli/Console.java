package dev.tidemark.cli;

import java.io.PrintWriter;
import java.util.Map;

/**
 * Where a command speaks.
 *
 * @param out for what was asked for
 * @param err for progress, warnings and errors
 * @param environment the environment variables
 */
record Console(PrintWriter out, PrintWriter err, Map<String, String> environment) {
    /** Whether a person is looking: then progress may rewrite its line. */
    boolean isTerminal() {
        return System.console() != null && !"dumb".equals(environment.getOrDefault("TERM", "dumb"));
    }
}
