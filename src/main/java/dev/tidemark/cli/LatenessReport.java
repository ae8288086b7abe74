package dev.tidemark.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.job.JobPlan;
import dev.tidemark.lateness.Advice;
import dev.tidemark.lateness.Distribution;
import dev.tidemark.lateness.Doubt;
import dev.tidemark.lateness.Evidence;
import dev.tidemark.lateness.Study;
import java.io.PrintWriter;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A study of lateness, for people and for programs. */
final class LatenessReport {
    private static final int DAYS_SHOWN = 10;
    private static final int WIDTH = 110;

    private final JobPlan plan;
    private final Study study;
    private final LatenessTables tables;
    private final LocalDate recent;

    /**
     * @param recent since when a publication is news
     */
    LatenessReport(JobPlan plan, Study study, LatenessTables tables, LocalDate recent) {
        this.plan = plan;
        this.study = study;
        this.tables = tables;
        this.recent = recent;
    }

    void print(PrintWriter out) {
        Sheet sheet = new Sheet()
                .line("job", plan.job())
                .line("observed", period())
                .line("lookback", lookback())
                .line("verdict", verdict())
                .line("half window", sensor());
        Distribution exceptional = study.evidence().exceptional();
        if (!exceptional.isEmpty()) {
            sheet.line("left out", exceptional());
        }
        Map<String, Long> reasons = ledgerByReason();
        if (!reasons.isEmpty()) {
            sheet.line(
                    "ledger",
                    reasons.entrySet().stream()
                            .map(reason -> Words.number(reason.getValue()) + " " + reason.getKey())
                            .collect(Collectors.joining(", ")));
        }
        out.print(sheet.text());
        if (!study.all().isEmpty()) {
            distribution(out);
        }
        if (!study.evidence().logs().isEmpty()) {
            out.println();
            tables.print(LatenessCommand.By.SPLIT, Format.TABLE, out);
        }
        if (!study.doubts().isEmpty()) {
            out.println();
            out.println("Do not rely on it without a look at this:");
            study.doubts().forEach(doubt -> out.print(wrapped("- ", Table.plain(doubt.message()))));
        }
    }

    private void distribution(PrintWriter out) {
        out.println();
        tables.print(LatenessCommand.By.ARRIVAL, Format.TABLE, out);
        String untold = LatenessTables.untold(study.all());
        if (!untold.isEmpty()) {
            out.println("(too few changes to tell " + untold + " from the maximum)");
        }
        out.println();
        tables.printLastDays(DAYS_SHOWN, out);
        int days = study.evidence().days().size();
        if (days > DAYS_SHOWN) {
            out.println("(the last of " + Words.count(days, "day") + "; --by day gives all)");
        }
        out.println();
        tables.print(LatenessCommand.By.LOOKBACK, Format.TABLE, out);
        out.print(wrapped("", "(" + costs() + ")"));
        for (Advice advice : study.advice()) {
            out.println();
            out.print(wrapped("", advice.policy().word() + ": " + advice(advice)));
        }
    }

    /** What the columns of the sweep are, and which of them are estimates. */
    String costs() {
        return "Caught and ledger (corrections: of what goes there): what was seen, by the partition that a change"
                + " names, whatever was set when it came. Open cells and members are estimates from the mean partition: rows that a run over the whole window replaces,"
                + " members that the state holds with twice the lookback retained. Rewrites: cells of partitions before the"
                + " frontier's, at most one for each change in a publication, two for a move.";
    }

    String period() {
        if (study.all().isEmpty()) {
            return "nothing" + (study.subject().observed() ? " in the period" : ": the job has no observed time");
        }
        return study.firstDay() + " to " + study.lastDay() + ", "
                + Words.count(study.evidence().days().size(), "day") + " with changes; "
                + Words.count(study.all().changes(), "change") + ", "
                + Words.number(study.all().late()) + " of them late";
    }

    /** What the days of exceptional repairs held. */
    String exceptional() {
        Distribution exceptional = study.evidence().exceptional();
        return Words.count(exceptional.changes(), "change") + " of exceptional days, up to "
                + Words.spanOfMillis(exceptional.maxMillis()) + " late";
    }

    String lookback() {
        return Words.count(study.subject().lookback(), study.subject().grain().word()) + ", "
                + (study.isHypothesis()
                        ? "a hypothesis: no evidence given"
                        : "because: "
                                + Table.plain(String.valueOf(study.subject().because())));
    }

    String verdict() {
        return switch (study.verdict()) {
            case UNKNOWN -> "unknown: without an observed time nobody can tell whether it suffices";
            case NOTHING_SEEN -> "nothing was observed in the period: nothing can be said";
            case SUFFICIENT ->
                "suffices for what was seen: the oldest change was "
                        + Words.count(study.all().maxAge(), "partition") + " old";
            case INSUFFICIENT -> {
                String outside = study.outside() == 0
                        ? Words.count(study.outsideLedger(), "ledger row") + " with a partition"
                        : Words.count(study.outside(), "change") + " named a partition";
                yield "too short: " + outside + " older than it";
            }
        };
    }

    String sensor() {
        if (!study.hasSensor()) {
            return "no sensor: a lookback of " + study.subject().lookback() + " has no older half";
        }
        long all = study.evidence().sensor().values().stream()
                .mapToLong(count -> count)
                .sum();
        long news = study.halfWindowExceeded(recent);
        String counted = Words.count(all, "change") + " admitted in the older half of the lookback";
        return news > 0 ? "warning: " + counted + ", " + Words.number(news) + " published since " + recent : counted;
    }

