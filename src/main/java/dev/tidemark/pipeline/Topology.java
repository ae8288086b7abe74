package dev.tidemark.pipeline;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.change.RawRecord;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.flink.BoundSerializer;
import dev.tidemark.gate.flink.ChangeSerializer;
import dev.tidemark.gate.flink.StampOperator;
import dev.tidemark.identity.DeviceChange;
import dev.tidemark.identity.IdentityNote;
import dev.tidemark.identity.flink.DeviceChangeSerializer;
import dev.tidemark.identity.flink.DeviceOperator;
import dev.tidemark.identity.flink.IdentityNoteSerializer;
import dev.tidemark.identity.flink.IdentityOperator;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.KafkaPlan;
import dev.tidemark.membership.flink.AdmissionOperator;
import dev.tidemark.membership.flink.MembershipOperator;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.MemberDetail;
import dev.tidemark.partition.flink.CellKeySerializer;
import dev.tidemark.partition.flink.CellOperator;
import dev.tidemark.partition.flink.CellSelector;
import dev.tidemark.partition.flink.ContributionSerializer;
import dev.tidemark.partition.flink.RunningOperator;
import dev.tidemark.partition.flink.TargetKey;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.flink.CellTruthSerializer;
import dev.tidemark.publish.flink.CommitOperator;
import dev.tidemark.publish.flink.PartSerializer;
import dev.tidemark.publish.flink.StageOperator;
import dev.tidemark.publish.flink.StagedPartSerializer;
import dev.tidemark.source.flink.FilesSource;
import dev.tidemark.source.kafka.KafkaLogsSource;
import dev.tidemark.wire.flink.BytesSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;

/**
 * The job, top-down: read, stamp, judge, accumulate, add up, stage, commit.
 *
 * <p>A log is read and stamped by one subtask, in order; behind that, record ids and then cells are spread over all
 * subtasks; one committer publishes.
 */
public final class Topology {
    /** What leaves beside the stream: rejected and late changes, counts and cuts. */
    private static final OutputTag<Part> PARTS = new OutputTag<>("parts", PartSerializer.TYPE);

    /** How far the logs of each stamping subtask have come. */
    private static final OutputTag<Bound> BOUNDS = new OutputTag<>("bounds", BoundSerializer.TYPE);

    /** What changes do to devices, of jobs with identity columns. */
    private static final OutputTag<DeviceChange> DEVICES = new OutputTag<>("devices", DeviceChangeSerializer.TYPE);

    private final JobPlan plan;
    private final Ports ports;
    private final String submission;
    private final Map<String, Integer> columnLengths;
    private final FrontierResets resets;

    /** A job that goes on with its frontiers as they are. */
    public Topology(JobPlan plan, Ports ports, String submission, Map<String, Integer> columnLengths) {
        this(plan, ports, submission, columnLengths, FrontierResets.NONE);
    }

    /**
     * @param submission a random id: a new one each time that a graph is built
     * @param columnLengths for text columns of the target that are limited, the most characters by column name
     * @param resets the frontiers to be set back in the state that is restored
     */
    public Topology(
            JobPlan plan, Ports ports, String submission, Map<String, Integer> columnLengths, FrontierResets resets) {
        this.plan = plan;
        this.ports = ports;
        this.submission = submission;
        this.columnLengths = Map.copyOf(columnLengths);
        this.resets = resets;
    }

    /** Adds the job to an environment. */
    public void build(StreamExecutionEnvironment environment) {
        DataStream<RawRecord> records = read(environment);
        SingleOutputStreamOperator<Change> changes = stamp(records);
        DataStream<Bound> bounds = changes.getSideOutput(BOUNDS).broadcast();
        SingleOutputStreamOperator<Contribution> contributions = judge(changes, bounds);
        DataStream<CellTruth> truths = addUp(accumulate(contributions, bounds), bounds);
        DataStream<Part> judged = contributions.getSideOutput(PARTS);
        if (plan.identity() != null) {
            SingleOutputStreamOperator<IdentityNote> notes = resolve(contributions.getSideOutput(DEVICES), bounds);
            truths = identify(truths, notes);
            judged = judged.union(notes.getSideOutput(PARTS));
        }
        DataStream<StagedPart> receipts = stage(truths).union(stageRecords(changes.getSideOutput(PARTS), judged));
        commit(receipts);
    }

