package dev.tidemark.cli;

import dev.tidemark.job.JobFileException;
import dev.tidemark.job.JobPlan;
import dev.tidemark.lateness.DailyReads;
import dev.tidemark.lateness.Evidence;
import dev.tidemark.lateness.Margin;
import dev.tidemark.lateness.Period;
import dev.tidemark.lateness.StrictLoss;
import dev.tidemark.lateness.Study;
import dev.tidemark.lateness.Subject;
import dev.tidemark.publish.JobStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lateness}: how late changes come, and whether the lookback is long enough. */
@Command(
        name = "lateness",
        description = {
            "How late changes come (observed less event time), what each lookback would have caught of what was seen,",
            "what it costs, and what to set. Superseded and rejected changes do not count. Percentiles are at most",
            "2 %% too high, the maximum is exact.",
            "",
            "--check exits with 1 if what is set is less than what was seen needs: changes in the period that are older",
            "than it, or, in the last 7 days, changes that were admitted in its older half (the half-window sensor)."
        })
final class LatenessCommand implements Callable<Integer> {
    /** For how long a change in the older half of the lookback is news. */
    static final Duration RECENT = Duration.ofDays(7);

    /** The name of the field and column that hold what a record is worth. */
    private static final String VALUE = "strict_value";

    private static final long GREATEST_CANDIDATE = 1_000_000;
    private static final int GREATEST_EXCEPTION = 3_660;

    /** One table of the report. */
    enum By {
        ARRIVAL,
        DAY,
        AGE,
        SPLIT,
        LOOKBACK
    }

    /** A part of the margin. */
    enum MarginPart {
        SCHEDULER,
        COMMIT,
        CLOCK
    }

    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(names = "--since", paramLabel = "DAY", description = "The first day of observation, in the job's zone.")
    private @Nullable LocalDate since;

    @Option(names = "--until", paramLabel = "DAY", description = "The last day of observation.")
    private @Nullable LocalDate until;

    @Option(
            names = "--except",
            paramLabel = "DAY|FROM..TO",
            split = ",",
            description = "Days of known exceptional repairs, to be left out.")
    private List<String> except = List.of();

    @Option(
            names = "--candidates",
            paramLabel = "N",
            split = ",",
            description = "Further lookbacks to look at, for instance 7,30.")
    private List<Long> candidates = List.of();

