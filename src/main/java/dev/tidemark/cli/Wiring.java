package dev.tidemark.cli;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.avro.Decoders;
import dev.tidemark.database.ConnectionSettings;
import dev.tidemark.database.Connections;
import dev.tidemark.database.Environment;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.evidence.Completeness;
import dev.tidemark.evidence.Publications;
import dev.tidemark.evidence.PublishedTarget;
import dev.tidemark.evidence.Recorder;
import dev.tidemark.evidence.Verification;
import dev.tidemark.evidence.jdbc.JdbcCompleteness;
import dev.tidemark.evidence.jdbc.JdbcPublications;
import dev.tidemark.evidence.jdbc.JdbcPublishedTarget;
import dev.tidemark.evidence.jdbc.JdbcVerifications;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobSpec;
import dev.tidemark.lateness.Evidence;
import dev.tidemark.lateness.jdbc.JdbcEvidence;
import dev.tidemark.ledger.Ledger;
import dev.tidemark.ledger.RejectedChanges;
import dev.tidemark.ledger.jdbc.JdbcLedger;
import dev.tidemark.ledger.jdbc.JdbcRejectedChanges;
import dev.tidemark.pipeline.HistoryReading;
import dev.tidemark.pipeline.Ports;
import dev.tidemark.pipeline.RebuildPorts;
import dev.tidemark.pipeline.RebuildTopology;
import dev.tidemark.pipeline.RecordedChanges;
import dev.tidemark.pipeline.RecordingTopology;
import dev.tidemark.pipeline.Topology;
import dev.tidemark.publish.AsOf;
import dev.tidemark.publish.JobStatus;
import dev.tidemark.publish.LastRun;
import dev.tidemark.publish.Progress;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.Rebuilds;
import dev.tidemark.publish.RunOrders;
import dev.tidemark.publish.TargetRows;
import dev.tidemark.publish.jdbc.Initialization;
import dev.tidemark.publish.jdbc.JdbcJobStatus;
import dev.tidemark.publish.jdbc.JdbcProgress;
import dev.tidemark.publish.jdbc.JdbcRebuilds;
import dev.tidemark.publish.jdbc.JdbcReplacement;
import dev.tidemark.publish.jdbc.JdbcSkippedFiles;
import dev.tidemark.publish.jdbc.JdbcStage;
import dev.tidemark.publish.jdbc.JdbcStartPositions;
import dev.tidemark.publish.jdbc.JdbcTargetRows;
import dev.tidemark.publish.jdbc.JdbcWarehouse;
import dev.tidemark.publish.jdbc.Pruning;
import dev.tidemark.publish.jdbc.Retirement;
import dev.tidemark.reconcile.Comparison;
import dev.tidemark.reconcile.ControlLayout;
import dev.tidemark.reconcile.ControlTotals;
import dev.tidemark.reconcile.KeptVariances;
import dev.tidemark.reconcile.csv.CsvTotals;
import dev.tidemark.reconcile.jdbc.JdbcComparison;
import dev.tidemark.reconcile.jdbc.JdbcKeptVariances;
import dev.tidemark.reconcile.jdbc.QueryTotals;
import dev.tidemark.recovery.StateReach;
import dev.tidemark.recovery.Widenings;
import dev.tidemark.recovery.WriterWatch;
import dev.tidemark.recovery.jdbc.JdbcStateReach;
import dev.tidemark.recovery.jdbc.JdbcWidenings;
import dev.tidemark.recovery.jdbc.JdbcWriterWatch;
import dev.tidemark.source.EventRange;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The composition root: which door stands behind which port. */
final class Wiring {
    private final ConnectionSettings settings;
    private final Connections connections;

    Wiring(ConnectionSettings settings) {
        this.settings = settings;
        this.connections = Connections.to(settings);
    }

    Connections connections() {
        return connections;
    }

    /** What a job's files hold. Needs no warehouse. */
    static RecordedChanges recordedChanges(JobPlan plan) {
        return new RecordedChanges(plan, new Decoders());
    }

    /** Connects once. A person should not have to wait for all the tries that a running job makes. */
    void requireReachable() {
        Session session = Session.named("tidemark");
        try (Transactions once = new Transactions(connections, session, Transactions.Repetition.NONE)) {
            once.execute("connect to the warehouse " + settings, connection -> {});
        }
    }

    /** Makes the warehouse ready for a job. */
    void prepare(JobPlan plan) {
        new Initialization(connections, plan).run(JobSpec.json(plan), null);
    }

    /** Makes the warehouse ready for a job, and leaves what the job was told last. */
    void prepareBeside(JobPlan plan) {
        new Initialization(connections, plan).runBeside(JobSpec.json(plan));
    }

    /** Registers what a job is told in a warehouse that is ready for it; creates nothing. */
    void resume(JobPlan plan) {
        new Initialization(connections, plan).resume(JobSpec.json(plan));
    }

    /** What the warehouse remembers of the job's last run; null: it does not know the job. */
    @Nullable
    LastRun lastRun(JobPlan plan) {
        return new Initialization(connections, plan).lastRun();
    }