    private DataStream<RawRecord> read(StreamExecutionEnvironment environment) {
        KafkaPlan kafka = plan.source().kafka();
        Source<RawRecord, ?, ?> source = kafka == null
                ? new FilesSource(plan.source(), ports.skippedFiles(), Gate.calendarOf(plan))
                : new KafkaLogsSource(
                        kafka,
                        plan.job(),
                        plan.source().idleTimeoutMillis(),
                        ports.startPositions(),
                        Gate.calendarOf(plan));
        SingleOutputStreamOperator<RawRecord> records = environment
                .fromSource(
                        source,
                        WatermarkStrategy.noWatermarks(),
                        "read " + plan.source().name())
                .uid(Uids.SOURCE);
        return kafka == null && plan.source().logs() == JobPlan.Logs.SOURCE ? records.setParallelism(1) : records;
    }

    private SingleOutputStreamOperator<Change> stamp(DataStream<RawRecord> records) {
        SingleOutputStreamOperator<Change> changes = records.transform(
                        "decode and stamp",
                        ChangeSerializer.TYPE,
                        new StampOperator(
                                plan,
                                ports.decoders(),
                                ports.publishedPositions(),
                                columnLengths,
                                submission,
                                resets,
                                PARTS,
                                BOUNDS))
                .uid(Uids.STAMP);
        return changes.setParallelism(records.getParallelism());
    }

    private SingleOutputStreamOperator<Contribution> judge(DataStream<Change> changes, DataStream<Bound> bounds) {
        WireTypeInfo<Contribution> type = ContributionSerializer.type(MemberDetail.of(plan));
        OutputTag<DeviceChange> devices = plan.identity() == null ? null : DEVICES;
        if (!plan.changes().hasId()) {
            return changes.connect(bounds)
                    .transform("admit", type, new AdmissionOperator(plan, PARTS, devices))
                    .uid(Uids.MEMBERSHIP)
                    .setParallelism(changes.getParallelism());
        }
        return Bounded.of(changes.keyBy(new RecordIdOf(), BytesSerializer.TYPE), bounds)
                .transform("judge by record id", type, new MembershipOperator(plan, PARTS, devices))
                .uid(Uids.MEMBERSHIP);
    }

    private DataStream<CellTruth> accumulate(DataStream<Contribution> contributions, DataStream<Bound> bounds) {
        return Bounded.of(contributions.keyBy(new CellSelector(), CellKeySerializer.TYPE), bounds)
                .transform("accumulate cells", CellTruthSerializer.TYPE, new CellOperator(plan))
                .uid(Uids.CELLS);
    }

    /** Only in a job with running columns is there a step more. */
    private DataStream<CellTruth> addUp(DataStream<CellTruth> truths, DataStream<Bound> bounds) {
        if (!plan.target().hasRunningColumns()) {
            return truths;
        }
        return Bounded.of(truths.keyBy(new TargetKey(), BytesSerializer.TYPE), bounds)
                .transform("add up", CellTruthSerializer.TYPE, new RunningOperator(plan))
                .uid(Uids.RUNNING);
    }

    private SingleOutputStreamOperator<IdentityNote> resolve(
            DataStream<DeviceChange> changes, DataStream<Bound> bounds) {
        return Bounded.of(changes.keyBy(new DeviceOf(), BytesSerializer.TYPE), bounds)
                .transform("know devices", IdentityNoteSerializer.TYPE, new DeviceOperator(plan, PARTS))
                .uid(Uids.DEVICES);
    }

    private DataStream<CellTruth> identify(DataStream<CellTruth> truths, DataStream<IdentityNote> notes) {
        return truths.connect(notes)
                .transform("count identities", CellTruthSerializer.TYPE, new IdentityOperator(plan))
                .uid(Uids.IDENTITIES)
                // Not the most that it can have: where the job has one subtask too, the stage is chained to it.
                .setParallelism(1);
    }

    private DataStream<StagedPart> stage(DataStream<CellTruth> truths) {
        DataStream<Part> parts =
                truths.map(new ToPart(), PartSerializer.TYPE).name("as parts").uid(Uids.CELL_PARTS);
        return parts.transform("stage cells", StagedPartSerializer.TYPE, new StageOperator(submission, ports.stages()))
                .uid(Uids.STAGE_CELLS);
    }

    private DataStream<StagedPart> stageRecords(DataStream<Part> stamped, DataStream<Part> judged) {
        return stamped.union(judged)
                .transform(
                        "stage late, rejected and counts",
                        StagedPartSerializer.TYPE,
                        new StageOperator(submission, ports.stages()))
                .uid(Uids.STAGE_RECORDS);
    }

    private void commit(DataStream<StagedPart> receipts) {
        receipts.transform(
                        "publish",
                        Types.VOID,
                        new CommitOperator(
                                submission, ports.warehouses(), plan.partition().lookback()))
                .uid(Uids.COMMIT)
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
