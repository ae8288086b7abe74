package dev.tidemark.source.flink;

import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.SourcePlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.jspecify.annotations.Nullable;

/**
 * Finds the logs of a source and hands each to one reader, chosen by the log's name. A log is handed out once: from then
 * on the reader's state holds it, wherever Flink restores that state. Keeps the readers in step, and ends them together.
 */
final class LogEnumerator implements SplitEnumerator<LogSplit, FileEnumeratorState> {
    private final SplitEnumeratorContext<LogSplit> context;
    private final SourcePlan plan;
    private final Set<String> handedOut;
    private final Map<String, LogSplit> waiting = new TreeMap<>();
    private final boolean restored;
    private final ReaderProgress progress;
    private final Set<Integer> ended = new HashSet<>();

    LogEnumerator(SplitEnumeratorContext<LogSplit> context, SourcePlan plan, @Nullable FileEnumeratorState state) {
        this.context = context;
        this.plan = plan;
        this.restored = state != null;
        this.progress = new ReaderProgress(context);
        this.handedOut = new LinkedHashSet<>();
        if (state != null) {
            handedOut.addAll(state.handedOut());
            state.waiting().forEach(split -> waiting.put(split.log(), split));
        }
    }

    @Override
    public void start() {
        if (plan.isBounded() && restored) {
            return;
        }
        try {
            SourceFolder folder = new SourceFolder(plan.path(), plan.logs());
            if (!plan.isBounded() && folder.isFile()) {
                throw new IOException("The source " + plan.path()
                        + " is a file, and only a folder can be watched. Name the folder, or take `watch` away.");
            }
            add(folder.logs(), null);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
        if (!plan.isBounded() && plan.logs() == Logs.FOLDER) {
            context.callAsync(
                    () -> new SourceFolder(plan.path(), plan.logs()).logs(),
                    this::add,
                    plan.watchMillis(),
                    plan.watchMillis());
        }
    }

    @Override
    public void addReader(int subtask) {
        ended.remove(subtask);
        handOut(subtask);
        context.sendEventToSourceReader(subtask, new AllLogsGiven());
        progress.start(subtask);
    }

    @Override
    public void handleSourceEvent(int subtask, SourceEvent event) {
        if (event instanceof LeastReached said) {
            progress.hear(subtask, said);
        } else if (event instanceof AllLogsRead && ended.add(subtask) && ended.size() == context.currentParallelism()) {
            ended.forEach(context::signalNoMoreSplits);
        }
    }

    @Override
    public void addSplitsBack(List<LogSplit> splits, int subtask) {
        for (LogSplit split : splits) {
            handedOut.remove(split.log());
            waiting.put(split.log(), split);
        }
        context.registeredReaders().keySet().forEach(this::handOut);
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        // Logs are handed out without being asked for.
    }

    @Override
    public FileEnumeratorState snapshotState(long checkpoint) {
        return new FileEnumeratorState(new ArrayList<>(handedOut), new ArrayList<>(waiting.values()));
    }

    @Override
    public void close() {}

    private void add(List<String> logs, @Nullable Throwable failure) {
        if (failure != null) {
            throw new IllegalStateException(failure.getMessage(), failure);
        }
        for (String log : logs) {
            if (!handedOut.contains(log)) {
                waiting.computeIfAbsent(log, LogSplit::unread);
            }
        }
        context.registeredReaders().keySet().forEach(this::handOut);
    }

    private void handOut(int subtask) {
        List<LogSplit> mine = waiting.values().stream()
                .filter(split -> owner(split.log()) == subtask)
                .toList();
        if (mine.isEmpty()) {
            return;
        }
        context.assignSplits(new SplitsAssignment<>(Map.of(subtask, mine)));
        for (LogSplit split : mine) {
            waiting.remove(split.log());
            handedOut.add(split.log());
        }
    }

    private int owner(String log) {
        return Math.floorMod(log.hashCode(), context.currentParallelism());
    }
}
