package dev.tidemark.cli;

import dev.tidemark.evidence.Completeness;
import dev.tidemark.evidence.Verification;
import dev.tidemark.job.JobPlan;
import dev.tidemark.pipeline.SourceBacklog;
import dev.tidemark.publish.JobStatus;
import dev.tidemark.publish.StatusCheck;
import dev.tidemark.reconcile.KeptVariances;
import dev.tidemark.source.Backlog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code status}: how a job stands. */
@Command(
        name = "status",
        description = {
            "How a job stands, by what the warehouse knows: who publishes, how far, what is open, what calls for a person.",
            "",
            "Warnings are printed in any case; with --check they make the exit status 1. They are: the job was retired; a job",
            "without end that gave no sign of life for three checkpoint intervals (at least a minute; 5 minutes when the interval is",
            "not known), or published nothing for so long although there is more to read; nothing published yet, or not for",
            "--publication-after; an operation that nobody has gone on with for 10 minutes; files that are not read because they",
            "came too late; changes rejected, or that used more than half of the lookback, in the last publication or the last",
            "24 hours; ledger rows open for longer than --open-late-after; rows that `missing` has found; a reconciliation that did not pass,",
            "or is older than --reconciled-after."
        })
final class StatusCommand implements Callable<Integer> {
    private static final Duration RECENT = Duration.ofHours(24);

    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(names = "--check", description = "Exit with 1 if there is a warning.")
    private boolean check;

    @Option(
            names = "--open-late-after",
            paramLabel = "DURATION",
            defaultValue = "7d",
            description = "Warn of ledger rows that are open for longer; default: 7d.")
    private Duration openLateAfter = Duration.ofDays(7);

    @Option(
            names = "--publication-after",
            paramLabel = "DURATION",
            description = "Warn when the last publication is older; default: never, because a source may be silent.")
    private @Nullable Duration publicationAfter;

    @Option(
            names = "--reconciled-after",
            paramLabel = "DURATION",
            description = "Warn when the last reconciliation is older or there is none; default: never.")
    private @Nullable Duration reconciledAfter;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table or json; default: table.")
    private Format format = Format.TABLE;

    StatusCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (format == Format.CSV) {
            throw CommandException.wrongUse("--format: status is printed as table or json");
        }
        JobPlan plan = job.read(console).plan();
        Instant now = console.clock().instant();
        try (WarehouseOption.Opened opened = warehouse.openFor(plan, console);
                KeptVariances variances = new Wiring(opened.settings()).keptVariances(plan);
                Completeness.Store completeness = new Wiring(opened.settings()).completeness(plan);
                Verification.Store verifications = new Wiring(opened.settings()).verifications(plan);
                JobStatus.Reader reader = new Wiring(opened.settings()).status(plan)) {
            JobStatus status = reader.read(now.minus(RECENT));
            JobStatus.Last last = status.last();
            Backlog backlog = SourceBacklog.behind(last == null ? List.of() : last.logs(), plan);
            EvidenceStatus evidence = new EvidenceStatus(variances.last(), completeness.last(), verifications.last());
            List<StatusCheck.Warning> warnings =
                    new ArrayList<>(new StatusCheck(plan.source().isBounded(), openLateAfter, publicationAfter)
                            .warnings(status, backlog, now));
            warnings.addAll(evidence.warnings(reconciledAfter, now));
            console.out()
                    .print(
                            format == Format.JSON
                                    ? StatusReport.json(status, backlog, evidence, warnings, plan, now)
                                    : StatusReport.text(status, backlog, evidence, warnings, plan, now));
            console.out().flush();
            return check && !warnings.isEmpty() ? ExitStatus.DIFFERENCE : ExitStatus.DONE;
        }
    }
}
