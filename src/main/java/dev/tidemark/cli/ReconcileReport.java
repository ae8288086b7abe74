package dev.tidemark.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.reconcile.Alarm;
import dev.tidemark.reconcile.Compared;
import dev.tidemark.reconcile.Comparison;
import dev.tidemark.reconcile.ControlLayout;
import dev.tidemark.reconcile.Measure;
import dev.tidemark.reconcile.Reconciliation;
import dev.tidemark.reconcile.ShiftChart;
import dev.tidemark.reconcile.Tolerance;
import dev.tidemark.reconcile.Variance;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a reconciliation says, for people the worst first. */
final class ReconcileReport {
    private static final List<String> COLUMNS = List.of(
            "partition",
            "measure",
            "counted",
            "control_value",
            "target_value",
            "difference",
            "variance_percent",
            "gross_percent",
            "differing_rows",
            "only_control",
            "only_target",
            "unmatched",
            "open_late",
            "passed");

    private final Console console;
    private final FormatOption format;
    private final JobPlan plan;
    private final ControlLayout layout;
    private final Reconciliation reconciliation;
    private final Comparison comparison;

    ReconcileReport(
            Console console,
            FormatOption format,
            JobPlan plan,
            ControlLayout layout,
            Reconciliation reconciliation,
            Comparison comparison) {
        this.console = console;
        this.format = format;
        this.plan = plan;
        this.layout = layout;
        this.reconciliation = reconciliation;
        this.comparison = comparison;
    }

    void print() {
        switch (format.format()) {
            case TABLE -> text();
            case JSON -> console.out().print(json());
            case CSV -> csv();
        }
        console.out().flush();
    }

    /** A variance in percent, with as many digits as it takes to tell it from nothing. */
    static @Nullable String percent(@Nullable Double percent) {
        if (percent == null) {
            return null;
        }
        if (percent == 0) {
            return "0 %";
        }
        return String.format(Locale.ROOT, Math.abs(percent) < 0.1 ? "%.4f %%" : "%.2f %%", percent);
    }

    /** The height of a chart. */
    static @Nullable String height(@Nullable Double sum) {
        return sum == null ? null : String.format(Locale.ROOT, "%.1f", sum);
    }

    /** What a tolerance means. */
    static String words(Tolerance tolerance) {
        String percent = tolerance.percent().stripTrailingZeros().toPlainString() + " %";
        BigDecimal worth = tolerance.worth();
        return worth == null ? percent : percent + ": " + money(worth, tolerance) + " a year";
    }

    private static String money(BigDecimal amount, Tolerance tolerance) {
        BigDecimal shown = amount.stripTrailingZeros();
        String text = String.format(Locale.ROOT, shown.scale() <= 0 ? "%,.0f" : "%,.2f", amount);
        return tolerance.currency() == null ? text : text + " " + Table.plain(tolerance.currency());
    }

    private void text() {
        PrintWriter out = console.out();
        List<Compared> partitions = reconciliation.partitions();
        long counted = reconciliation.counted().size();
        Tolerance tolerance = reconciliation.request().tolerance();
        Sheet sheet = new Sheet()
                .foreign(
                        "control",
                        reconciliation.request().control() + ", from "
                                + reconciliation.request().origin())
                .line(
                        "target",
                        plan.target().schema() + "." + plan.target().table()
                                + (reconciliation.publication() == null
                                        ? ""
                                        : " as of publication " + reconciliation.publication()))
                .line(
                        "tolerance",
                        words(tolerance) + (tolerance.worth() == null ? "" : " may be wrong without anyone looking"))
                .line(
                        "partitions",
                        Words.number(counted)
                                + (counted == partitions.size()
                                        ? ""
                                        : ", and " + Words.number(partitions.size() - counted)
                                                + " still open, which alarm nobody"));
        out.print(sheet.text());
        out.println();
        totals();
        out.println();
        worst();
        rows();
        out.println();
        if (reconciliation.isPassed()) {
            out.println(counted == 0 ? "nothing counted: no partition is final yet" : "passed");
        }
        reconciliation.alarms().forEach(alarm -> out.println("alarm: " + Table.plain(alarm.message())));
    }

