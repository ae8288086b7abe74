package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Values;
import dev.tidemark.change.avro.Decoders;
import dev.tidemark.database.Connections;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.History;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.kit.SourceRecord;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.pipeline.HistoryReading;
import dev.tidemark.pipeline.RebuildPorts;
import dev.tidemark.pipeline.RebuildTopology;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.Rebuilds;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.jdbc.JdbcRebuilds;
import dev.tidemark.publish.jdbc.JdbcReplacement;
import dev.tidemark.publish.jdbc.JdbcStage;
import dev.tidemark.source.EventRange;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Rebuilds of one job on real parts, and what should come of them. */
final class Rebuilding {
    /** Later than any generated time. */
    private static final Instant LATER = Instant.parse("2999-01-01T00:00:00Z");

    private final WholeJob job;
    private final PostgresServer postgres;
    private final Calendar calendar;

    Rebuilding(WholeJob job, PostgresServer postgres) {
        this.job = job;
        this.postgres = postgres;
        this.calendar = new Calendar(
                job.plan().partition().grain(), job.plan().partition().zone());
    }

    Calendar calendar() {
        return calendar;
    }

    /** The first partition that the source holds whole, by what the job says. */
    long wholeFrom() {
        LocalDate first = job.plan().partition().wholeFrom();
        return first == null ? PartitionSpan.BEGINNING : calendar.partitionFrom(first);
    }

    PartitionSpan span(String first, String last) {
        return new PartitionSpan(calendar.parse(first), calendar.parse(last));
    }

    Rebuilds.Standings standings() {
        try (Rebuilds rebuilds = new JdbcRebuilds(job.plan(), postgres.connections(), Duration.ofSeconds(30))) {
            return rebuilds.look(calendar.partitionOf(Values.micros(LATER)));
        }
    }

    /** A rebuild of some partitions as of now. */
    Rebuild of(PartitionSpan span) {
        Rebuilds.Standings standings = standings();
        return new Rebuild(
                UUID.randomUUID().toString(),
                span.isAll() ? Rebuild.Mode.ALL : Rebuild.Mode.RANGE,
                null,
                span,
                Standing.NOWHERE,
                standings.publication(),
                standings.stream().publication(),
                standings.isStreamed() ? standings.stream().logs() : null,
                true,
                job.plan().source().name(),
                "a test",
                List.of(),
                false);
    }

    Rebuilds.Result run(PartitionSpan span) throws Exception {
        return run(of(span), 2);
    }

    Rebuilds.Result run(Rebuild rebuild, int parallelism) throws Exception {
        try (Rebuilds rebuilds = new JdbcRebuilds(job.plan(), postgres.connections(), Duration.ofSeconds(30))) {
            rebuilds.begin(rebuild);
            WholeJob.end(submit(rebuild, parallelism));
            return rebuilds.result(rebuild.id());
        }
    }

    /** Submits one that is begun. */
    JobClient submit(Rebuild rebuild, int parallelism) throws Exception {
        JobPlan plan = job.plan();
        Connections connections = postgres.connections();
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(parallelism);
        FlinkSettings.requireForRebuild(environment);
        RebuildPorts ports = new RebuildPorts(
                new Decoders(),
                JdbcStage.factory(connections, plan),
                JdbcReplacement.factory(connections, plan, rebuild, Duration.ofSeconds(30)));
        HistoryReading history = HistoryReading.begin(plan, rebuild.asOf(), EventRange.ALL);
        new RebuildTopology(plan, ports, rebuild, history, Map.of()).build(environment);
        return environment.executeAsync("rebuild " + plan.job());
    }

    /** The target's rows in some partitions. */
    List<TargetRow> target(PartitionSpan span) throws SQLException {
        try (Connection analyst = postgres.connect()) {
            return in(span, new Published(analyst, job.plan()).target());
        }
    }

    /** What a full recomputation over all that was delivered has in some partitions. */
    List<TargetRow> recomputed(PartitionSpan span) {
        return recomputed(span, record -> true);
    }

    /** What a full recomputation over the changes before where the stream stands has in some partitions. */
    List<TargetRow> recomputed(PartitionSpan span, List<LogCut> logs) {
        return recomputed(
                span,
                record -> logs.stream()
                        .anyMatch(log -> log.log().equals(record.log())
                                && LogCut.comparePositions(
                                                record.split(), record.offset(), log.split(), log.nextOffset())
                                        < 0));
    }

    private List<TargetRow> recomputed(PartitionSpan span, Predicate<SourceRecord> taken) {
        JobPlan plan = withoutWindow(job.plan());
        Oracle oracle = new Oracle(plan, Fingerprints.of(plan));
        History history = job.history();
        history.logs().forEach((log, records) -> {
            oracle.begin(log);
            records.stream().filter(taken).forEach(oracle::accept);
        });
        return in(span, oracle.snapshot().target());
    }

    private List<TargetRow> in(PartitionSpan span, List<TargetRow> rows) {
        return rows.stream()
                .filter(row -> span.contains(calendar.parse(row.partition())))
                .toList();
    }

    /** The same job with everything open and nothing forgotten. */
    private static JobPlan withoutWindow(JobPlan plan) {
        PartitionPlan partition = plan.partition();
        return new JobPlan(
                plan.job(),
                plan.source(),
                plan.fields(),
                plan.where(),
                plan.changes(),
                plan.time(),
                new PartitionPlan(partition.grain(), partition.zone(), 20_000, null, 20_000, partition.column(), null),
                plan.target());
    }

    /** Asserts that some partitions are what a full recomputation as of the stream's publication makes of them. */
    void equalsRecomputation(PartitionSpan span) throws SQLException {
        Rebuilds.Standings standings = standings();
        List<TargetRow> expected =
                standings.isStreamed() ? recomputed(span, standings.stream().logs()) : recomputed(span);
        assertThat(target(span)).as(job.history().toString()).isEqualTo(expected);
    }

    /** Spans before and behind. */
    List<PartitionSpan> around(PartitionSpan span) {
        List<PartitionSpan> around = new ArrayList<>();
        if (span.first() != PartitionSpan.BEGINNING) {
            around.add(new PartitionSpan(PartitionSpan.BEGINNING, calendar.plus(span.first(), -1)));
        }
        if (span.last() != PartitionSpan.END) {
            around.add(new PartitionSpan(calendar.plus(span.last(), 1), PartitionSpan.END));
        }
        return around;
    }
}
