package dev.tidemark.cli;

import dev.tidemark.evidence.PartitionCount;
import dev.tidemark.evidence.Publications;
import dev.tidemark.evidence.PublishedTarget;
import dev.tidemark.evidence.Standpoint;
import dev.tidemark.evidence.Verification;
import dev.tidemark.evidence.duckdb.Comparison;
import dev.tidemark.evidence.duckdb.GlobalComparison;
import dev.tidemark.evidence.duckdb.IdentityComparison;
import dev.tidemark.evidence.duckdb.Recomputation;
import dev.tidemark.evidence.duckdb.RunningComparison;
import dev.tidemark.evidence.duckdb.TargetFile;
import dev.tidemark.job.JobPlan;
import dev.tidemark.pipeline.SourceBacklog;
import dev.tidemark.source.Backlog;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verify}: whether every value of the target is what its history says. */
@Command(
        name = "verify",
        description = {
            "Recompute partitions from the history, apart from the stream, and compare every key and value of the target, in",
            "both directions. As of the last publication, so that it runs beside a live job.",
            "",
            "A row that is not equal is `explained` if it is what the history without its open late changes gives,",
            "`beyond-memory` if it is what comes of a record that was forgotten between two of its changes, else `wrong`:",
            "then the exit status is 1. docs/evidence.md tells more."
        })
final class VerifyCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

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
            names = "--partitions",
            description = "With --format json or csv: the counts of every partition instead of the rows that differ.")
    private boolean partitions;

    @Mixin
    private final FormatOption format = new FormatOption();

    @Mixin
    private final RecomputationOption recomputing = new RecomputationOption();

    VerifyCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        recomputing.require();
        long limit = format.limit();
        Instant startedAt = console.clock().instant();
        JobPlan plan = job.read(console).plan();
        HistoryRange range = new HistoryRange(plan, from, to);
        if (plan.history().isSame()) {
            SourceCheck.requireReadable(plan.source(), job.file());
        }
        StepLine step = new StepLine(console);
        try (WarehouseOption.Opened opened = warehouse.openFor(plan, console);
                Interruption interruption = new Interruption(console, "stopped; nothing is changed");
                ScratchFolder scratch = ScratchFolder.create(console)) {
            console.err().println("warehouse: " + opened.shown());
            Wiring wiring = new Wiring(opened.settings());
            step.show("reading what is published");
            Standpoint standpoint = readTarget(wiring, plan, range, scratch);
            if (standpoint.publication() == 0) {
                throw CommandException.failed(
                        "the job %s has published nothing yet: there is nothing to verify", plan.job());
            }
            step.show("reading the history");
            step.end();
            try (Recomputation recomputation =
                    recomputing.read(console, wiring, plan, standpoint.asOf(), range.eventRange(), scratch.path())) {
                boolean comparable = plan.history().hasPositionsOf(plan.source());
                range.requireHistory(standpoint, recomputation);
                String whole = range.whole(standpoint, recomputation);
                String last = range.last();
                step.show("finding what lives of each record");
                recomputation.findLive(whole, last);
                step.show("computing the cells");
                recomputation.computeCells();
                step.show("comparing");
                Comparison comparison = new Comparison(plan.overHistory(), recomputation, whole, last);
                comparison.compare(standpoint, comparable);
                GlobalComparison apart = compareApart(wiring, plan, recomputation, comparable, whole, last, step);
                List<PartitionCount> counts = comparison.counts();
                step.end();
                Verification verification = new Verification(
                        standpoint.publication(),
                        whole,
                        last,
                        recomputation.records(),
                        counts.size(),
                        counts.stream()
                                .reduce(apart == null ? PartitionCount.NONE : apart.wrong(), PartitionCount::plus),
                        startedAt,
                        console.clock().instant());
                keep(wiring, plan, verification);
                Backlog beyond = SourceBacklog.behind(standpoint.logs() == null ? List.of() : standpoint.logs(), plan);
                new VerifyReport(console, format.format(), partitions, plan, job.file())
                        .print(
                                verification,
                                standpoint,
                                comparable,
                                recomputation.rejected(),
                                beyond,
                                counts,
                                comparison,
                                apart,
                                limit);
                return verification.isPassed() ? ExitStatus.DONE : ExitStatus.DIFFERENCE;
            }
        } finally {
            step.end();
        }
    }

    /** @return null: there are no such columns, or it cannot be told which changes a publication had read */
    private static @Nullable GlobalComparison compareApart(
            Wiring wiring,
            JobPlan plan,
            Recomputation recomputation,
            boolean comparable,
            @Nullable String first,
            @Nullable String last,
            StepLine step) {
        boolean isRunning = plan.target().hasRunningColumns();
        if (!comparable || !(isRunning || plan.identity() != null)) {
            return null;
        }
        step.show("computing what was known to each publication");
        GlobalComparison apart = isRunning
                ? new RunningComparison(plan.overHistory(), recomputation, first, last)
                : new IdentityComparison(plan.overHistory(), recomputation, first, last);
        try (Publications publications = wiring.publicationsOf(plan)) {
            publications.read(apart.publications());
        }
        apart.compare();
        return apart;
    }

    private Standpoint readTarget(Wiring wiring, JobPlan plan, HistoryRange range, ScratchFolder scratch) {
        try (PublishedTarget target = wiring.publishedTarget(plan);
                TargetFile file = recomputing.targetFile(plan, scratch.path())) {
            Standpoint standpoint = target.read(range.first(), range.last(), file);
            file.finish();
            return standpoint;
        }
    }

    /** What was found is worth more than its record. */
    private void keep(Wiring wiring, JobPlan plan, Verification verification) {
        try (Verification.Store verifications = wiring.verifications(plan)) {
            verifications.keep(verification);
        } catch (RuntimeException failure) {
            console.err().println("warning: not recorded: " + CommandLineInterface.words(failure));
        }
    }
}
