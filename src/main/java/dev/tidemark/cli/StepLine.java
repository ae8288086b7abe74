package dev.tidemark.cli;

/** Shows which step a command is at: one line rewritten on a terminal, else a line a step. */
final class StepLine {
    private static final int WIDTH = 110;

    private final Console console;
    private boolean written;

    StepLine(Console console) {
        this.console = console;
    }

    /** A step begins. */
    void show(String step) {
        if (console.isTerminal()) {
            console.err().print("\r" + step + " ".repeat(Math.max(0, WIDTH - step.length())));
            written = true;
        } else {
            console.err().println(step);
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
}