    String advice(Advice advice) {
        boolean doubled = advice.policy() == Advice.Policy.TWICE_THE_MAXIMUM;
        long lost = advice.outcome().lost();
        String covers = Words.span(advice.measured())
                + (doubled
                        ? " doubled"
                        : " and a margin of " + Words.span(study.margin().total()) + " (scheduler "
                                + Words.span(study.margin().scheduler()) + ", commit "
                                + Words.span(study.margin().commit()) + ", clock "
                                + Words.span(study.margin().clock()) + ")")
                + " is " + Words.span(advice.covered());
        String loses = lost == 0
                ? "would have lost nothing of what was seen"
                : "would have sent " + Words.count(lost, "change") + " ("
                        + Words.percent(lost, study.all().changes()) + ") to the ledger, up to "
                        + Words.spanOfMillis(advice.outcome().greatestLostMillis()) + " late";
        return String.format(
                Locale.ROOT,
                "lookback %d. %s; it %s; about %,d open cells and %,d members",
                advice.outcome().lookback(),
                covers,
                loses,
                Math.round(advice.outcome().openCells()),
                Math.round(advice.outcome().rememberedMembers()));
    }

    private Map<String, Long> ledgerByReason() {
        Map<String, Long> reasons = new TreeMap<>();
        for (Evidence.Late late : study.evidence().ledger()) {
            reasons.merge(late.reason(), late.rows(), Long::sum);
        }
        return reasons;
    }

    String json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("job", plan.job())
                .put("grain", study.subject().grain().word())
                .put("zone", plan.partition().zone().getId());
        json.putObject("observed")
                .put("from", text(study.firstDay()))
                .put("to", text(study.lastDay()))
                .put("days", study.evidence().days().size());
        json.put("lookback", study.subject().lookback())
                .put("because", study.subject().because())
                .put("hypothesis", study.isHypothesis())
                .put("verdict", study.verdict().name().toLowerCase(Locale.ROOT))
                .put("outside", study.outside())
                .put("outside_ledger", study.outsideLedger());
        ObjectNode sensor = json.putObject("half_window");
        sensor.put("works", study.hasSensor()).put("recent", study.halfWindowExceeded(recent));
        sensor.put("since", recent.toString());
        Distribution exceptional = study.evidence().exceptional();
        json.putObject("left_out")
                .put("changes", exceptional.changes())
                .put("max_ms", exceptional.isEmpty() ? null : exceptional.maxMillis());
        ObjectNode ledger = json.putObject("ledger");
        ledgerByReason().forEach(ledger::put);
        json.set("arrivals", array(LatenessCommand.By.ARRIVAL));
        json.set("days", array(LatenessCommand.By.DAY));
        json.set("ages", array(LatenessCommand.By.AGE));
        json.set("splits", array(LatenessCommand.By.SPLIT));
        json.set("lookbacks", array(LatenessCommand.By.LOOKBACK));
        json.putObject("margin")
                .put("scheduler_ms", study.margin().scheduler().toMillis())
                .put("commit_ms", study.margin().commit().toMillis())
                .put("clock_ms", study.margin().clock().toMillis());
        ArrayNode advice = json.putArray("advice");
        for (Advice each : study.advice()) {
            advice.addObject()
                    .put("policy", each.policy().name().toLowerCase(Locale.ROOT))
                    .put("lookback", each.outcome().lookback())
                    .put("measured_ms", each.measured().toMillis())
                    .put("covered_ms", each.covered().toMillis())
                    .put("ledger", each.outcome().lost());
        }
        ArrayNode doubts = json.putArray("doubts");
        for (Doubt doubt : study.doubts()) {
            doubts.addObject().put("name", doubt.name()).put("message", doubt.message());
        }
        return json.toPrettyString() + System.lineSeparator();
    }

    private ArrayNode array(LatenessCommand.By by) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        List<String> columns = tables.columns(by, false);
        for (List<@Nullable Object> row : tables.rows(by, false)) {
            ObjectNode object = array.addObject();
            for (int i = 0; i < columns.size(); i++) {
                object.set(columns.get(i), node(row.get(i)));
            }
        }
        return array;
    }

    private static JsonNode node(@Nullable Object value) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        if (value == null) {
            return nodes.nullNode();
        }
        if (value instanceof Long number) {
            return nodes.numberNode(number);
        }
        return value instanceof Boolean flag ? nodes.booleanNode(flag) : nodes.textNode(value.toString());
    }

    private static @Nullable String text(@Nullable LocalDate day) {
        return day == null ? null : day.toString();
    }

    /** Text in lines that fit a terminal; the first begins with a mark, the others below what follows it. */
    private static String wrapped(String mark, String text) {
        StringBuilder lines = new StringBuilder();
        StringBuilder line = new StringBuilder(mark);
        for (String word : text.split(" ", -1)) {
            if (line.length() + word.length() > WIDTH && line.length() > mark.length()) {
                lines.append(line.toString().stripTrailing()).append(System.lineSeparator());
                line = new StringBuilder(" ".repeat(mark.length()));
            }
            line.append(word).append(' ');
        }
        return lines.append(line.toString().stripTrailing())
                .append(System.lineSeparator())
                .toString();
    }
}
