package dev.tidemark.cli;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Values;
import dev.tidemark.job.Durations;
import dev.tidemark.job.JdbcPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.pipeline.HistoryReading;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.RebuildRule;
import dev.tidemark.publish.Rebuilds;
import dev.tidemark.publish.Standing;
import dev.tidemark.recovery.RebuildWindow;
import dev.tidemark.source.EventRange;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rebuild}: recomputes whole partitions from the history and puts them in the place of what stands. */
@Command(
        name = "rebuild",
        aliases = "backfill",
        description = {
            "Recompute whole partitions from the history and replace them, in one transaction.",
            "On an embedded Flink when started directly, on the cluster under 'flink run'."
        })
final class RebuildCommand implements Callable<Integer> {
    /** How long after its last sign of life a stream is taken to be running. A checkpoint gives one. */
    private static final Duration ALIVE = Duration.ofMinutes(1);

    private static final String TARGET = "target";
    private static final String CLOCK = "clock";

    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(names = "--from", paramLabel = "P", description = "The first partition, as a date; with --to.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "P", description = "The last partition, included.")
    private @Nullable String to;

    @Option(
            names = "--window",
            description = "The lookback before the frontier, and everything from there on: what a scheduled run does.")
    private boolean window;

    @Option(
            names = {"--all", "--full-refresh"},
            description = "All partitions.")
    private boolean all;

    @Option(
            names = "--frontier",
            paramLabel = "target|clock|DATE",
            description = {
                "Where the window ends: the target's last partition (the default), today in the job's zone,",
                "or a partition."
            })
    private @Nullable String frontier;

    @Option(names = "--dry-run", description = "Read, compute, and say what would change; change nothing.")
    private boolean dryRun;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the record.")
    private @Nullable String reason;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description = "How many subtasks work; default: the processors, or the cluster's default.")
    private @Nullable Integer parallelism;

    @Option(
            names = "--lock-timeout",
            paramLabel = "DURATION",
            description = "How long to wait for a lock in the warehouse, four times; default: 30s.")
    private @Nullable String lockTimeout;

    @Option(names = "--no-init", description = "Fail when schema or target are not there, instead of creating them.")
    private boolean noInit;

    RebuildCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        requireOneScope();
        if (parallelism != null && (parallelism < 1 || parallelism > 128)) {
            throw CommandException.wrongUse("--parallelism must lie between 1 and 128, not %d", parallelism);
        }
        Duration patience = lockTimeout();
        JobPlan plan = job.read(console).plan();
        PartitionSpan range = range(plan);
        Long named = namedFrontier(plan);
        boolean detached = isDetached();
        requireStays(plan, detached);
        if (plan.history().isSame()) {
            SourceCheck.requireReadable(plan.source(), job.file());
        }
        try (WarehouseOption.Opened opened =
                        dryRun || noInit ? warehouse.openFor(plan, console) : warehouse.open(console);
                Interruption interruption = new Interruption(
                        console,
                        "stopped; nothing is changed, and the next rebuild"
                                + " clears away what this one has staged")) {
            console.err().println("warehouse: " + opened.shown());
            Wiring wiring = new Wiring(opened.settings());
            wiring.requireReachable();
            if (!dryRun && !noInit) {
                wiring.prepareBeside(plan);
            }
            try (Rebuilds rebuilds = wiring.rebuilds(plan, patience)) {
                Rebuild rebuild = rebuild(plan, rebuilds, range, named);
                rebuilds.begin(rebuild);
                execute(plan, wiring, rebuilds, rebuild, patience, detached, interruption);
            }
        }
        return ExitStatus.DONE;
    }

    private void requireOneScope() {
        int scopes = (from != null || to != null ? 1 : 0) + (window ? 1 : 0) + (all ? 1 : 0);
        if (scopes != 1) {
            throw CommandException.wrongUse(
                    scopes == 0
                            ? "say which partitions: --from P --to P, --window or --all"
                            : "--from and --to, --window and --all exclude each other");
        }
        if ((from == null) != (to == null)) {
            throw CommandException.wrongUse("--from and --to belong together: both ends are included");
        }
        if (frontier != null && !window) {
            throw CommandException.wrongUse("--frontier says where a window ends: it belongs to --window");
        }
    }

    /** Whether the command ends when the rebuild is submitted, and the cluster does the rest. */
    private static boolean isDetached() {
        return CommandLineInterface.isUnderFlinkClient()
                && !StreamExecutionEnvironment.getExecutionEnvironment()
                        .getConfiguration()
                        .get(DeploymentOptions.ATTACHED);
    }

    /** What only a command that stays can do is refused before anything is begun. */
    private void requireStays(JobPlan plan, boolean detached) {
        if (detached && dryRun) {
            throw CommandException.wrongUse("--dry-run says what would change: run it without -d");
        }
        JdbcPlan rows = plan.history().jdbc();
        if (detached && rows != null) {
            throw CommandException.wrongUse(
                    "the history (%s) is rows of a database, read in a snapshot that this command holds open until all of"
                            + " them are read: run it without -d, so that it stays",
                    rows.name());
        }
    }

    private @Nullable PartitionSpan range(JobPlan plan) {
        if (from == null || to == null) {
            return null;
        }
        Calendar calendar = calendar(plan);
        PartitionRange first = PartitionRange.ofOne("--from", from, plan);
        PartitionRange last = PartitionRange.ofOne("--to", to, plan);
        if (first.from().compareTo(last.to()) > 0) {
            throw CommandException.wrongUse("--from %s is later than --to %s", from, to);
        }
        return new PartitionSpan(calendar.parse(first.from()), calendar.parse(last.to()));
    }

    private @Nullable Long namedFrontier(JobPlan plan) {
        return frontier == null || frontier.equals(TARGET) || frontier.equals(CLOCK)
                ? null
                : Long.valueOf(calendar(plan)
                        .parse(PartitionRange.ofOne("--frontier", frontier, plan)
                                .to()));
    }

    private Rebuild rebuild(JobPlan plan, Rebuilds rebuilds, @Nullable PartitionSpan range, @Nullable Long named) {
        RebuildWindow windows = new RebuildWindow(plan);
        Instant now = console.clock().instant();
        Rebuilds.Standings standings = rebuilds.look(windows.notBeyond(now));
        PartitionSpan span = PartitionSpan.ALL;
        long reach = Standing.NOWHERE;
        List<PartitionSpan> gaps = List.of();
        if (range != null) {
            span = range;
        } else if (window) {
            Long last = named != null
                    ? named
                    : CLOCK.equals(frontier) ? Long.valueOf(windows.today(now)) : standings.greatest();
            if (last == null) {
                console.err().println("the target has no rows: all of the history is computed");
                span = new PartitionSpan(wholeFrom(plan), PartitionSpan.END);
            } else {
                span = windows.before(last);
                reach = last;
                gaps = windows.gaps(span, standings);
            }
            warnOfBeyond(plan, standings);
        }
        RebuildRule rule = new RebuildRule(calendar(plan));
        String refusal = rule.refusal(span, standings.stream(), standings.completeFrom(), stream(plan, standings));
        if (refusal == null) {
            refusal = rule.refusal(
                    plan.history().name(plan.source()), span, RebuildRule.computed(plan, span), wholeFrom(plan));
        }
        if (refusal != null) {
            throw CommandException.failed("nothing is changed: %s", refusal);
        }
        boolean comparable = plan.history().hasPositionsOf(plan.source());
        return new Rebuild(
                UUID.randomUUID().toString(),
                range != null ? Rebuild.Mode.RANGE : window ? Rebuild.Mode.WINDOW : Rebuild.Mode.ALL,
                window ? (frontier == null ? TARGET : frontier) : null,
                span,
                reach,
                standings.publication(),
                standings.stream().publication(),
                comparable && standings.isStreamed() ? standings.stream().logs() : null,
                comparable,
                plan.history().name(plan.source()),
                reason,
                gaps,
                dryRun);
    }

    /** The first partition that the history holds whole, as far as the job file says it. */
    private static long wholeFrom(JobPlan plan) {
        LocalDate first = plan.overHistory().partition().wholeFrom();
        return first == null ? PartitionSpan.BEGINNING : calendar(plan).partitionFrom(first);
    }

    /** A row of a day that has not come is no frontier. In the window it is, so that it goes if no record is behind it. */
    private void warnOfBeyond(JobPlan plan, Rebuilds.Standings standings) {
        if (!standings.beyond().isEmpty()) {
            console.err()
                    .println("the target has rows in partitions that have not come yet ("
                            + standings.beyond().stream()
                                    .map(calendar(plan)::iso)
                                    .collect(Collectors.joining(", "))
                            + "); no frontier follows from them, and what no record is behind goes");
        }
    }

    /** A job that ends with its source gives no sign of life afterwards, and may have ended a moment ago. */
    private static RebuildRule.Stream stream(JobPlan plan, Rebuilds.Standings standings) {
        Instant heartbeat = standings.heartbeatAt();
        return !plan.source().isBounded()
                        && heartbeat != null
                        && heartbeat.plus(ALIVE).isAfter(standings.now())
                ? RebuildRule.Stream.LIVE
                : RebuildRule.Stream.AT_REST;
    }

    private void execute(
            JobPlan plan,
            Wiring wiring,
            Rebuilds rebuilds,
            Rebuild rebuild,
            Duration patience,
            boolean detached,
            Interruption interruption)
            throws Exception {
        try (HistoryReading history =
                wiring.history(plan, rebuild, eventRange(plan, RebuildRule.computed(plan, rebuild.span())))) {
            StreamExecutionEnvironment environment = environment(plan);
            FlinkSettings.requireForRebuild(environment);
            wiring.rebuildTopology(plan, rebuild, history, patience).build(environment);
            long startedNanos = System.nanoTime();
            JobClient client = environment.executeAsync("tidemark rebuild " + plan.job());
            if (detached) {
                console.out()
                        .println("submitted the rebuild " + rebuild.id() + " of " + plan.job() + " as Flink job "
                                + client.getJobID());
                return;
            }
            new HistoryProgress(console).await(client);
            Duration took = Duration.ofNanos(System.nanoTime() - startedNanos);
            console.out().print(RebuildSummary.text(plan, job.file(), rebuild, rebuilds.result(rebuild.id()), took));
            console.out().flush();
            rebuilds.forget(rebuild);
        } catch (Exception failure) {
            if (interruption.hasCome()) {
                return;
            }
            rebuilds.fail(rebuild, CommandLineInterface.words(failure));
            throw failure;
        }
    }

    /** A database need not hand over what lies outside, where that cannot matter. */
    private static EventRange eventRange(JobPlan plan, PartitionSpan span) {
        return new EventRange(
                span.first() == PartitionSpan.BEGINNING
                        ? null
                        : Values.instant(calendar(plan).startOf(span.first())),
                span.last() == PartitionSpan.END
                        ? null
                        : Values.instant(calendar(plan).endOf(span.last())));
    }

    private StreamExecutionEnvironment environment(JobPlan plan) {
        if (CommandLineInterface.isUnderFlinkClient()) {
            StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
            if (parallelism != null) {
                environment.setParallelism(parallelism);
            }
            return environment;
        }
        int subtasks = parallelism == null ? Runtime.getRuntime().availableProcessors() : parallelism;
        Path checkpoints = WarehouseOption.local(console)
                .toAbsolutePath()
                .resolve("checkpoints")
                .resolve(plan.job());
        String address = new org.apache.flink.core.fs.Path(checkpoints.toUri()).toString();
        Configuration settings = FlinkSettings.embedded(address, subtasks);
        return StreamExecutionEnvironment.createLocalEnvironment(subtasks, settings);
    }

    private Duration lockTimeout() {
        if (lockTimeout == null) {
            return Duration.ofSeconds(30);
        }
        Duration timeout = Durations.parse(lockTimeout);
        if (timeout == null || timeout.toMillis() < 10) {
            throw CommandException.wrongUse(
                    "--lock-timeout: '%s' is no duration of at least 10ms; write for instance 5s or 2m", lockTimeout);
        }
        return timeout;
    }

    private static Calendar calendar(JobPlan plan) {
        return new Calendar(plan.partition().grain(), plan.partition().zone());
    }
}
