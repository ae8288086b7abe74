package dev.tidemark.source.flink;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.Pace;
import dev.tidemark.source.SkippedFiles;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.util.clock.SystemClock;

/**
 * The records of a folder (or a single file) of JSON lines or Avro container files, plain or gzip.
 *
 * <p>A log is a split and is read in order by one reader; what comes after may run in parallel. Besides records the
 * stream holds words about logs ({@link RawRecord.Kind}): which are read from here on, and which are at their end. Several
 * logs are read in step: see {@link ReaderPace}. Records carry no Flink
 * timestamps and the source gives no watermarks. The emitted record is reused: chain what follows, with object reuse on,
 * for speed.
 */
public final class FilesSource
        implements Source<RawRecord, LogSplit, FileEnumeratorState>, ResultTypeQueryable<RawRecord> {
    private static final long serialVersionUID = 1L;

    private final SourcePlan plan;
    private final SkippedFiles listener;
    private final Calendar calendar;

    /** @param calendar the partitions by which logs are kept in step */
    public FilesSource(SourcePlan plan, SkippedFiles listener, Calendar calendar) {
        this.plan = plan;
        this.listener = listener;
        this.calendar = calendar;
    }

    @Override
    public Boundedness getBoundedness() {
        return plan.isBounded() ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<RawRecord, LogSplit> createReader(SourceReaderContext context) {
        Pace pace = plan.logs() == Logs.SOURCE ? null : new Pace(calendar);
        return new FilesReader(context, plan, listener, pace, SystemClock.getInstance());
    }

    @Override
    public SplitEnumerator<LogSplit, FileEnumeratorState> createEnumerator(SplitEnumeratorContext<LogSplit> context) {
        return new LogEnumerator(context, plan, null);
    }

    @Override
    public SplitEnumerator<LogSplit, FileEnumeratorState> restoreEnumerator(
            SplitEnumeratorContext<LogSplit> context, FileEnumeratorState state) {
        return new LogEnumerator(context, plan, state);
    }

    @Override
    public SimpleVersionedSerializer<LogSplit> getSplitSerializer() {
        return LogSplitSerializer.INSTANCE;
    }

    @Override
    public SimpleVersionedSerializer<FileEnumeratorState> getEnumeratorCheckpointSerializer() {
        return FileEnumeratorStateSerializer.INSTANCE;
    }

    @Override
    public TypeInformation<RawRecord> getProducedType() {
        return RawRecordSerializer.TYPE;
    }
}
