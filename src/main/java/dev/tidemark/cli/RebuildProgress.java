package dev.tidemark.cli;

import dev.tidemark.pipeline.HistoryReading;
import java.util.Map;

/** Shows how a rebuild goes: one line rewritten on a terminal, else a line every ten seconds. */
final class RebuildProgress {
    private static final int WIDTH = 110;

    private final Console console;
    private final boolean terminal;
    private String shown = "";
    private boolean written;

    RebuildProgress(Console console) {
        this.console = console;
        this.terminal = console.isTerminal();
    }

    /** How long to wait before showing again. */
    long pauseMillis() {
        return terminal ? 500 : 10_000;
    }

    /** @param counts what the running job counts, by name */
    void show(Map<String, Object> counts) {
        if (!(counts.get(HistoryReading.RECORDS) instanceof Long records)) {
            return;
        }
        String text = Words.number(records) + " records read";
        if (text.equals(shown)) {
            text += ", computing";
        } else {
            shown = text;
        }
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
