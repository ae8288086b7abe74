package dev.tidemark.source.flink;

import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.Extent;
import dev.tidemark.source.NameOrder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/** Lists the files of a history once and hands them out on demand, the largest first: the last ones are then soon read. */
final class HistoryFilesEnumerator implements SplitEnumerator<HistoryFile, HistoryFilesState> {
    private static final Comparator<HistoryFile> LARGEST_FIRST = Comparator.comparingLong(HistoryFile::length)
            .reversed()
            .thenComparing(HistoryFile::path, NameOrder.INSTANCE);

    private final SplitEnumeratorContext<HistoryFile> context;
    private final SourcePlan plan;
    private final String key;
    private final Extent extent;
    private final boolean isRestored;
    private final Queue<HistoryFile> waiting = new PriorityQueue<>(LARGEST_FIRST);

    HistoryFilesEnumerator(
            SplitEnumeratorContext<HistoryFile> context,
            SourcePlan plan,
            String key,
            Extent extent,
            @Nullable HistoryFilesState state) {
        this.context = context;
        this.plan = plan;
        this.key = key;
        this.extent = extent;
        this.isRestored = state != null;
        if (state != null) {
            waiting.addAll(state.waiting());
        }
    }

    @Override
    public void start() {
        if (isRestored) {
            return;
        }
        try {
            SourceFolder folder = new SourceFolder(plan.path(), plan.logs(), key);
            for (String log : folder.logs()) {
                int number = 0;
                for (FoundFile file : folder.list(log)) {
                    if (extent.contains(log, file.name(), 0)) {
                        waiting.add(new HistoryFile(log, file.name(), number, file.length()));
                    }
                    number++;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        if (!context.registeredReaders().containsKey(subtask)) {
            return;
        }
        HistoryFile next = waiting.poll();
        if (next == null) {
            context.signalNoMoreSplits(subtask);
        } else {
            context.assignSplit(next, subtask);
        }
    }

    @Override
    public void addSplitsBack(List<HistoryFile> files, int subtask) {
        waiting.addAll(files);
    }

    @Override
    public void addReader(int subtask) {
        // Readers ask.
    }

    @Override
    public HistoryFilesState snapshotState(long checkpoint) {
        return new HistoryFilesState(new ArrayList<>(waiting));
    }

    @Override
    public void close() {}
}
