package dev.tidemark.cli;

import dev.tidemark.job.JobPlan;
import dev.tidemark.reconcile.Comparison;
import dev.tidemark.reconcile.ControlException;
import dev.tidemark.reconcile.ControlLayout;
import dev.tidemark.reconcile.ControlTotals;
import dev.tidemark.reconcile.KeptVariances;
import dev.tidemark.reconcile.Reconciliation;
import dev.tidemark.reconcile.Tolerance;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code reconcile}: whether the target agrees with totals that somebody else has. */
@Command(
        name = "reconcile",
        description = {
            "Holds the target against totals from outside: per partition and in total, in percent and in currency a year. Every",
            "variance is kept, so that one that has shifted and stays shifted is found however small it is.",
            "",
            "The totals have the partition column, any of the key columns, and measures: columns of the target that count or",
            "sum, or _members. Rows on one side only, and counts, are compared at zero tolerance, because sums hide errors",
            "that cancel. Partitions that the stream may still change are shown and alarm nobody.",
            "",
            "Exits with 1 if a partition or the total is beyond the tolerance, if rows have no counterpart, if differences that",
            "cancel are beyond the tolerance, or if a variance has shifted for good."
        })
final class ReconcileCommand implements Callable<Integer> {
    /** The name of the outside totals, if a person gives none. */
    private static final String CONTROL = "totals";

    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(
            names = "--totals",
            paramLabel = "FILE",
            description = "Totals in a CSV file; its first line names the columns.")
    private @Nullable Path totals;

    @Option(
            names = "--query",
            paramLabel = "SQL|@FILE",
            description = "Totals from a query, or from the one in a file.")
    private @Nullable String query;

    @Option(
            names = "--url",
            paramLabel = "JDBC",
            description = {
                "The database that is asked; default: the warehouse. User and password: in the",
                "address, or in TIDEMARK_CONTROL_USER and _PASSWORD (or _PASSWORD_FILE). Drivers",
                "other than PostgreSQL's: by TIDEMARK_CLASSPATH."
            })
    private @Nullable String url;

    @Option(
            names = "--control",
            paramLabel = "NAME",
            description = "What the totals are called; each name has a series of its own. Default: totals.")
    private @Nullable String control;

    @Option(
            names = "--measure",
            paramLabel = "NAME=COLUMN",
            split = ",",
            description =
                    "Which columns of the totals are which measures of the target; default: those of the same name.")
    private Map<String, String> measures = new LinkedHashMap<>();

    @Option(
            names = "--partition",
            paramLabel = "P|FROM..TO",
            description = "Which partitions; default: from the first to the last that the totals have.")
    private @Nullable String partition;

    @Option(
            names = "--tolerance",
            paramLabel = "PERCENT",
            description =
                    "How far off a partition and the total may be. Default: 0, because what is not to be seen must be said.")
    private @Nullable BigDecimal tolerance;

    @Option(
            names = "--unmatched",
            paramLabel = "N",
            description = "How many rows without counterpart a partition may have; default: 0.")
    private long unmatched;

    @Option(
            names = "--annual",
            paramLabel = "AMOUNT",
            description = "What a year's total is worth: the tolerance is then told in currency too.")
    private @Nullable BigDecimal annual;

    @Option(names = "--currency", paramLabel = "CODE", description = "Of --annual, for instance USD.")
    private @Nullable String currency;

    @Option(names = "--open", description = "Partitions that the stream may still change count as well.")
    private boolean open;

    @Option(
            names = "--baseline",
            paramLabel = "FROM..TO",
            description = "The partitions whose variance is the ordinary one, at least 20; default: the first 60.")
    private @Nullable String baseline;

    @Option(names = "--history", description = "Only show the variances that are kept, the newest of each partition.")
    private boolean history;

    @Mixin
    private final FormatOption format = new FormatOption();

    ReconcileCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        requireFitting();
        JobPlan plan = job.read(console).plan();
        PartitionRange range = partition == null ? null : PartitionRange.parse(partition, plan);
        Reconciliation.Request request = request(plan, "");
        try (WarehouseOption.Opened opened = warehouse.openFor(plan, console);
                KeptVariances kept = new Wiring(opened.settings()).keptVariances(plan)) {
            if (history) {
                new VarianceHistory(console, format).print(kept, control);
                return ExitStatus.DONE;
            }
            return reconcile(plan, range, request, new Wiring(opened.settings()), kept);
        } catch (ControlException wrong) {
            throw CommandException.wrongUse("%s", String.valueOf(wrong.getMessage()));
        }
    }

    private int reconcile(
            JobPlan plan,
            @Nullable PartitionRange range,
            Reconciliation.Request asked,
            Wiring wiring,
            KeptVariances kept) {
        try (ControlTotals source = source(wiring)) {
            ControlLayout layout = ControlLayout.of(plan, source.origin(), source.header(), measures);
            try (Comparison comparison = wiring.comparison(plan, layout)) {
                comparison.load(source);
                Reconciliation reconciliation = Reconciliation.of(
                        request(plan, source.origin()),
                        comparison.publication(),
                        layout.measures(),
                        comparison.partitions(range == null ? null : range.from(), range == null ? null : range.to()),
                        measure -> kept.series(asked.control(), measure));
                keep(kept, reconciliation);
                new ReconcileReport(console, format, plan, layout, reconciliation, comparison).print();
                return reconciliation.isPassed() ? ExitStatus.DONE : ExitStatus.DIFFERENCE;
            }
        }
    }

    /** What was found is worth more than its record; but a series with holes is told of. */
    private void keep(KeptVariances kept, Reconciliation reconciliation) {
        try {
            kept.keep(reconciliation, console.clock().instant());
        } catch (RuntimeException failure) {
            console.err()
                    .println("warning: not recorded, so the series lacks these variances: "
                            + CommandLineInterface.words(failure));
        }
    }

    private ControlTotals source(Wiring wiring) {
        if (totals != null) {
            return Wiring.totalsOf(totals);
        }
        String sql = sql(String.valueOf(query));
        return url == null ? wiring.totalsOf(sql) : Wiring.totalsOf(url, sql, console.environment()::get);
    }

    private static String sql(String text) {
        if (!text.startsWith("@")) {
            return text;
        }
        Path file = Path.of(text.substring(1));
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw CommandException.wrongUse("--query: the file %s cannot be read: %s", file, failure);
        }
    }

    private Reconciliation.Request request(JobPlan plan, String origin) {
        PartitionRange ordinary = baseline == null ? null : PartitionRange.parse("--baseline", baseline, plan);
        return new Reconciliation.Request(
                control == null ? CONTROL : control,
                origin,
                new Tolerance(tolerance == null ? BigDecimal.ZERO : tolerance, unmatched, annual, currency),
                open ? Reconciliation.Open.COUNTED : Reconciliation.Open.SHOWN,
                ordinary == null ? null : ordinary.from(),
                ordinary == null ? null : ordinary.to());
    }

    private void requireFitting() {
        boolean asks = totals != null || query != null;
        if (history && (asks || url != null || partition != null || tolerance != null || open || baseline != null)) {
            throw CommandException.wrongUse(
                    "--history shows what is kept: of the other options it takes --control, --format and --limit");
        }
        if (!history && !asks) {
            throw CommandException.wrongUse("say where the totals are: --totals FILE or --query SQL");
        }
        if (totals != null && query != null) {
            throw CommandException.wrongUse("give either --totals or --query");
        }
        if (url != null && query == null) {
            throw CommandException.wrongUse("--url says where --query is asked");
        }
        if (tolerance != null && (tolerance.signum() < 0 || tolerance.compareTo(HUNDRED) > 0)) {
            throw CommandException.wrongUse("--tolerance: %s is not from 0 to 100 percent", tolerance.toPlainString());
        }
        if (unmatched < 0) {
            throw CommandException.wrongUse("--unmatched must be 0 or more, not %d", unmatched);
        }
        if (annual != null && annual.signum() <= 0) {
            throw CommandException.wrongUse("--annual must be more than 0, not %s", annual.toPlainString());
        }
        if (currency != null && annual == null) {
            throw CommandException.wrongUse("--currency belongs to --annual AMOUNT");
        }
        if (control != null && control.isBlank()) {
            throw CommandException.wrongUse("--control must name the totals");
        }
    }
}
