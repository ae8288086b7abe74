package dev.tidemark.cli;

import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.TargetRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code target}: rows of the target table. */
@Command(
        name = "target",
        description = {
            "Print rows of the target table in the order of partition and key.",
            "A convenience for those without psql; the table is an ordinary one, to be read with SQL."
        })
final class TargetCommand implements Callable<Integer> {
    /** For programs only. */
    private static final Set<String> NOT_SHOWN = Set.of("_fingerprint", "_published_at");

    private final Console console;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(
            names = "--partition",
            paramLabel = "P|FROM..TO",
            description = "One partition, or those between two, both included.")
    private @Nullable String partition;

    @Mixin
    private final FormatOption format = new FormatOption();

    TargetCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        JobPlan plan = job.read(console).plan();
        PartitionRange range = partition == null ? null : PartitionRange.parse(partition, plan);
        try (WarehouseOption.Opened opened = warehouse.openFor(plan, console);
                TargetRows target = new Wiring(opened.settings()).target(plan)) {
            print(target, range == null ? null : range.from(), range == null ? null : range.to());
        }
        console.out().flush();
        return ExitStatus.DONE;
    }

    private void print(TargetRows target, @Nullable String from, @Nullable String to) {
        boolean forPeople = format.format() == Format.TABLE;
        long all = target.count(from, to);
        if (all == 0 && forPeople) {
            console.out().println(from == null ? "the target has no rows" : "the target has no rows there");
            return;
        }
        List<String> columns = target.columns();
        List<Integer> shown = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            if (!forPeople || !NOT_SHOWN.contains(columns.get(i))) {
                shown.add(i);
            }
        }
        Rows rows = format.format()
                .rows(console.out(), shown.stream().map(columns::get).toList());
        target.read(from, to, format.limit(), row -> {
            List<@Nullable Object> values = new ArrayList<>();
            shown.forEach(place -> values.add(row.get(place)));
            rows.add(values);
        });
        rows.end();
        format.tellRest(console, all, Long.MAX_VALUE);
    }
}
