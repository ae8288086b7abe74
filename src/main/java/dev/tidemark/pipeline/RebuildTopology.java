package dev.tidemark.pipeline;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.change.RawRecord;
import dev.tidemark.gate.flink.ChangeSerializer;
import dev.tidemark.gate.flink.HistoryOperator;
import dev.tidemark.identity.DeviceChange;
import dev.tidemark.identity.IdentityNote;
import dev.tidemark.identity.flink.DeviceChangeSerializer;
import dev.tidemark.identity.flink.IdentityNoteSerializer;
import dev.tidemark.identity.flink.WholeDeviceOperator;
import dev.tidemark.identity.flink.WholeIdentityOperator;
import dev.tidemark.job.JobPlan;
import dev.tidemark.membership.flink.LiveRecordOperator;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.MemberDetail;
import dev.tidemark.partition.flink.CellKeySerializer;
import dev.tidemark.partition.flink.CellSelector;
import dev.tidemark.partition.flink.ContributionSerializer;
import dev.tidemark.partition.flink.TargetKey;
import dev.tidemark.partition.flink.WholeCellOperator;
import dev.tidemark.partition.flink.WholeRunningOperator;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.RebuildRule;
import dev.tidemark.publish.Scan;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.flink.CellTruthSerializer;
import dev.tidemark.publish.flink.PartSerializer;
import dev.tidemark.publish.flink.ReplaceOperator;
import dev.tidemark.publish.flink.ScanSerializer;
import dev.tidemark.publish.flink.StageOperator;
import dev.tidemark.publish.flink.StagedPartSerializer;
import dev.tidemark.wire.flink.BytesSerializer;
import java.util.Map;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;

/**
 * A rebuild, top-down: read the history, decode, find what lives of each record, accumulate, add up, stage, replace.
 *
 * <p>It runs in Flink's batch mode. What is keyed comes sorted, spilled to disk where memory does not suffice, so that an
 * operator holds one record id or one cell at a time, however long the history is. There are no checkpoints: a task that
 * fails runs again, and only the last step changes anything.
 */
public final class RebuildTopology {
    private static final OutputTag<Scan> SCANS = new OutputTag<>("scans", ScanSerializer.TYPE);

    /** What lives on which device; of jobs with identity columns. */
    private static final OutputTag<DeviceChange> DEVICES = new OutputTag<>("devices", DeviceChangeSerializer.TYPE);

    private final JobPlan plan;
    private final RebuildPorts ports;
    private final Rebuild rebuild;
    private final HistoryReading history;
    private final Map<String, Integer> columnLengths;

    /**
     * @param history begun for this rebuild
     * @param columnLengths for text columns of the target that are limited, the most characters by column name
     */
    public RebuildTopology(
            JobPlan plan,
            RebuildPorts ports,
            Rebuild rebuild,
            HistoryReading history,
            Map<String, Integer> columnLengths) {
        this.plan = plan;
        this.ports = ports;
        this.rebuild = rebuild;
        this.history = history;
        this.columnLengths = Map.copyOf(columnLengths);
    }

    /** Adds the rebuild to an environment. */
    public void build(StreamExecutionEnvironment environment) {
        SingleOutputStreamOperator<Change> changes = decode(history.read(environment));
        SingleOutputStreamOperator<Contribution> members = live(changes);
        DataStream<CellTruth> truths = addUp(accumulate(members));
        if (plan.identity() != null) {
            truths = identify(truths, members.getSideOutput(DEVICES));
        }
        DataStream<StagedPart> receipts = stage(truths);
        replace(receipts, changes.getSideOutput(SCANS));
    }

    private SingleOutputStreamOperator<Change> decode(DataStream<RawRecord> records) {
        return records.transform(
                        "decode",
                        ChangeSerializer.TYPE,
                        new HistoryOperator(
                                plan.overHistory(),
                                ports.decoders(),
                                columnLengths,
                                rebuild,
                                computed(),
                                history.reach(),
                                SCANS))
                .uid(Uids.REBUILD_DECODE);
    }

    private SingleOutputStreamOperator<Contribution> live(DataStream<Change> changes) {
        DataStream<Change> byRecord =
                plan.changes().hasId() ? changes.keyBy(new RecordIdOf(), BytesSerializer.TYPE) : changes;
        return byRecord.transform(
                        "find what lives",
                        ContributionSerializer.type(MemberDetail.of(plan)),
                        new LiveRecordOperator(plan, computed(), plan.identity() == null ? null : DEVICES))
                .uid(Uids.REBUILD_LIVE);
    }

    /** The partitions that are computed, not all of which need be replaced. */
    private PartitionSpan computed() {
        return RebuildRule.computed(plan, rebuild.span());
    }

    private DataStream<CellTruth> accumulate(DataStream<Contribution> members) {
        return members.keyBy(new CellSelector(), CellKeySerializer.TYPE)
                .transform("accumulate cells", CellTruthSerializer.TYPE, new WholeCellOperator(plan))
                .uid(Uids.REBUILD_CELLS);
    }

    private DataStream<CellTruth> addUp(DataStream<CellTruth> truths) {
        if (!plan.target().hasRunningColumns()) {
            return truths;
        }
        return truths.keyBy(new TargetKey(), BytesSerializer.TYPE)
                .transform("add up", CellTruthSerializer.TYPE, new WholeRunningOperator(plan, rebuild.span()))
                .uid(Uids.REBUILD_RUNNING);
    }

    private DataStream<CellTruth> identify(DataStream<CellTruth> truths, DataStream<DeviceChange> changes) {
        DataStream<IdentityNote> notes = changes.keyBy(new DeviceOf(), BytesSerializer.TYPE)
                .transform("know devices", IdentityNoteSerializer.TYPE, new WholeDeviceOperator(plan, rebuild.span()))
                .uid(Uids.REBUILD_DEVICES);
        return truths.connect(notes)
                .transform(
                        "count identities", CellTruthSerializer.TYPE, new WholeIdentityOperator(plan, rebuild.span()))
                .uid(Uids.REBUILD_IDENTITIES)
                .setParallelism(1)
                .setMaxParallelism(1);
    }

    private DataStream<StagedPart> stage(DataStream<CellTruth> truths) {
        return truths.map(new ToPart(), PartSerializer.TYPE)
                .name("as parts")
                .uid(Uids.REBUILD_PARTS)
                .transform("stage cells", StagedPartSerializer.TYPE, new StageOperator(rebuild.id(), ports.stages()))
                .uid(Uids.REBUILD_STAGE);
    }

    private void replace(DataStream<StagedPart> receipts, DataStream<Scan> scans) {
        receipts.connect(scans)
                .transform("replace", Types.VOID, new ReplaceOperator(ports.replacements()))
                .uid(Uids.REBUILD_REPLACE)
                .setParallelism(1)
                .setMaxParallelism(1);
    }

    private static final class RecordIdOf implements KeySelector<Change, Bytes> {
        private static final long serialVersionUID = 1L;

        @Override
        public Bytes getKey(Change change) {
            return change.recordId();
        }
    }

    private static final class DeviceOf implements KeySelector<DeviceChange, Bytes> {
        private static final long serialVersionUID = 1L;

        @Override
        public Bytes getKey(DeviceChange change) {
            return change.device();
        }
    }

    private static final class ToPart implements MapFunction<CellTruth, Part> {
        private static final long serialVersionUID = 1L;

        @Override
        public Part map(CellTruth truth) {
            return new Part.Cell(truth);
        }
    }
}
