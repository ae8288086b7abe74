package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.Extent;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;
import org.jspecify.annotations.Nullable;

/**
 * Reads one file of a history after the other, in the task's own thread, and asks for the next when one is done. One record
 * object is emitted again and again: whoever keeps it copies it. A file that is begun is begun anew after a restore.
 */
final class HistoryFilesReader implements SourceReader<RawRecord, HistoryFile> {
    private final SourceReaderContext context;
    private final SourcePlan plan;
    private final String key;
    private final Extent extent;
    private final Deque<HistoryFile> files = new ArrayDeque<>();
    private final RawRecord record = new RawRecord();
    private final Counter records;
    private final Counter bytes;
    private final Counter damaged;
    private @Nullable SourceFolder folder;
    private @Nullable FileFraming framing;
    private long ordinal;
    private boolean noMoreSplits;
    private CompletableFuture<Void> available = new CompletableFuture<>();

    HistoryFilesReader(SourceReaderContext context, SourcePlan plan, String key, Extent extent) {
        this.context = context;
        this.plan = plan;
        this.key = key;
        this.extent = extent;
        this.records = context.metricGroup().getIOMetricGroup().getNumRecordsInCounter();
        this.bytes = context.metricGroup().getIOMetricGroup().getNumBytesInCounter();
        this.damaged = context.metricGroup().getNumRecordsInErrorsCounter();
    }

    @Override
    public void start() {
        if (files.isEmpty()) {
            context.sendSplitRequest();
        }
    }

    @Override
    public InputStatus pollNext(ReaderOutput<RawRecord> output) throws IOException {
        HistoryFile file = files.peek();
        if (file == null) {
            if (noMoreSplits) {
                return InputStatus.END_OF_INPUT;
            }
            available = new CompletableFuture<>();
            return InputStatus.NOTHING_AVAILABLE;
        }
        FileFraming open = framing == null ? begin(file) : framing;
        framing = open;
        if (extent.contains(file.log(), file.path(), ordinal) && open.next(record)) {
            emit(file, output);
            return InputStatus.MORE_AVAILABLE;
        }
        close();
        files.remove();
        if (files.isEmpty()) {
            context.sendSplitRequest();
        }
        return InputStatus.MORE_AVAILABLE;
    }

    @Override
    public List<HistoryFile> snapshotState(long checkpoint) {
        return new ArrayList<>(files);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return available;
    }

    @Override
    public void addSplits(List<HistoryFile> splits) {
        files.addAll(splits);
        available.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        noMoreSplits = true;
        available.complete(null);
    }

    @Override
    public void close() throws IOException {
        FileFraming open = framing;
        framing = null;
        if (open != null) {
            open.close();
        }
    }

    private FileFraming begin(HistoryFile file) throws IOException {
        SourceFolder known = folder == null ? new SourceFolder(plan.path(), plan.logs(), key) : folder;
        folder = known;
        ordinal = 0;
        FoundFile found = known.look(file.path());
        if (found == null) {
            throw new FileNotFoundException("The file " + file.path() + " under " + plan.path()
                    + " was listed and is gone: the history would be read without it. Put it back, and remove no files while"
                    + " they are read.");
        }
        return new FileFraming(known, file.path(), known.mark(found), plan.format(), 0, 0);
    }

    private void emit(HistoryFile file, ReaderOutput<RawRecord> output) {
        record.log = file.log();
        record.split = file.path();
        record.offset = ordinal;
        record.sequence = file.sequence(ordinal);
        ordinal++;
        records.inc();
        bytes.inc(record.wholeLength);
        if (record.damage != null) {
            damaged.inc();
        }
        output.collect(record);
    }
}
