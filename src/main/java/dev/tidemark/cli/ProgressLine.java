package dev.tidemark.cli;

import dev.tidemark.publish.Progress;

/** Shows how a run goes: one line rewritten on a terminal, else a line for each publication, ten seconds apart. */
final class ProgressLine {
    private static final int WIDTH = 110;

    private final Console console;
    private final boolean terminal;
    private long shown;
    private boolean written;

    ProgressLine(Console console) {
        this.console = console;
        this.terminal = console.isTerminal();
    }

    /** How long to wait before showing again. */
    long pauseMillis() {
        return terminal ? 500 : 10_000;
    }

    void show(Progress progress) {
        if (progress.publications() == 0 || (!terminal && progress.lastPublication() == shown)) {
            return;
        }
        shown = progress.lastPublication();
        String text = "publication " + progress.lastPublication() + ": " + Words.number(progress.read())
                + " records read in all, " + Words.number(progress.late() + progress.split()) + " late, "
                + Words.number(progress.rejected()) + " rejected, frontier "
                + (progress.frontierLeast() == null ? "not known yet" : progress.frontierLeast());
        if (terminal) {
            console.err().print("\r" + text + " ".repeat(Math.max(0, WIDTH - text.length())));
            written = true;
        } else {
            console.err().println(text);
        }
        console.err().flush();
    }

    /** Wipes the line: what follows says it all, and begins where it began. */
    void end() {
        if (written) {
            console.err().print("\r" + " ".repeat(WIDTH) + "\r");
            console.err().flush();
            written = false;
        }
    }
}
