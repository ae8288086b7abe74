package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.Extent;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The records of all files of a source that lie there now, each file by whichever reader is free: the records of a log come
 * in no order, but each with the position that {@link FilesSource} gives it. Files that the stream has passed over, because
 * they came too late, are read too.
 *
 * <p>{@link RawRecord#sequence} orders the records of a log as their positions do, with gaps. There are records only, no
 * words about logs. The emitted record is reused: chain what follows, with object reuse on, for speed.
 */
public final class HistoryFilesSource
        implements Source<RawRecord, HistoryFile, HistoryFilesState>, ResultTypeQueryable<RawRecord> {
    private static final long serialVersionUID = 1L;

    private final SourcePlan plan;
    private final String key;
    private final Extent extent;

    /** @param key of the path in the job file, for what is said of it */
    public HistoryFilesSource(SourcePlan plan, String key, Extent extent) {
        this.plan = plan;
        this.key = key;
        this.extent = extent;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<RawRecord, HistoryFile> createReader(SourceReaderContext context) {
        return new HistoryFilesReader(context, plan, key, extent);
    }

    @Override
    public SplitEnumerator<HistoryFile, HistoryFilesState> createEnumerator(
            SplitEnumeratorContext<HistoryFile> context) {
        return new HistoryFilesEnumerator(context, plan, key, extent, null);
    }

    @Override
    public SplitEnumerator<HistoryFile, HistoryFilesState> restoreEnumerator(
            SplitEnumeratorContext<HistoryFile> context, HistoryFilesState state) {
        return new HistoryFilesEnumerator(context, plan, key, extent, state);
    }

    @Override
    public SimpleVersionedSerializer<HistoryFile> getSplitSerializer() {
        return HistoryFileSerializer.INSTANCE;
    }

    @Override
    public SimpleVersionedSerializer<HistoryFilesState> getEnumeratorCheckpointSerializer() {
        return HistoryFilesStateSerializer.INSTANCE;
    }

    @Override
    public TypeInformation<RawRecord> getProducedType() {
        return RawRecordSerializer.TYPE;
    }
}
