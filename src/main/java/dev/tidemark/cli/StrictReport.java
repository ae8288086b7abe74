package dev.tidemark.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.job.JobPlan;
import dev.tidemark.lateness.DailyReads;
import dev.tidemark.lateness.StrictLoss;
import dev.tidemark.lateness.StrictLoss.Day;
import dev.tidemark.lateness.StrictLoss.Minute;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the naive reader lost, for people and for programs. */
final class StrictReport {
    private static final int WORST = 5;

    private final JobPlan plan;
    private final StrictOptions options;
    private final DailyReads reads;
    private final Duration lookback;
    private final StrictLoss loss;
    private final boolean valued;

    StrictReport(JobPlan plan, StrictOptions options, DailyReads reads, Duration lookback, StrictLoss loss) {
        this.plan = plan;
        this.options = options;
        this.reads = reads;
        this.lookback = lookback;
        this.loss = loss;
        this.valued = options.value() != null;
    }

    void print(Format format, PrintWriter out) {
        switch (format) {
            case TABLE -> print(out);
            case JSON -> out.print(json());
            case CSV ->
                days(
                        format.rows(out, dayColumns(false)),
                        List.copyOf(loss.days().entrySet()),
                        false);
        }
    }

    private void print(PrintWriter out) {
        Sheet sheet = new Sheet()
                .line("job", plan.job())
                .line("a reader of", StrictOptions.condition(lookback) + ", " + options.shown(reads))
                .line("updated", Table.plain(plan.changes().version().get(0).name()))
                .line("counted", counted(loss, options))
                .line(
                        "lost",
                        share(loss.lost(), loss.records())
                                + (valued ? ", worth " + loss.value().toPlainString() + options.currency() : ""));
        List<Map.Entry<LocalDate, Day>> worst = loss.days().entrySet().stream()
                .filter(day -> day.getValue().lost() > 0)
                .sorted(Comparator.<Map.Entry<LocalDate, Day>>comparingLong(
                                day -> -day.getValue().lost())
                        .thenComparing(Map.Entry.comparingByKey()))
                .toList();
        if (worst.isEmpty()) {
            out.print(sheet.text());
            return;
        }
        Map.Entry<LocalDate, Day> top = worst.get(0);
        long others = loss.lost() - top.getValue().lost();
        long most = worst.size() < 2 ? 0 : worst.get(1).getValue().lost();
        int otherDays = loss.days().size() - 1;
        long least =
                worst.size() <= otherDays ? 0 : worst.get(otherDays).getValue().lost();
        sheet.line(
                "  worst day",
                top.getKey() + ": "
                        + share(top.getValue().lost(), top.getValue().records()));
        if (otherDays > 0) {
            sheet.line(
                    "  other days",
                    share(others, loss.records() - top.getValue().records())
                            + String.format(
                                    Locale.ROOT, ", %.1f a day, %,d to %,d", (double) others / otherDays, least, most));
        }
        out.print(sheet.text());
        out.println();
        days(Format.TABLE.rows(out, dayColumns(true)), worst.subList(0, Math.min(WORST, worst.size())), true);
        out.println();
        Rows minutes = Format.TABLE.rows(out, valued ? List.of("minute", "lost", value()) : List.of("minute", "lost"));
        loss.minutes().stream().limit(WORST).forEach(minute -> minutes.add(row(minute)));
        minutes.end();
        out.println("(the worst first; days and minutes of "
                + Table.plain(plan.time().event().name()) + " in " + reads.zone()
                + "; --format json or csv gives all)");
    }

    /** What was replayed, in words. */
    static String counted(StrictLoss loss, StrictOptions options) {
        List<String> per = options.per();
        return Words.count(loss.changes(), "change") + " of " + Words.count(loss.records(), "record")
                + (per.isEmpty() ? "" : " (by " + Table.plain(String.join(", ", per)) + ")");
    }

    private List<@Nullable Object> row(Minute minute) {
        LocalDateTime local = local(minute);
        String text = local.toLocalDate() + " " + local.toLocalTime();
        return valued ? Rows.row(text, minute.lost(), minute.value()) : Rows.row(text, minute.lost());
    }

    private LocalDateTime local(Minute minute) {
        return Instant.ofEpochSecond(Math.floorDiv(minute.start(), 1_000_000L))
                .atZone(reads.zone())
                .toLocalDateTime();
    }

    private List<String> dayColumns(boolean forPeople) {
        List<String> columns = new ArrayList<>(List.of("day", "records", "lost"));
        if (forPeople) {
            columns.add("share");
        }
        if (valued) {
            columns.add(forPeople ? value() : "value");
        }
        return columns;
    }

    private String value() {
        return "value" + options.currency();
    }

    private void days(Rows rows, List<Map.Entry<LocalDate, Day>> days, boolean forPeople) {
        for (Map.Entry<LocalDate, Day> entry : days) {
            Day day = entry.getValue();
            List<@Nullable Object> row = new ArrayList<>(Rows.row(entry.getKey(), day.records(), day.lost()));
            if (forPeople) {
                row.add(Words.percent(day.lost(), day.records()));
            }
            if (valued) {
                row.add(day.value());
            }
            rows.add(row);
        }
        rows.end();
    }

    private String json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("job", plan.job());
        json.put("reads", options.shown(reads)).put("lookback_ms", lookback.toMillis());
        json.put("changes", loss.changes()).put("records", loss.records()).put("lost", loss.lost());
        if (valued) {
            json.put("value", loss.value()).put("currency", options.currencyName());
        }
        ArrayNode days = json.putArray("days");
        loss.days().forEach((date, day) -> {
            ObjectNode node = days.addObject().put("day", date.toString());
            node.put("records", day.records()).put("lost", day.lost());
            if (valued) {
                node.put("value", day.value());
            }
        });
        ArrayNode minutes = json.putArray("minutes");
        for (Minute minute : loss.minutes()) {
            ObjectNode node = minutes.addObject().put("minute", local(minute).toString());
            node.put("lost", minute.lost());
            if (valued) {
                node.put("value", minute.value());
            }
        }
        return json.toPrettyString() + System.lineSeparator();
    }

    private static String share(long lost, long records) {
        return Words.number(lost) + " of " + Words.number(records) + " (" + Words.percent(lost, records) + ")";
    }
}
