package dev.tidemark.cli;

import java.io.PrintWriter;
import java.time.Clock;
import java.util.Map;

/**
 * Where a command speaks.
 *
 * @param out for what was asked for
 * @param err for progress, warnings and errors
 * @param environment the environment variables
 * @param clock tells the time
 */
record Console(PrintWriter out, PrintWriter err, Map<String, String> environment, Clock clock) {
    /** Set by the script that starts Tidemark when standard error is a terminal; Java itself cannot tell. */
    private static final String TERMINAL = "TIDEMARK_TERMINAL";

    /** Whether a person is looking: then progress may rewrite its line. */
    boolean isTerminal() {
        return environment.containsKey(TERMINAL) && !"dumb".equals(environment.getOrDefault("TERM", "dumb"));
    }
}
