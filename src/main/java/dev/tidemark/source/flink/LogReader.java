package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.Framing;
import dev.tidemark.source.NameOrder;
import dev.tidemark.source.SkippedFiles;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.clock.RelativeClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one log: its files in name order, each once. Looks at the folder when it begins and, if the folder is watched,
 * between files as often as the plan says.
 */
final class LogReader implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);

    private final SourcePlan plan;
    private final SourceFolder folder;
    private final SkippedFiles listener;
    private final RelativeClock clock;

    private final String log;
    private final Map<String, FileMark> begun;
    private final NavigableSet<String> skipped = new TreeSet<>(NameOrder.INSTANCE);
    private String path;
    private boolean reading;
    private long ordinal;
    private long resumePosition;
    private long resumeOrdinal;
    private long sequence;
    private boolean finished;

    private final Deque<FoundFile> queue = new ArrayDeque<>();
    private long queuedBytes;
    private @Nullable Framing framing;

    private boolean listed;
    private long listedNanos;
    private volatile int skippedFiles;
    private volatile long pendingBytes;

    LogReader(LogSplit split, SourcePlan plan, SourceFolder folder, SkippedFiles listener, RelativeClock clock) {
        this.plan = plan;
        this.folder = folder;
        this.listener = listener;
        this.clock = clock;
        this.log = split.log();
        this.path = split.path();
        this.reading = split.reading();
        this.ordinal = split.ordinal();
        this.resumePosition = split.resumePosition();
        this.resumeOrdinal = split.resumeOrdinal();
        this.sequence = split.sequence();
        this.finished = split.finished();
        this.begun = new LinkedHashMap<>(split.begun());
        this.skipped.addAll(split.skipped());
        this.skippedFiles = skipped.size();
    }

    /** Frames the next record, position included. False: there is none now. */
    boolean next(RawRecord into) throws IOException {
        while (true) {
            Framing file = framing;
            if (file == null) {
                file = takeUp();
                if (file == null) {
                    return false;
                }
                framing = file;
            }
            if (file.next(into)) {
                into.log = log;
                into.split = path;
                into.offset = ordinal++;
                into.sequence = sequence++;
                return true;
            }
            close();
            reading = false;
        }
    }

    /** Whether all of a bounded source has been read. */
    boolean isFinished() {
        return plan.isBounded() && finished;
    }

    /** Of a log that has just had no record: whether there is a file by now, which no record has come of yet. */
    boolean hasMoreNow() throws IOException {
        list();
        return !queue.isEmpty();
    }

    /** How long until the folder is looked at again. */
    long waitMillis() {
        long passed = TimeUnit.NANOSECONDS.toMillis(clock.relativeTimeNanos() - listedNanos);
        return Math.max(1, plan.watchMillis() - passed);
    }

    int skippedFiles() {
        return skippedFiles;
    }

    long pendingBytes() {
        return pendingBytes;
    }

    /** The place behind the last record. */
    LogSplit snapshot() {
        Framing file = framing;
        return new LogSplit(
                log,
                path,
                reading,
                ordinal,
                file == null ? resumePosition : file.resumePosition(),
                file == null ? resumeOrdinal : file.resumeOrdinal(),
                sequence,
                finished,
                new LinkedHashMap<>(begun),
                new ArrayList<>(skipped));
    }

    @Override
    public void close() throws IOException {
        Framing file = framing;
        if (file != null) {
            resumePosition = file.resumePosition();
            resumeOrdinal = file.resumeOrdinal();
            framing = null;
            file.close();
        }
    }

    /** The file to read from now on. */
    private @Nullable Framing takeUp() throws IOException {
        if (isFinished()) {
            return null;
        }
        if (!listed || isListingDue()) {
            list();
        }
        if (reading) {
            return goOn();
        }
        while (true) {
            FoundFile next = queue.poll();
            if (next == null) {
                finished = plan.isBounded();
                return null;
            }
            queuedBytes -= next.length();
            pendingBytes = queuedBytes;
            FoundFile file = folder.look(next.name());
            if (file != null) {
                return begin(file);
            }
        }
    }

    private Framing begin(FoundFile file) throws IOException {
        FileMark mark = folder.mark(file);
        path = file.name();
        begun.put(path, mark);
        ordinal = 0;
        resumePosition = 0;
        resumeOrdinal = 0;
        reading = true;
        return frame(mark);
    }

    private Framing goOn() throws IOException {
        FileMark mark = begun.get(path);
        if (mark == null) {
            throw new IOException("The state names no length of " + path + ", which it has begun to read.");
        }
        folder.unchanged(folder.lookAgain(path), mark);
        Framing file = frame(mark);
        RawRecord passed = new RawRecord();
        for (long at = resumeOrdinal; at < ordinal; at++) {
            if (!file.next(passed)) {
                throw new IOException("The file " + path + " has " + at + " records, but the job has read " + ordinal
                        + " of it: it has changed. Put it back as it was.");
            }
        }
        return file;
    }

    private Framing frame(FileMark mark) throws IOException {
        return new FileFraming(folder, path, mark, plan.format(), resumePosition, resumeOrdinal);
    }

    private boolean isListingDue() {
        return !plan.isBounded()
                && clock.relativeTimeNanos() - listedNanos >= TimeUnit.MILLISECONDS.toNanos(plan.watchMillis());
    }

    private void list() throws IOException {
        Set<String> names = new HashSet<>();
        queue.clear();
        for (FoundFile file : folder.list(log)) {
            names.add(file.name());
            FileMark mark = begun.get(file.name());
            if (mark != null) {
                begun.put(file.name(), folder.unchanged(file, mark));
            } else if (path.isEmpty() || NameOrder.INSTANCE.compare(file.name(), path) > 0) {
                queue.add(file);
            } else if (skipped.add(file.name())) {
                LOG.warn(
                        "The file {} of log '{}' is not read: it came after {} was begun, which sorts behind it."
                                + " Deliver it again under a name that sorts behind that.",
                        file.name(),
                        log,
                        path);
                listener.skipped(log, file.name());
            }
        }
        begun.keySet().removeIf(name -> !names.contains(name) && !name.equals(path));
        skipped.removeIf(name -> !names.contains(name));
        skippedFiles = skipped.size();
        queuedBytes = queue.stream().mapToLong(FoundFile::length).sum();
        pendingBytes = queuedBytes;
        listed = true;
        listedNanos = clock.relativeTimeNanos();
    }
}