    private void totals() {
        Tolerance tolerance = reconciliation.request().tolerance();
        boolean hasWorth = tolerance.annual() != null;
        List<String> columns = new ArrayList<>(List.of("measure", "control", "target", "difference", "variance"));
        if (hasWorth) {
            columns.add("a year");
        }
        columns.addAll(List.of("row by row", "trend"));
        Rows rows = Format.TABLE.rows(console.out(), columns);
        for (Variance total : reconciliation.totals()) {
            List<@Nullable Object> row = new ArrayList<>(Rows.row(
                    total.measure().column(),
                    total.control(),
                    total.target(),
                    total.difference(),
                    percent(total.percent())));
            if (hasWorth) {
                Double percent = total.percent();
                row.add(
                        percent == null || total.measure().kind() == Measure.Kind.COUNT
                                ? null
                                : money(Objects.requireNonNull(tolerance.worth(percent)), tolerance));
            }
            row.add(layout.keys().isEmpty() ? null : percent(total.grossPercent()));
            row.add(trend(total.measure()));
            rows.add(row);
        }
        rows.end();
    }

    private String trend(Measure measure) {
        ShiftChart chart = Objects.requireNonNull(reconciliation.charts().get(measure));
        ShiftChart.Sums sums = chart.last();
        Double mean = chart.mean();
        Double deviation = chart.deviation();
        if (mean == null || deviation == null) {
            return "not known yet: " + chart.learned() + " of " + Words.count(chart.wanted(), "partition")
                    + " of a baseline";
        }
        String baseline = "baseline " + percent(mean) + ", scatter " + percent(deviation);
        if (sums == null) {
            return baseline;
        }
        String heights = ", loss " + height(sums.loss()) + ", gain " + height(sums.gain());
        return (sums.isLossAlarm() || sums.isGainAlarm() ? "SHIFTED since " + chart.begin() + "; " : "")
                + baseline
                + heights;
    }

    /** A line of a partition in one measure. */
    private record Line(Compared compared, Variance variance) {
        private double size() {
            Double percent = variance.percent();
            return percent == null ? Double.MAX_VALUE : Math.abs(percent);
        }
    }

    private void worst() {
        List<Line> lines = new ArrayList<>();
        for (Compared compared : reconciliation.partitions()) {
            compared.variances().forEach(variance -> lines.add(new Line(compared, variance)));
        }
        List<Line> wrong = lines.stream()
                .filter(line ->
                        line.variance().gross().signum() != 0 || line.compared().unmatched() > 0)
                .sorted(Comparator.comparing((Line line) -> !reconciliation.isCounted(line.compared()))
                        .thenComparing(
                                line -> reconciliation.faults(line.compared()).isEmpty())
                        .thenComparing(Comparator.comparingDouble(Line::size).reversed())
                        .thenComparing(line -> line.compared().partition()))
                .toList();
        if (wrong.isEmpty()) {
            console.out().println("all partitions agree to the last digit");
            return;
        }
        Rows rows = Format.TABLE.rows(
                console.out(),
                List.of(
                        plan.partition().column(),
                        "measure",
                        "control",
                        "target",
                        "variance",
                        "row by row",
                        "unmatched",
                        "open late",
                        "state"));
        wrong.stream()
                .limit(format.limit())
                .forEach(line -> rows.add(Rows.row(
                        line.compared().partition(),
                        line.variance().measure().column(),
                        line.variance().control(),
                        line.variance().target(),
                        percent(line.variance().percent()),
                        layout.keys().isEmpty() ? null : percent(line.variance().grossPercent()),
                        line.compared().unmatched(),
                        line.compared().openLate(),
                        state(line.compared()))));
        rows.end();
        format.tellRest(console, wrong.size(), Long.MAX_VALUE);
    }

    private String state(Compared compared) {
        if (!reconciliation.isCounted(compared)) {
            return "open";
        }
        List<Alarm.Kind> faults = reconciliation.faults(compared);
        return faults.isEmpty()
                ? "within the tolerance"
                : String.join(", ", faults.stream().map(Alarm.Kind::word).toList());
    }

