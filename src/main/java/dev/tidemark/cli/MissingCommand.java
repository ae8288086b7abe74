package dev.tidemark.cli;

import dev.tidemark.evidence.Completeness;
import dev.tidemark.evidence.PublishedTarget;
import dev.tidemark.evidence.Standpoint;
import dev.tidemark.evidence.duckdb.Absences;
import dev.tidemark.evidence.duckdb.Recomputation;
import dev.tidemark.evidence.duckdb.TargetFile;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.pipeline.SourceBacklog;
import dev.tidemark.source.Backlog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code missing}: whether every source row is in the target, once, or accounted for. */
@Command(
        name = "missing",
        description = {
            "Whether every source row that lives is in the target, once, at zero tolerance: by its key, and by _members and",
            "_fingerprint of its row, from whose difference one or two rows are named exactly. A row that the ledger has, or",
            "that was rejected, is accounted for; what was not read yet is not missing. As of the last publication, so that it",
            "runs beside a live job. What is found is kept in tidemark.missing_rows.",
            "",
            "Whether values are right is another question: see `verify`. Exits with 1 if anything is found."
        })
final class MissingCommand implements Callable<Integer> {
    /** By which time what is found is counted. */
    enum Time {
        EVENT,
        OBSERVED
    }

    private final Console console;

    @Option(
            names = "--job",
            required = true,
            paramLabel = "FILE",
            description = "The job file; may be given several times: then all of them are looked at.")
    @SuppressWarnings("NullAway.Init")
    private List<Path> files;

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(
            names = "--from",
            paramLabel = "P",
            description = "The first partition, as a date; default: the first that the history holds whole.")
    private @Nullable String from;

    @Option(
            names = "--to",
            paramLabel = "P",
            description = "The last partition, included; default: the last that there is.")
    private @Nullable String to;

    @Option(
            names = "--time",
            paramLabel = "WHICH",
            defaultValue = "event",
            description = "By which time it is listed, event or observed; default: event.")
    private Time time = Time.EVENT;

    @Mixin
    private final FormatOption format = new FormatOption();

    @Mixin
    private final RecomputationOption recomputing = new RecomputationOption();

    MissingCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        recomputing.require();
        format.limit();
        List<JobPlan> plans = new ArrayList<>();
        for (Path file : files) {
            plans.add(plan(file));
        }
        MissingReport report = new MissingReport(console, format, time);
        if (files.size() == 1) {
            int status = look(plans.get(0), files.get(0), report);
            report.end();
            return status;
        }
        return sweep(plans, report);
    }

    /** A job that cannot be looked at must not hide the others. */
    private int sweep(List<JobPlan> plans, MissingReport report) throws InterruptedException {
        int worst = ExitStatus.DONE;
        for (int i = 0; i < plans.size(); i++) {
            try {
                worst = Math.max(worst, look(plans.get(i), files.get(i), report));
            } catch (InterruptedException stopped) {
                throw stopped;
            } catch (Exception failure) {
                console.err().println("tidemark: " + files.get(i) + ": " + CommandLineInterface.words(failure));
                worst = ExitStatus.FAILED;
            }
        }
        report.end();
        return worst;
    }

    private JobPlan plan(Path file) {
        if (!Files.isRegularFile(file)) {
            throw CommandException.wrongUse("there is no job file %s", file);
        }
        return JobFiles.resolve(file, console.environment(), UnaryOperator.identity())
                .plan();
    }

    private int look(JobPlan plan, Path file, MissingReport report) throws Exception {
        Instant startedAt = console.clock().instant();
        HistoryRange range = new HistoryRange(plan, from, to);
        if (plan.history().isSame()) {
            SourceCheck.requireReadable(plan.source(), file);
        }
        StepLine step = new StepLine(console);
        try (WarehouseOption.Opened opened = warehouse.openFor(plan, console);
                Interruption interruption = new Interruption(console, "stopped; nothing is changed");
                ScratchFolder scratch = ScratchFolder.create(console);
                Completeness.Store store = new Wiring(opened.settings()).completeness(plan)) {
            console.err().println("warehouse: " + opened.shown());
            Wiring wiring = new Wiring(opened.settings());
            step.show("reading what is published");
            Standpoint standpoint = readTarget(wiring, plan, range, scratch);
            if (standpoint.publication() == 0) {
                throw CommandException.failed(
                        "the job %s has published nothing yet: everything that its source has is to come", plan.job());
            }
            step.show("reading the history");
            step.end();
            try (Recomputation recomputation =
                    recomputing.read(console, wiring, plan, standpoint.asOf(), range.eventRange(), scratch.path())) {
                range.requireHistory(standpoint, recomputation);
                String whole = range.whole(standpoint, recomputation);
                step.show("finding what lives of each record");
                recomputation.findLive(whole, range.last());
                step.show("looking for it in the target");
                Absences absences = new Absences(plan.overHistory(), recomputation, whole, range.last());
                absences.find(standpoint, plan.history().hasPositionsOf(plan.source()), store);
                step.end();
                Backlog beyond = SourceBacklog.behind(standpoint.logs() == null ? List.of() : standpoint.logs(), plan);
                Completeness found = new Completeness(
                        standpoint.publication(),
                        whole,
                        range.last(),
                        absences.live(),
                        absences.late(),
                        absences.refused(),
                        recomputation.rejected(),
                        absences.beyondMemory(),
                        absences.counts(),
                        MissingReport.words(beyond),
                        startedAt,
                        console.clock().instant());
                keep(store, found, absences);
                report.print(plan, found, absences::forEach);
                return found.isPassed() ? ExitStatus.DONE : ExitStatus.DIFFERENCE;
            }
        } finally {
            step.end();
        }
    }

    /** What was found is worth more than its record: who may only read is told it all the same. */
    private void keep(Completeness.Store store, Completeness found, Absences absences) {
        try {
            store.keep(found, absences::forEach);
        } catch (RuntimeException failure) {
            console.err().println("warning: not recorded: " + CommandLineInterface.words(failure));
        }
    }

    private Standpoint readTarget(Wiring wiring, JobPlan plan, HistoryRange range, ScratchFolder scratch) {
        try (PublishedTarget target = wiring.publishedTarget(plan);
                TargetFile file = recomputing.targetFile(plan, scratch.path())) {
            Standpoint standpoint = target.read(range.first(), range.last(), file);
            file.finish();
            return standpoint;
        }
    }
}
