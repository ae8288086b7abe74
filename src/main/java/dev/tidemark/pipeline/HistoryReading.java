package dev.tidemark.pipeline;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.HistoryPlan;
import dev.tidemark.job.JdbcPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.publish.AsOf;
import dev.tidemark.source.EventRange;
import dev.tidemark.source.HistoryReach;
import dev.tidemark.source.SourceException;
import dev.tidemark.source.StartPositions;
import dev.tidemark.source.flink.CountRecords;
import dev.tidemark.source.flink.HistoryFilesSource;
import dev.tidemark.source.flink.RawRecordSerializer;
import dev.tidemark.source.flink.WithinExtent;
import dev.tidemark.source.jdbc.RowsHistory;
import dev.tidemark.source.kafka.TopicHistory;
import java.util.Objects;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

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
    private final AsOf extent;
    private final HistoryReach reach;
    private final Runnable closing;

    private HistoryReading(
            JobPlan plan, Source<RawRecord, ?, ?> source, AsOf extent, HistoryReach reach, Runnable closing) {
        this.plan = plan;
        this.source = source;
        this.extent = extent;
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
     * @throws SourceException if it cannot be read; the message says why, and the way out
     */
    public static HistoryReading begin(JobPlan plan, AsOf asOf, EventRange range) {
        return begin(plan, asOf, range, null);
    }

    /**
     * Asks the place of the history what it holds, and whether it is the topic that the job has begun to read.
     *
     * @param startPositions where the job's first submission fixed the topic; null: nowhere
     */
    public static HistoryReading begin(
            JobPlan plan, AsOf asOf, EventRange range, @Nullable StartPositions startPositions) {
        HistoryPlan history = plan.history();
        AsOf extent = history.hasPositionsOf(plan.source()) ? asOf : AsOf.END;
        SourcePlan place = plan.overHistory().source();
        if (place.files() != null) {
            String key = history.isSame() ? "source.files.path" : "history.files.path";
            return new HistoryReading(
                    plan, new HistoryFilesSource(place, key, extent), extent, HistoryReach.WHOLE, () -> {});
        }
        if (place.kafka() != null) {
            StartPositions.Fixed fixed =
                    startPositions == null || !history.hasPositionsOf(plan.source()) ? null : startPositions.fixed();
            TopicHistory topic = TopicHistory.of(place.kafka(), plan.job(), extent, fixed);
            return new HistoryReading(plan, topic.source(), extent, topic.reach(), () -> {});
        }
        JdbcPlan jdbc = Objects.requireNonNull(history.jdbc(), "a history is files, a topic or rows");
        RowsHistory rows = RowsHistory.of(plan, jdbc, range);
        return new HistoryReading(plan, rows.source(), extent, HistoryReach.WHOLE, rows::close);
    }

    /** Whether the logs are there from their beginning. */
    public HistoryReach reach() {
        return reach;
    }

    /** The records. */
    public DataStream<RawRecord> read(StreamExecutionEnvironment environment) {
        SingleOutputStreamOperator<RawRecord> records = environment
                .fromSource(
                        source,
                        WatermarkStrategy.noWatermarks(),
                        "read " + plan.history().name(plan.source()))
                .uid(Uids.HISTORY)
                .map(new CountRecords(RECORDS, BYTES), RawRecordSerializer.TYPE)
                .name("count what is read")
                .uid(Uids.HISTORY_COUNT);
        // Files and topics are cut off where they are read.
        return plan.history().jdbc() == null || extent.isEnd()
                ? records
                : records.filter(new WithinExtent(extent))
                        .name("before what is published")
                        .uid(Uids.HISTORY_EXTENT);
    }

    @Override
    public void close() {
        closing.run();
    }
}