    private void rows() {
        List<Comparison.Row> found = new ArrayList<>();
        long limit = format.limit();
        comparison.rows(limit == Long.MAX_VALUE ? limit : limit + 1, found::add);
        if (found.isEmpty()) {
            return;
        }
        console.out().println();
        List<String> columns = new ArrayList<>(List.of(plan.partition().column()));
        layout.keys().stream().map(Field::column).forEach(columns::add);
        layout.measures().forEach(measure -> {
            columns.add(measure.column() + " there");
            columns.add("here");
        });
        columns.add("row");
        Rows rows = Format.TABLE.rows(console.out(), columns);
        found.stream().limit(limit).forEach(row -> {
            List<@Nullable Object> values = new ArrayList<>(List.of(row.partition()));
            values.addAll(row.key());
            for (int i = 0; i < layout.measures().size(); i++) {
                values.add(row.control() == null ? null : row.control().get(i));
                values.add(row.target() == null ? null : row.target().get(i));
            }
            values.add(row.side().word());
            rows.add(values);
        });
        rows.end();
        if (found.size() > limit) {
            console.out().println("more rows do not agree; --limit 0 gives all");
        }
    }

    private void csv() {
        Rows rows = Format.CSV.rows(console.out(), COLUMNS);
        for (Compared compared : reconciliation.partitions()) {
            for (Variance variance : compared.variances()) {
                rows.add(row(compared, variance));
            }
        }
        rows.end();
        reconciliation.alarms().forEach(alarm -> console.err().println("alarm: " + Table.plain(alarm.message())));
    }

    private List<@Nullable Object> row(Compared compared, Variance variance) {
        return Rows.row(
                compared.partition(),
                variance.measure().column(),
                reconciliation.isCounted(compared),
                variance.control(),
                variance.target(),
                variance.difference(),
                variance.percent(),
                variance.grossPercent(),
                variance.differing(),
                compared.onlyControl(),
                compared.onlyTarget(),
                compared.unmatched(),
                compared.openLate(),
                reconciliation.faults(compared).isEmpty());
    }

    private String json() {
        Tolerance tolerance = reconciliation.request().tolerance();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("job", plan.job())
                .put("control", reconciliation.request().control())
                .put("origin", reconciliation.request().origin())
                .put("publication", reconciliation.publication())
                .put("passed", reconciliation.isPassed())
                .put("tolerance_percent", tolerance.percent())
                .put("tolerated_unmatched", tolerance.unmatched())
                .put("annual", tolerance.annual())
                .put("currency", tolerance.currency())
                .put("tolerance_a_year", tolerance.worth());
        ArrayNode alarms = json.putArray("alarms");
        reconciliation
                .alarms()
                .forEach(alarm ->
                        alarms.addObject().put("name", alarm.kind().word()).put("message", alarm.message()));
        ArrayNode totals = json.putArray("totals");
        reconciliation.totals().forEach(total -> {
            ShiftChart chart = Objects.requireNonNull(reconciliation.charts().get(total.measure()));
            ShiftChart.Sums sums = chart.last();
            totals.addObject()
                    .put("measure", total.measure().column())
                    .put("control_value", total.control())
                    .put("target_value", total.target())
                    .put("difference", total.difference())
                    .put("variance_percent", total.percent())
                    .put("gross_percent", total.grossPercent())
                    .put("baseline_points", chart.learned())
                    .put("baseline_wanted", chart.wanted())
                    .put("baseline_mean", chart.mean())
                    .put("baseline_deviation", chart.deviation())
                    .put("cusum_loss", sums == null ? null : sums.loss())
                    .put("cusum_gain", sums == null ? null : sums.gain());
        });
        ArrayNode partitions = json.putArray("partitions");
        for (Compared compared : reconciliation.partitions()) {
            for (Variance variance : compared.variances()) {
                partitions.addRawValue(new RawValue(JsonRows.object(COLUMNS, row(compared, variance))));
            }
        }
        ArrayNode rows = json.putArray("rows");
        comparison.rows(format.limit(), row -> {
            ObjectNode one = rows.addObject().put("partition", row.partition());
            ObjectNode key = one.putObject("key");
            for (int i = 0; i < layout.keys().size(); i++) {
                key.put(layout.keys().get(i).column(), row.key().get(i));
            }
            one.put("row", row.side().word()).put("copies", row.copies());
            values(one, "control", row.control());
            values(one, "target", row.target());
        });
        return json.toPrettyString() + System.lineSeparator();
    }

    private void values(ObjectNode row, String side, @Nullable List<BigDecimal> values) {
        if (values == null) {
            row.putNull(side);
            return;
        }
        ObjectNode named = row.putObject(side);
        for (int i = 0; i < values.size(); i++) {
            named.put(layout.measures().get(i).column(), values.get(i));
        }
    }
}
