package dev.tidemark.cli;

import dev.tidemark.recovery.RecoveryException;

/** Says what is waited for: one line rewritten on a terminal, else a line when it begins. */
final class WaitingLine {
    private static final int WIDTH = 110;
    private static final long PAUSE_MILLIS = 300;

    private final Console console;
    private String shown = "";
    private boolean written;

    WaitingLine(Console console) {
        this.console = console;
    }

    /** Waits a little. */
    void pass(String what) {
        if (!what.equals(shown)) {
            shown = what;
            String text = "waiting for " + what;
            if (console.isTerminal()) {
                console.err().print("\r" + text + " ".repeat(Math.max(0, WIDTH - text.length())));
                written = true;
            } else {
                console.err().println(text);
            }
            console.err().flush();
        }
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new RecoveryException("interrupted while waiting for " + what, interrupted);
        }
    }

    /** Wipes the line. */
    void end() {
        if (written) {
            console.err().print("\r" + " ".repeat(WIDTH) + "\r");
            console.err().flush();
            written = false;
        }
    }
}
