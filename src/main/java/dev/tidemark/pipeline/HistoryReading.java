package dev.tidemark.pipeline;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.HistoryPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.publish.AsOf;
import dev.tidemark.source.EventRange;
import dev.tidemark.source.HistoryReach;
import dev.tidemark.source.flink.CountRecords;
import dev.tidemark.source.flink.HistoryFilesSource;
import dev.tidemark.source.flink.RawRecordSerializer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Reads a job's history from its beginning to its end, or to where the target has come, in parallel: a bounded source, made
 * for {@code RuntimeExecutionMode.BATCH}.
 *
 * <p>The stream holds records only, no words about logs. A record has the log, split, offset and timestamp that the live
 * source gives it, damaged ones too; its sequence orders it within its log, with gaps. Records of a log may come in any
 * order (of a topic: in the order of offsets). Decode them by {@link JobPlan#overHistory}. Records are reused: chain what
 * follows, with object reuse on, for speed.
 *
 * <p>What is read is fixed when the reading is begun, as far as the place can do that: see docs/history.md. Close it when the
 * job is over.
 */
public final class HistoryReading implements AutoCloseable {
    /** The accumulator that holds how many records have been read. */
    public static final String RECORDS = "history.records";
    /** The accumulator that holds how many bytes they had, after decompression. */
    public static final String BYTES = "history.bytes";

    private final JobPlan plan;
    private final Source<RawRecord, ?, ?> source;
    private final HistoryReach reach;
    private final Runnable closing;

    private HistoryReading(JobPlan plan, Source<RawRecord, ?, ?> source, HistoryReach reach, Runnable closing) {
        this.plan = plan;
        this.source = source;
        this.reach = reach;
        this.closing = closing;
    }

    /**
     * Asks the place of the history what it holds.
     *
     * @param plan of the job, as its job file says it
     * @param asOf up to where it is read; of a history whose positions are not those of the source ({@link
     *     HistoryPlan#hasPositionsOf}) everything is
     * @param range the event times that matter; only a history in a database leaves out the others, and only if no change of
     *     a record that counts can be among them
     * @throws dev.tidemark.source.SourceException if it cannot be read; the message says why, and the way out
     */
    public static HistoryReading begin(JobPlan plan, AsOf asOf, EventRange range) {
        HistoryPlan history = plan.history();
        AsOf extent = history.hasPositionsOf(plan.source()) ? asOf : AsOf.END;
        SourcePlan place = plan.overHistory().source();
        if (place.files() != null) {
            String key = history.isSame() ? "source.files.path" : "history.files.path";
            return new HistoryReading(plan, new HistoryFilesSource(place, key, extent), HistoryReach.WHOLE, () -> {});
        }
        throw new UnsupportedOperationException("only files can be read so far, not " + history.name(plan.source()));
    }

    /** Whether the logs are there from their beginning. */
    public HistoryReach reach() {
        return reach;
    }

    /** The records. */
    public DataStream<RawRecord> read(StreamExecutionEnvironment environment) {
        return environment
                .fromSource(
                        source,
                        WatermarkStrategy.noWatermarks(),
                        "read " + plan.history().name(plan.source()))
                .uid(Uids.HISTORY)
                .map(new CountRecords(RECORDS, BYTES), RawRecordSerializer.TYPE)
                .name("count what is read")
                .uid(Uids.HISTORY_COUNT);
    }

    @Override
    public void close() {
        closing.run();
    }
}