    @Option(
            names = "--margin",
            paramLabel = "PART=DURATION",
            split = ",",
            description = {
                "The margin on top of p99, by parts: scheduler (how unevenly the source",
                "delivers), commit (from writing a row to committing it), clock (where a",
                "partition ends); default: scheduler=30m,commit=1h,clock=1h."
            })
    private Map<MarginPart, Duration> margin = new EnumMap<>(MarginPart.class);

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            description = "One table alone, as a whole: arrival, day, age, split or lookback.")
    private @Nullable By by;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, json or csv (of --by, else of day); default: table.")
    private Format format = Format.TABLE;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a page of its own as well.")
    private @Nullable Path html;

    @Option(names = "--check", description = "Exit with 1 if what is set is less than what was seen needs.")
    private boolean check;

    @Mixin
    private final StrictOptions strict = new StrictOptions();

    LatenessCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        requireFitting();
        if (strict.isAsked()) {
            replay();
            return ExitStatus.DONE;
        }
        JobPlan plan = job.read(console).plan();
        Instant now = console.clock().instant();
        LocalDate recent = now.minus(RECENT).atZone(plan.partition().zone()).toLocalDate();
        Study study = study(plan, now);
        LatenessTables tables = new LatenessTables(study);
        LatenessReport report = new LatenessReport(plan, study, tables, recent);
        if (by != null || format == Format.CSV) {
            tables.print(by == null ? By.DAY : by, format, console.out());
        } else if (format == Format.JSON) {
            console.out().print(report.json());
        } else {
            report.print(console.out());
        }
        console.out().flush();
        write(plan, study, recent, now);
        return check && (study.needsMore() || study.halfWindowExceeded(recent) > 0)
                ? ExitStatus.DIFFERENCE
                : ExitStatus.DONE;
    }

    private void requireFitting() {
        boolean studies = since != null || until != null || by != null || html != null || check || !except.isEmpty();
        if (strict.isAsked() && (studies || !candidates.isEmpty() || !margin.isEmpty())) {
            throw CommandException.wrongUse(
                    "--strict-watermark replays the files: of the other options it takes --job, --format, --every, --first,"
                            + " --at, --on, --strict-lookback, --per, --value and --currency");
        }
        if (!strict.isAsked() && strict.isNamed()) {
            throw CommandException.wrongUse(
                    "--every, --first, --at, --on, --strict-lookback, --per, --value and --currency belong to"
                            + " --strict-watermark");
        }
        if (since != null && until != null && since.isAfter(until)) {
            throw CommandException.wrongUse("--since %s is later than --until %s", since, until);
        }
        for (long candidate : candidates) {
            if (candidate < 0 || candidate > GREATEST_CANDIDATE) {
                throw CommandException.wrongUse(
                        "--candidates: %d is no lookback; expected 0 to %d", candidate, GREATEST_CANDIDATE);
            }
        }
    }

    private void replay() {
        JobPlan plan = job.read(console).plan();
        DailyReads reads = strict.reads(plan.partition().zone());
        JobPlan valued = valued(plan);
        StrictBaseline baseline = new StrictBaseline(
                valued, Wiring.recordedChanges(valued), strict.per(), strict.value() == null ? null : VALUE);
        List<Duration> lookbacks = strict.lookbacks();
        List<StrictLoss> losses = baseline.losses(reads, lookbacks);
        if (lookbacks.size() == 1) {
            new StrictReport(plan, strict, reads, lookbacks.get(0), losses.get(0)).print(format, console.out());
        } else {
            new StrictSweep(plan, strict, reads, losses).print(format, console.out());
        }
        console.out().flush();
    }

    /** The job with what its records are worth. */
    private JobPlan valued(JobPlan plan) {
        String value = strict.value();
        if (value == null) {
            return plan;
        }
        try {
            return job.read(console, written -> written.summing(VALUE, value)).plan();
        } catch (JobFileException wrong) {
            throw CommandException.wrongUse("--value: %s", String.valueOf(wrong.getMessage()));
        }
    }

    private Study study(JobPlan plan, Instant now) {
        try (WarehouseOption.Opened opened = warehouse.openFor(plan, console)) {
            Wiring wiring = new Wiring(opened.settings());
            try (JobStatus.Reader reader = wiring.status(plan);
                    Evidence.Reader evidence = wiring.evidence(plan)) {
                JobStatus status = reader.read(now.minus(RECENT));
                return Study.of(
                        subject(plan, status),
                        evidence.read(new Period(since, until, exceptions())),
                        margin(),
                        List.copyOf(candidates));
            }
        }
    }

    private Set<LocalDate> exceptions() {
        Set<LocalDate> days = new TreeSet<>();
        for (String range : except) {
            int dots = range.indexOf("..");
            try {
                LocalDate from = LocalDate.parse(dots < 0 ? range : range.substring(0, dots));
                LocalDate to = dots < 0 ? from : LocalDate.parse(range.substring(dots + 2));
                if (from.isAfter(to) || from.plusDays(GREATEST_EXCEPTION).isBefore(to)) {
                    throw CommandException.wrongUse(
                            "--except: %s is not from an earlier to a later day, at most %d days apart",
                            range, GREATEST_EXCEPTION);
                }
                from.datesUntil(to.plusDays(1)).forEach(days::add);
            } catch (DateTimeException wrong) {
                throw CommandException.wrongUse(
                        "--except: '%s' is not a day such as 2024-03-10, or two of them as FROM..TO", range);
            }
        }
        return days;
    }

    /** What is set is what the last run was told, not what the job file says by now. */
    private static Subject subject(JobPlan plan, JobStatus status) {
        return new Subject(
                plan.partition().grain(),
                status.lookback(),
                JobPlan.LOOKBACK_OF_THE_RUN.equals(status.because()) ? null : status.because(),
                plan.time().observed() != JobPlan.Observed.NONE,
                plan.changes().mode() == JobPlan.Mode.APPEND,
                plan.changes().delete() != null || plan.source().kafka() != null,
                status.totals().read(),
                status.lastRebuild() != null);
    }

    private Margin margin() {
        return new Margin(
                margin.getOrDefault(MarginPart.SCHEDULER, Margin.USUAL.scheduler()),
                margin.getOrDefault(MarginPart.COMMIT, Margin.USUAL.commit()),
                margin.getOrDefault(MarginPart.CLOCK, Margin.USUAL.clock()));
    }

    private void write(JobPlan plan, Study study, LocalDate recent, Instant now) {
        if (html == null) {
            return;
        }
        ZoneId zone = plan.partition().zone();
        try {
            Files.writeString(
                    html,
                    new LatenessPage(plan, study, recent, now.atZone(zone).toLocalDate()).html(),
                    StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw CommandException.failed(
                    "the page could not be written to " + html + ": " + failure.getMessage()
                            + "; name a file in a folder that is there and may be written",
                    failure);
        }
        console.err().println("wrote " + html);
    }
}
