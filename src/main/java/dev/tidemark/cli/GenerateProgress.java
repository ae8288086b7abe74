package dev.tidemark.cli;

import dev.tidemark.generate.Progress;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;

/** Shows how far generated data has come: one line rewritten on a terminal, else a line every ten seconds. */
final class GenerateProgress implements Progress {
    private static final int WIDTH = 60;

    private final Console console;
    private final boolean terminal;
    private final Instant began;
    private Instant shown;
    private boolean written;

    GenerateProgress(Console console) {
        this.console = console;
        this.terminal = console.isTerminal();
        this.began = console.clock().instant();
        this.shown = began;
    }

    @Override
    public void reached(LocalDate day, long records) {
        Instant now = console.clock().instant();
        if (Duration.between(shown, now).toMillis() < (terminal ? 200 : 10_000)) {
            return;
        }
        shown = now;
        String text = day + ": " + Words.number(records) + " records";
        if (terminal) {
            console.err().print("\r" + text + " ".repeat(Math.max(0, WIDTH - text.length())));
            written = true;
        } else {
            console.err().println(text);
        }
        console.err().flush();
    }

    /** Wipes the line. */
    void end() {
        if (written) {
            console.err().print("\r" + " ".repeat(WIDTH) + "\r");
            console.err().flush();
            written = false;
        }
    }

    Duration took() {
        return Duration.between(began, console.clock().instant());
    }
}
