package dev.tidemark.cli;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.gate.Gate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.pipeline.RemoteFlink;
import dev.tidemark.publish.LastRun;
import dev.tidemark.recovery.FlinkJobs;
import dev.tidemark.recovery.Obstacle;
import dev.tidemark.recovery.RecoveryException;
import dev.tidemark.recovery.ReopenedRange;
import dev.tidemark.recovery.Restart;
import dev.tidemark.recovery.StateReach;
import dev.tidemark.recovery.Widening;
import dev.tidemark.recovery.Widening.Arguments;
import dev.tidemark.recovery.WideningSteps;
import dev.tidemark.recovery.Widenings;
import dev.tidemark.recovery.WriterWatch;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code widen}: brings in late changes that the state of a running job still holds. */
@Command(
        name = "widen",
        description = {
            "Bring late changes in from the state of a job that runs on a cluster: stop it with a savepoint, restore it with a",
            "larger lookback, wait for the publication that replaces the reopened partitions by their whole truth.",
            "",
            "What the state cannot answer is refused before anything is stopped. Interrupted anywhere, the same command",
            "goes on."
        })
final class WidenCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(
            names = "--lookback",
            paramLabel = "N",
            description = "The new lookback: more partitions than now, at most partition.retain.")
    private @Nullable Integer lookback;

    @Option(
            names = "--flink",
            paramLabel = "URL",
            description = "The JobManager of the cluster, for instance http://localhost:8081.")
    private @Nullable String flink;

    @Option(
            names = "--then-narrow",
            description = "When it is published, stop once more and restore with the lookback that it had.")
    private boolean thenNarrow;

    @Option(
            names = "--savepoint-dir",
            paramLabel = "DIR",
            description = "Where savepoints go; default: where the cluster is set to put them.")
    private @Nullable String savepoints;

    @Option(
            names = "--jar",
            paramLabel = "FILE",
            description = "The program that the cluster gets; default: the jar that this command runs from.")
    private @Nullable Path jar;

    @Option(names = "--dry-run", description = "Say what would be reopened, and stop nothing.")
    private boolean dryRun;

    @Option(
            names = "--abandon",
            description =
                    "Give up a widening that did not come to its end; tells how things stand and changes nothing.")
    private boolean abandon;

    WidenCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (CommandLineInterface.isUnderFlinkClient()) {
            throw CommandException.wrongUse(
                    "widen submits the job by itself: start it directly, not under 'flink run'");
        }
        JobPlan plan = job.read(console).plan();
        if (abandon) {
            return abandon(plan);
        }
        Arguments arguments = arguments(plan);
        URI address = address();
        Path program = program();
        try (WarehouseOption.Opened opened = warehouse.openServerFor(plan, console);
                Interruption interruption =
                        new Interruption(console, "interrupted; the same command goes on from where it is")) {
            Wiring wiring = new Wiring(opened.settings());
            RemoteFlink cluster = new RemoteFlink(address);
            try (Widenings widenings = wiring.widenings(plan);
                    StateReach.Reader reach = wiring.stateReach(plan);
                    WriterWatch writer = wiring.writerWatch(plan)) {
                Run run = new Run(plan, wiring, cluster, program, widenings, reach, writer, arguments);
                return run.execute(interruption);
            }
        }
    }

    // --------------------------------------------------------------------------------------------------- arguments

    private Arguments arguments(JobPlan plan) {
        if (lookback == null) {
            throw CommandException.wrongUse("name the new lookback with --lookback N");
        }
        int retain = plan.partition().retain();
        if (lookback < 1) {
            throw CommandException.wrongUse("--lookback must be at least 1, not %d", lookback);
        }
        if (lookback > retain) {
            throw CommandException.wrongUse(
                    "--lookback %d is more than the %d partitions that the state remembers (partition.retain); raising that"
                            + " brings nothing back: what is older needs `rebuild`",
                    lookback, retain);
        }
        return new Arguments(lookback, thenNarrow);
    }

    private URI address() {
        if (flink == null) {
            throw CommandException.wrongUse("name the cluster with --flink URL, for instance http://localhost:8081");
        }
        try {
            URI address = new URI(flink);
            String path = address.getPath();
            if ("http".equals(address.getScheme())
                    && address.getHost() != null
                    && address.getPort() > 0
                    && (path == null || path.isEmpty() || path.equals("/"))) {
                return new URI("http", null, address.getHost(), address.getPort(), null, null, null);
            }
        } catch (URISyntaxException wrong) {
            // Said below.
        }
        throw CommandException.wrongUse(
                "--flink: '%s' is no address of a JobManager, such as http://localhost:8081; through a proxy or with TLS, widen"
                        + " by hand (docs/operations.md)",
                flink);
    }

    private Path program() {
        Path file = jar == null ? ownJar() : jar;
        if (!Files.isRegularFile(file)) {
            throw CommandException.wrongUse("there is no jar %s", file);
        }
        return file.toAbsolutePath();
    }

    private static Path ownJar() {
        CodeSource source = WidenCommand.class.getProtectionDomain().getCodeSource();
        try {
            if (source != null) {
                Path place = Path.of(source.getLocation().toURI());
                if (Files.isRegularFile(place)) {
                    return place;
                }
            }
        } catch (URISyntaxException | IllegalArgumentException elsewhere) {
            // Said below.
        }
        throw CommandException.wrongUse(
                "this command does not run from a jar, and the cluster needs one: name it with --jar FILE");
    }

    // ----------------------------------------------------------------------------------------------------- abandon

    private Integer abandon(JobPlan plan) {
        try (WarehouseOption.Opened opened = warehouse.openServerFor(plan, console);
                Widenings widenings = new Wiring(opened.settings()).widenings(plan)) {
            Widening open = widenings.open();
            if (open == null) {
                throw CommandException.failed("no widening of the job %s is open", plan.job());
            }
            widenings.close(open, "abandoned");
            console.out().println("given up after the step: " + WideningReport.word(open.step()));
            console.out().println(WideningReport.standing(open, job.file()));
            console.out().flush();
            return ExitStatus.DONE;
        } catch (RecoveryException failure) {
            throw CommandException.failed(String.valueOf(failure.getMessage()), failure);
        }
    }

    // --------------------------------------------------------------------------------------------------------- run

    /** One run of the command, against opened ports. */
    private final class Run {
        private final JobPlan plan;
        private final Wiring wiring;
        private final RemoteFlink cluster;
        private final Path program;
        private final Widenings widenings;
        private final StateReach.Reader reach;
        private final WriterWatch writer;
        private final Arguments arguments;
        private final Calendar calendar;
        private final WaitingLine waiting;

        Run(
                JobPlan plan,
                Wiring wiring,
                RemoteFlink cluster,
                Path program,
                Widenings widenings,
                StateReach.Reader reach,
                WriterWatch writer,
                Arguments arguments) {
            this.plan = plan;
            this.wiring = wiring;
            this.cluster = cluster;
            this.program = program;
            this.widenings = widenings;
            this.reach = reach;
            this.writer = writer;
            this.arguments = arguments;
            this.calendar = Gate.calendarOf(plan);
            this.waiting = new WaitingLine(console);
        }

        Integer execute(Interruption interruption) {
            try {
                Widening open = widenings.open();
                if (open != null) {
                    requireSame(open);
                    tell("going on after the step: " + WideningReport.word(open.step()));
                    return goOn(open, interruption);
                }
                Widening begun = check();
                if (begun == null) {
                    return ExitStatus.DONE;
                }
                widenings.begin(begun);
                return goOn(begun, interruption);
            } catch (RecoveryException failure) {
                throw CommandException.failed(String.valueOf(failure.getMessage()), failure);
            }
        }

        private void requireSame(Widening open) {
            if (!open.arguments().equals(arguments)) {
                throw CommandException.failed(
                        "a widening of the job %s is open, with --lookback %d%s: repeat it with these arguments to go on, or"
                                + " give it up with --abandon",
                        plan.job(),
                        open.arguments().lookback(),
                        open.arguments().thenNarrow() ? " --then-narrow" : "");
            }
        }

        // --------------------------------------------------------------------------------------------------- check

        /** Finds out whether it is possible, and says what will happen; null: there is nothing to do. */
        private @Nullable Widening check() {
            LastRun last = wiring.lastRun(plan);
            if (last != null && last.retiredAt() != null) {
                throw CommandException.failed(
                        "the job %s was retired at %s: nothing of it is published any more",
                        plan.job(), Words.second(last.retiredAt()));
            }
            StateReach reached = reach.reach();
            int present = presentLookback(reached);
            if (arguments.lookback() == present) {
                console.out().println("nothing to do: the lookback is " + present + " already");
                console.out().flush();
                return null;
            }
            if (arguments.lookback() < present) {
                throw CommandException.wrongUse(
                        "--lookback %d is less than the present one, %d: to narrow it, stop the job with a savepoint and restore"
                                + " it with `run --restore SAVEPOINT --lookback %d`",
                        arguments.lookback(), present, arguments.lookback());
            }
            ReopenedRange range = ReopenedRange.of(reached, calendar, arguments.lookback());
            List<Obstacle> obstacles = ReopenedRange.obstacles(reach, calendar, arguments.lookback());
            if (!obstacles.isEmpty()) {
                throw CommandException.failed(
                        "nothing was stopped: %s", Widened.refusal(with(arguments.lookback()), obstacles));
            }
            if (cluster.jobs().endsWithItsJob()) {
                throw CommandException.failed(
                        "the Flink at %s is in application mode: it ends with its job, so that nothing can be restored in it."
                                + " Nothing was stopped; widen by hand: stop with a savepoint, then start a cluster whose main"
                                + " program is `run --lookback %d`, from that savepoint",
                        cluster.address(), arguments.lookback());
            }
            String flinkJob = runningJob();
            FlinkJobs.Settings settings = cluster.jobs().settings(flinkJob);
            // What the job file means, the target and the program are looked at before anything is stopped.
            wiring.prepare(with(present));
            wiring.topology(with(arguments.lookback()), "none", interval(settings), FrontierResets.NONE);
            long open = range.isEmpty() ? 0 : reach.openRows(calendar.iso(range.from()), calendar.iso(range.before()));
            tell(WideningReport.intent(plan, range, present, arguments, open, flinkJob, cluster.address(), settings));
            return dryRun
                    ? null
                    : Widening.checked(
                            UUID.randomUUID(),
                            plan.job(),
                            arguments,
                            new Widening.Origin(present, reached.publication(), flinkJob, settings));
        }

        /** A job that was narrowed again and has published nothing since has the lookback of then. */
        private int presentLookback(StateReach reached) {
            Widening last = widenings.lastDone();
            if (last == null || last.submission() == null) {
                return reached.lookback();
            }
            return last.submission().equals(writer.newest().submission()) ? last.lookbackNow() : reached.lookback();
        }

        private String runningJob() {
            String known = writer.newest().flinkJob();
            FlinkJobs.Phase phase = null;
            if (known != null) {
                phase = cluster.jobs().phase(known);
                if (phase != null && !phase.isOver()) {
                    return requireRunning(known, phase);
                }
            }
            List<String> live = cluster.jobs().live(FlinkSettings.jobName(plan.job()));
            if (live.isEmpty()) {
                throw CommandException.failed(
                        "the job %s does not run at %s%s; nothing was stopped. A job that is stopped is widened by hand: `run"
                                + " --restore SAVEPOINT --lookback %d`",
                        plan.job(),
                        cluster.address(),
                        phase == null ? "" : " (its Flink job " + known + " has " + phase.word() + ")",
                        arguments.lookback());
            }
            if (live.size() > 1) {
                throw CommandException.failed(
                        "several Flink jobs are named '%s' (%s): cancel those that should not be; nothing was stopped",
                        FlinkSettings.jobName(plan.job()), String.join(", ", live));
            }
            String only = live.get(0);
            FlinkJobs.Phase now = cluster.jobs().phase(only);
            return requireRunning(only, now == null ? FlinkJobs.Phase.CHANGING : now);
        }

        private String requireRunning(String flinkJob, FlinkJobs.Phase phase) {
            if (phase != FlinkJobs.Phase.RUNNING) {
                throw CommandException.failed(
                        "the Flink job %s is %s: widen it when it runs; nothing was stopped", flinkJob, phase.word());
            }
            return flinkJob;
        }

        // --------------------------------------------------------------------------------------------------- steps

        private Integer goOn(Widening begun, Interruption interruption) {
            WideningSteps steps = new WideningSteps(
                    FlinkSettings.jobName(plan.job()),
                    new WideningSteps.Ports(
                            widenings, cluster.jobs(), this::submit, writer, waiting::pass, UUID::randomUUID),
                    () -> ReopenedRange.obstacles(reach, calendar, arguments.lookback()),
                    savepoints);
            Widening widening = begun;
            while (!widening.isDone()) {
                try {
                    widening = steps.next(widening);
                } catch (RuntimeException failure) {
                    waiting.end();
                    if (interruption.hasCome()) {
                        return ExitStatus.FAILED;
                    }
                    throw failed(widening, failure);
                }
                waiting.end();
                String reached = WideningReport.reached(widening);
                if (!reached.isEmpty()) {
                    tell(reached);
                }
            }
            return end(widening);
        }

        /** As {@code run --restore} would do it. */
        private void submit(Restart restart) {
            JobPlan restored = with(restart.lookback());
            wiring.prepare(restored);
            cluster.submit(
                    restart,
                    wiring.topology(restored, restart.submission(), interval(restart.settings()), FrontierResets.NONE),
                    FlinkSettings.jobName(plan.job()),
                    program);
        }

        private static Duration interval(FlinkJobs.Settings settings) {
            return Duration.ofMillis(settings.checkpointIntervalMillis());
        }

        private JobPlan with(int wanted) {
            return wanted == plan.partition().lookback() ? plan : plan.withLookback(wanted);
        }

        /** The message of a failure, and how things stand; recorded if that is possible. */
        private CommandException failed(Widening before, RuntimeException failure) {
            String message = String.valueOf(failure.getMessage());
            Widening open = before;
            try {
                open = widenings.open();
                if (open != null) {
                    widenings.failed(open, message);
                }
            } catch (RuntimeException second) {
                failure.addSuppressed(second);
            }
            return CommandException.failed(
                    open == null
                            ? message + "; nothing was stopped"
                            : message + System.lineSeparator() + WideningReport.standing(open, job.file())
                                    + System.lineSeparator()
                                    + "the same command goes on from there; --abandon gives it up",
                    failure);
        }

        private Integer end(Widening widening) {
            String refusal = widening.refusal();
            if (refusal != null) {
                throw CommandException.failed(
                        "while the job was being stopped, changes came that the state does not hold: %s. It was restored as it"
                                + " was, with the lookback %d, as Flink job %s; bring that partition in with `rebuild`, or choose a"
                                + " smaller lookback",
                        refusal, widening.lookbackNow(), String.valueOf(widening.flinkJob()));
            }
            console.out().print(WideningReport.end(widening, plan));
            console.out().flush();
            return ExitStatus.DONE;
        }

        private void tell(String text) {
            console.err().println(text);
            console.err().flush();
        }
    }
}