    /** For a look that changes nothing. */
    Initialization initialization(JobPlan plan) {
        return new Initialization(connections, plan);
    }

    Retirement retirement(JobPlan plan) {
        return new Retirement(plan.job(), connections);
    }

    Pruning pruning(JobPlan plan) {
        return new Pruning(plan.job(), connections);
    }

    /** What the state of a job's stream holds, by what the warehouse knows. */
    StateReach.Reader stateReach(JobPlan plan) {
        return new JdbcStateReach(plan.job(), calendar(plan), connections);
    }

    static Calendar calendar(JobPlan plan) {
        return new Calendar(plan.partition().grain(), plan.partition().zone());
    }

    /** The job as a Flink topology. Its target must be there. */
    Topology topology(JobPlan plan, String submission, Duration checkpointInterval, FrontierResets resets) {
        Map<String, Integer> columnLengths = new Initialization(connections, plan).textLimits();
        Ports ports = new Ports(
                new Decoders(),
                JdbcStage.factory(connections, plan),
                JdbcWarehouse.factory(connections, plan, new RunOrders(checkpointInterval, resets.instants())),
                JdbcWarehouse.publishedPositions(connections, plan),
                new JdbcSkippedFiles(plan.job(), connections),
                new JdbcStartPositions(plan.job(), connections));
        return new Topology(plan, ports, submission, columnLengths, resets);
    }

    /** A rebuild of the job as a Flink topology. Its target must be there. */
    RebuildTopology rebuildTopology(JobPlan plan, Rebuild rebuild, HistoryReading history, Duration lockTimeout) {
        Map<String, Integer> columnLengths = new Initialization(connections, plan).textLimits();
        RebuildPorts ports = new RebuildPorts(
                new Decoders(),
                JdbcStage.factory(connections, plan),
                JdbcReplacement.factory(connections, plan, rebuild, lockTimeout));
        return new RebuildTopology(plan, ports, rebuild, history, columnLengths);
    }

    /** What a rebuild reads. */
    HistoryReading history(JobPlan plan, Rebuild rebuild, EventRange range) {
        return HistoryReading.begin(plan, rebuild.asOf(), range, new JdbcStartPositions(plan.job(), connections));
    }

    /** A history as the evidence needs it. */
    HistoryReading history(JobPlan plan, AsOf asOf, EventRange range) {
        return HistoryReading.begin(plan, asOf, range, new JdbcStartPositions(plan.job(), connections));
    }

    /** Writes a history down. The job's target must be there. */
    RecordingTopology recordingTopology(JobPlan plan, Recorder.Factory recorders, AsOf asOf, HistoryReading history) {
        Map<String, Integer> columnLengths = new Initialization(connections, plan).textLimits();
        return new RecordingTopology(plan, new Decoders(), recorders, columnLengths, asOf, history);
    }

    PublishedTarget publishedTarget(JobPlan plan) {
        return new JdbcPublishedTarget(plan, connections);
    }

    Publications publicationsOf(JobPlan plan) {
        return new JdbcPublications(plan.job(), connections);
    }

    Verification.Store verifications(JobPlan plan) {
        return new JdbcVerifications(plan.job(), connections);
    }

    Rebuilds rebuilds(JobPlan plan, Duration lockTimeout) {
        return new JdbcRebuilds(plan, connections, lockTimeout);
    }

    /** Whether the warehouse has been prepared for a job. */
    boolean knows(JobPlan plan) {
        return JdbcJobStatus.isKnown(plan.job(), connections);
    }

    JobStatus.Reader status(JobPlan plan) {
        return new JdbcJobStatus(plan.job(), connections);
    }

    Evidence.Reader evidence(JobPlan plan) {
        return new JdbcEvidence(plan, connections);
    }

    /** The control beside the target. */
    Comparison comparison(JobPlan plan, ControlLayout layout) {
        return new JdbcComparison(plan, layout, connections);
    }

    Completeness.Store completeness(JobPlan plan) {
        return new JdbcCompleteness(plan, connections);
    }

    KeptVariances keptVariances(JobPlan plan) {
        return new JdbcKeptVariances(plan.job(), connections);
    }

    static ControlTotals totalsOf(Path file) {
        return new CsvTotals(file);
    }

    /** What a query of the warehouse itself says. */
    ControlTotals totalsOf(String query) {
        return QueryTotals.of(settings, query);
    }

    static ControlTotals totalsOf(String address, String query, Environment environment) {
        return QueryTotals.of(address, query, environment);
    }

    Widenings widenings(JobPlan plan) {
        return new JdbcWidenings(plan.job(), connections);
    }

    WriterWatch writerWatch(JobPlan plan) {
        return new JdbcWriterWatch(plan.job(), connections);
    }

    Ledger ledger(JobPlan plan) {
        return new JdbcLedger(plan.job(), connections);
    }

    RejectedChanges rejectedChanges(JobPlan plan) {
        return new JdbcRejectedChanges(plan.job(), connections);
    }

    TargetRows target(JobPlan plan) {
        return new JdbcTargetRows(plan, connections);
    }

    Progress.Reader progress(JobPlan plan) {
        return new JdbcProgress(plan.job(), connections);
    }
}
