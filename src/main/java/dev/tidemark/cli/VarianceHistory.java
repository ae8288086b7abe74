package dev.tidemark.cli;

import dev.tidemark.reconcile.KeptVariances;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The variances that are kept of a job, a line each. */
final class VarianceHistory {
    private static final List<String> COLUMNS = List.of(
            "control",
            "measure",
            "partition",
            "counted",
            "control_value",
            "target_value",
            "variance_percent",
            "gross_percent",
            "unmatched",
            "cusum_loss",
            "cusum_gain",
            "times",
            "reconciled_at");
    private static final List<String> FOR_PEOPLE = List.of(
            "control",
            "measure",
            "partition",
            "their value",
            "ours",
            "variance",
            "unmatched",
            "loss",
            "gain",
            "times",
            "reconciled");

    private final Console console;
    private final FormatOption format;

    VarianceHistory(Console console, FormatOption format) {
        this.console = console;
        this.format = format;
    }

    void print(KeptVariances kept, @Nullable String control) {
        boolean forPeople = format.format() == Format.TABLE;
        long all = kept.count(control);
        if (all == 0 && forPeople) {
            console.out().println("unmeasured: nothing was reconciled yet");
            return;
        }
        Rows rows = format.format().rows(console.out(), forPeople ? FOR_PEOPLE : COLUMNS);
        kept.read(control, format.limit(), point -> rows.add(forPeople ? brief(point) : complete(point)));
        rows.end();
        format.tellRest(console, all, Long.MAX_VALUE);
        console.out().flush();
    }

    private static List<@Nullable Object> brief(KeptVariances.Point point) {
        return Rows.row(
                point.control(),
                point.measure(),
                point.partition() + (point.isCounted() ? "" : " (open)"),
                point.controlValue(),
                point.targetValue(),
                ReconcileReport.percent(point.percent()),
                point.unmatched(),
                ReconcileReport.height(point.loss()),
                ReconcileReport.height(point.gain()),
                point.times(),
                Words.second(point.at()));
    }

    private static List<@Nullable Object> complete(KeptVariances.Point point) {
        return Rows.row(
                point.control(),
                point.measure(),
                point.partition(),
                point.isCounted(),
                point.controlValue(),
                point.targetValue(),
                point.percent(),
                point.grossPercent(),
                point.unmatched(),
                point.loss(),
                point.gain(),
                point.times(),
                point.at());
    }
}
