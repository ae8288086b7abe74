package dev.tidemark.pipeline;

import dev.tidemark.change.RecordDecoder;
import dev.tidemark.evidence.Recorder;
import dev.tidemark.evidence.flink.RecordOperator;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.AsOf;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Writes a history down, top-down: read, decode, record. It runs in Flink's batch mode and in this process: what the
 * recorders write is read here.
 */
public final class RecordingTopology {
    private final JobPlan plan;
    private final RecordDecoder.Factory decoders;
    private final Recorder.Factory recorders;
    private final Map<String, Integer> columnLengths;
    private final AsOf asOf;
    private final HistoryReading history;

    /**
     * @param columnLengths for text columns of the target that are limited, the most characters by column name
     * @param asOf the changes that are taken; of a history that has no positions of the source it must be {@link AsOf#END}
     * @param history begun for this
     */
    public RecordingTopology(
            JobPlan plan,
            RecordDecoder.Factory decoders,
            Recorder.Factory recorders,
            Map<String, Integer> columnLengths,
            AsOf asOf,
            HistoryReading history) {
        this.plan = plan;
        this.decoders = decoders;
        this.recorders = recorders;
        this.columnLengths = Map.copyOf(columnLengths);
        this.asOf = asOf;
        this.history = history;
    }

    /** Adds the recording to an environment. */
    public void build(StreamExecutionEnvironment environment) {
        history.read(environment)
                .transform(
                        "record",
                        Types.VOID,
                        new RecordOperator(
                                plan.overHistory(), decoders, recorders, columnLengths, asOf, history.reach()))
                .uid(Uids.EVIDENCE_RECORD);
    }
}
