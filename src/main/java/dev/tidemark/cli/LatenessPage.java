package dev.tidemark.cli;

import dev.tidemark.job.JobPlan;
import dev.tidemark.lateness.Advice;
import dev.tidemark.lateness.Quantile;
import dev.tidemark.lateness.Study;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A study of lateness as one page: no script, no network, light or dark as the reader's screen is. */
final class LatenessPage {
    private static final String TEMPLATE = "/lateness.html";

    private final JobPlan plan;
    private final Study study;
    private final LatenessTables tables;
    private final LatenessReport report;
    private final LocalDate recent;
    private final LocalDate today;

    /**
     * @param recent since when a publication is news
     * @param today the day in the job's zone
     */
    LatenessPage(JobPlan plan, Study study, LocalDate recent, LocalDate today) {
        this.plan = plan;
        this.study = study;
        this.tables = new LatenessTables(study);
        this.report = new LatenessReport(plan, study, tables, recent);
        this.recent = recent;
        this.today = today;
    }

    String html() {
        String target = plan.target().schema() + "." + plan.target().table();
        String page = template();
        Map<String, String> parts = Map.of(
                "title",
                Html.text("Lateness of " + plan.job()),
                "heading",
                Html.text("Lateness of " + plan.job()),
                "period",
                Html.text("into " + target + ", days in " + plan.partition().zone() + ". Observed: " + report.period()
                        + (study.evidence().exceptional().isEmpty() ? "" : "; left out: " + report.exceptional())),
                "body",
                body(),
                "footer",
                Html.text("Made by tidemark lateness on " + today
                        + ". Percentiles are at most 2 % too high, the maximum is exact. Superseded and rejected changes do"
                        + " not count."));
        for (Map.Entry<String, String> part : parts.entrySet()) {
            page = page.replace("{{" + part.getKey() + "}}", part.getValue());
        }
        return page;
    }

    private String body() {
        StringBuilder body = new StringBuilder(verdict());
        if (!study.all().isEmpty()) {
            body.append(tiles());
            LatenessCharts charts = new LatenessCharts(study);
            body.append(section(
                    "How late changes come",
                    "Changes by lateness, both axes logarithmic. Inside the lookback every change is caught; in the band at its"
                            + " end the time of day decides; beyond it all are late.",
                    key("first", "first arrivals", "correction", "corrections") + charts.distribution()));
            body.append(section(
                    "By day of observation",
                    "A maximum that climbs towards the lookback is a source that gets later.",
                    key("max", "maximum", "p99", "p99", "p50", "p50") + charts.trend()));
            body.append(section(
                    "By arrival",
                    "First arrivals, and corrections of records that were known.",
                    table(LatenessCommand.By.ARRIVAL)));
            body.append(
                    section("What each lookback would have done", report.costs(), table(LatenessCommand.By.LOOKBACK)));
        }
        body.append(advice());
        if (!study.evidence().logs().isEmpty()) {
            body.append(section(
                    "Late changes by log", "From the ledger, the most days first.", table(LatenessCommand.By.SPLIT)));
        }
        body.append(doubts());
        return body.toString();
    }

    private String verdict() {
        String style = switch (study.verdict()) {
            case SUFFICIENT -> study.halfWindowExceeded(recent) > 0 ? "unknown" : "good";
            case INSUFFICIENT -> "bad";
            case UNKNOWN, NOTHING_SEEN -> "unknown";
        };
        return "<div class=\"verdict " + style + "\">" + Html.text("Lookback " + report.lookback()) + "<span>"
                + Html.text(report.verdict()) + "</span><span>"
                + Html.text("half-window sensor: " + report.sensor()) + "</span></div>";
    }

    private String tiles() {
        StringBuilder tiles = new StringBuilder("<div class=\"tiles\">");
        for (Quantile quantile : Quantile.values()) {
            tiles.append("<div class=\"tile\"><i>")
                    .append(quantile.word())
                    .append(quantile.isTold(study.all().changes()) ? "" : " (too few changes)")
                    .append("</i><b>")
                    .append(Html.text(
                            String.valueOf(Words.spanOfMillis(study.all().millis(quantile)))))
                    .append("</b></div>");
        }
        return tiles.append("</div>").toString();
    }

    private String advice() {
        if (study.advice().isEmpty()) {
            return "";
        }
        StringBuilder cards = new StringBuilder("<div class=\"cards\">");
        for (Advice advice : study.advice()) {
            cards.append("<div class=\"card\"><b>")
                    .append(Html.text(advice.policy().word() + ": "
                            + Words.count(
                                    advice.outcome().lookback(),
                                    study.subject().grain().word())))
                    .append("</b><p>")
                    .append(Html.text(report.advice(advice)))
                    .append("</p></div>");
        }
        return section(
                "Advice",
                "P99 and a margin is right where what it loses is cheap and can be brought in again; the maximum doubled where a"
                        + " lost change is an error that nobody would look for.",
                cards.append("</div>").toString());
    }

    private String doubts() {
        if (study.doubts().isEmpty()) {
            return "";
        }
        StringBuilder list = new StringBuilder("<ul>");
        study.doubts()
                .forEach(doubt ->
                        list.append("<li>").append(Html.text(doubt.message())).append("</li>"));
        return section(
                "Do not rely on it without a look at this",
                "",
                list.append("</ul>").toString());
    }

    private String table(LatenessCommand.By by) {
        List<String> columns = tables.columns(by, true);
        StringBuilder table = new StringBuilder("<div class=\"scroll\"><table><thead><tr>");
        for (String column : columns) {
            table.append(isText(column) ? "<th class=\"text\">" : "<th>")
                    .append(Html.text(column))
                    .append("</th>");
        }
        table.append("</tr></thead><tbody>");
        for (List<@Nullable Object> row : tables.rows(by, true)) {
            boolean marked = by == LatenessCommand.By.LOOKBACK
                    && row.get(0) instanceof Long lookback
                    && lookback == study.subject().lookback();
            table.append(marked ? "<tr class=\"marked\">" : "<tr>");
            for (int i = 0; i < columns.size(); i++) {
                table.append(isText(columns.get(i)) ? "<td class=\"text\">" : "<td>")
                        .append(cell(row.get(i)))
                        .append("</td>");
            }
            table.append("</tr>");
        }
        return table.append("</tbody></table></div>").toString();
    }

    private static boolean isText(String column) {
        return column.isEmpty() || column.equals("arrival") || column.equals("log");
    }

    private static String cell(@Nullable Object value) {
        if (value == null) {
            return "–";
        }
        return value instanceof Long number ? Words.number(number) : Html.text(value.toString());
    }

    private static String section(String title, String introduction, String content) {
        return "<section><h2>" + Html.text(title) + "</h2>"
                + (introduction.isEmpty() ? "" : "<p>" + Html.text(introduction) + "</p>") + content + "</section>";
    }

    /** What the colours are: names of colours, each with what it stands for. */
    private static String key(String... series) {
        StringBuilder key = new StringBuilder("<div class=\"key\">");
        for (int i = 0; i < series.length; i += 2) {
            key.append("<span style=\"--swatch: var(--")
                    .append(series[i])
                    .append(")\">")
                    .append(series[i + 1])
                    .append("</span>");
        }
        return key.append("</div>").toString();
    }

    private static String template() {
        try (InputStream in = LatenessPage.class.getResourceAsStream(TEMPLATE)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + TEMPLATE + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException("the resource " + TEMPLATE + " cannot be read", failure);
        }
    }
}
