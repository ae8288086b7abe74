package dev.tidemark.cli;

import dev.tidemark.pipeline.HistoryReading;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;

/** Shows how a job that reads a history goes: one line rewritten on a terminal, else a line every ten seconds. */
final class HistoryProgress {
    private static final int WIDTH = 110;

    private final Console console;
    private final boolean terminal;
    private String shown = "";
    private boolean written;

    HistoryProgress(Console console) {
        this.console = console;
        this.terminal = console.isTerminal();
    }

    /**
     * Waits for the end of a job and shows how it goes meanwhile.
     *
     * @throws ExecutionException if the job has failed
     */
    void await(JobClient client) throws ExecutionException, InterruptedException {
        CompletableFuture<JobExecutionResult> result = client.getJobExecutionResult();
        while (true) {
            try {
                result.get(pauseMillis(), TimeUnit.MILLISECONDS);
                end();
                return;
            } catch (TimeoutException running) {
                show(counts(client));
            } catch (ExecutionException failed) {
                end();
                throw failed;
            }
        }
    }

    /**
     * What is known of a running job: nothing, for a moment at its beginning and at its end, when an embedded Flink is shut
     * down already.
     */
    private static Map<String, Object> counts(JobClient client) throws InterruptedException {
        try {
            return client.getAccumulators().get(5, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | IllegalStateException unknown) {
            return Map.of();
        }
    }

    private long pauseMillis() {
        return terminal ? 500 : 10_000;
    }

    private void show(Map<String, Object> counts) {
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
    private void end() {
        if (written) {
            console.err().print("\r" + " ".repeat(WIDTH) + "\r");
            console.err().flush();
            written = false;
        }
    }
}
