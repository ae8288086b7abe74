package dev.tidemark.cli;

import dev.tidemark.change.Values;
import dev.tidemark.evidence.Completeness;
import dev.tidemark.evidence.Unmatched;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.source.Backlog;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a look for missing rows came to: for people a summary and three tables, for programs the rows. */
final class MissingReport {
    private static final List<String> COLUMNS = List.of(
            "job",
            "kind",
            "partition",
            "key",
            "record_id",
            "split",
            "offset",
            "event_time",
            "observed_at",
            "rows",
            "said");

    private final Console console;
    private final FormatOption format;
    private final MissingCommand.Time time;
    private @Nullable Rows rows;
    private boolean printed;

    MissingReport(Console console, FormatOption format, MissingCommand.Time time) {
        this.console = console;
        this.format = format;
        this.time = time;
    }

    /** What a source has beyond what is published, in words. */
    static String words(Backlog beyond) {
        if (beyond instanceof Backlog.Records records) {
            return Words.count(records.records(), "record");
        }
        if (beyond instanceof Backlog.Files files) {
            return Words.count(files.files(), "file")
                    + (files.files() == 0 ? "" : ", " + Words.number(files.bytes()) + " bytes");
        }
        return beyond instanceof Backlog.Unknown unknown ? "not known: " + unknown.reason() : "not known";
    }

    void print(JobPlan plan, Completeness found, Completeness.Rows all) {
        if (format.format() != Format.TABLE) {
            console.err().print(summary(plan, found));
            forPrograms(plan, all);
            return;
        }
        if (printed) {
            console.out().println();
        }
        printed = true;
        console.out().print(summary(plan, found));
        if (!found.isPassed()) {
            Counts byDay = new Counts();
            Counts byMinute = new Counts();
            all.forEach(row -> count(plan, row, byDay, byMinute));
            console.out().println();
            byDay.print("day");
            console.out().println();
            byMinute.print("minute");
            console.out().println();
            list(plan, all);
        }
        console.out().println();
        console.out().println(found.isPassed() ? "passed" : "not passed: see tidemark.missing_rows");
    }

    /** All jobs are done. */
    void end() {
        if (format.format() != Format.TABLE) {
            (rows == null ? format.format().rows(console.out(), COLUMNS) : rows).end();
        }
        console.out().flush();
        console.err().flush();
    }

    private static String summary(JobPlan plan, Completeness found) {
        Sheet sheet = new Sheet()
                .line("job", plan.job())
                .line(
                        "target",
                        plan.target().schema() + "." + plan.target().table() + " as of publication "
                                + found.publication())
                .line("partitions", range(found.from(), found.to()))
                .line("source rows", Words.number(found.live()) + " that live")
                .number("  in the ledger", found.late(), "late, and so not in the target")
                .number("  rejected", found.refused(), "when they were read live");
        if (found.rejected() > 0) {
            sheet.line(
                    "no rows",
                    Words.number(found.rejected()) + "   changes that must not count; see: tidemark rejected");
        }
        if (found.beyondMemory() > 0) {
            sheet.line(
                    "beyond memory",
                    Words.number(found.beyondMemory())
                            + "   rows of the target with records that were forgotten; rebuild mends them");
        }
        sheet.foreign("not read yet", found.unread());
        for (Unmatched.Kind kind : Unmatched.Kind.values()) {
            sheet.number(kind.word(), found.found(kind), meaning(kind));
        }
        return sheet.line("took", Words.span(Duration.between(found.startedAt(), found.finishedAt())))
                .text();
    }

    private static String meaning(Unmatched.Kind kind) {
        return switch (kind) {
            case MISSING -> "neither in the target nor in the ledger nor rejected";
            case STALE -> "another version stands in their place";
            case DOUBLED -> "in the target more often than in the source";
            case UNEXPECTED -> "in the target, and nothing stands behind them";
            case UNRESOLVED -> "cannot be told by name";
        };
    }

    private static String range(@Nullable String from, @Nullable String to) {
        if (from == null) {
            return to == null ? "all" : "up to " + to;
        }
        if (to == null) {
            return "from " + from + " on";
        }
        return from.equals(to) ? from : from + " to " + to;
    }

    private void count(JobPlan plan, Unmatched row, Counts byDay, Counts byMinute) {
        Instant instant = time == MissingCommand.Time.EVENT ? row.eventTime() : row.observedAt();
        if (instant == null) {
            byDay.add(time == MissingCommand.Time.EVENT ? row.partition() : "not known", row);
            return;
        }
        LocalDateTime local = LocalDateTime.ofInstant(instant, plan.partition().zone());
        byDay.add(local.toLocalDate().toString(), row);
        byMinute.add(local.truncatedTo(ChronoUnit.MINUTES).toString().replace('T', ' '), row);
    }

    private void list(JobPlan plan, Completeness.Rows all) {
        List<String> columns = new ArrayList<>(List.of("what"));
        columns.add(plan.partition().column());
        plan.target().key().stream().map(Field::column).forEach(columns::add);
        columns.addAll(List.of("record", "split", "offset", "event time", "remark"));
        Rows table = Format.TABLE.rows(console.out(), columns);
        long limit = format.limit();
        long[] count = {0};
        all.forEach(row -> {
            if (count[0]++ < limit) {
                List<@Nullable Object> values =
                        new ArrayList<>(Rows.row(row.kind().word(), row.partition()));
                row.key().forEach(value -> values.add(value == null ? null : Values.text(value)));
                values.addAll(Rows.row(row.recordId(), row.split(), row.offset(), row.eventTime(), row.said()));
                table.add(values);
            }
        });
        table.end();
        format.tellRest(console, count[0], Long.MAX_VALUE);
    }

    private void forPrograms(JobPlan plan, Completeness.Rows all) {
        Rows out = rows;
        if (out == null) {
            out = format.format().rows(console.out(), COLUMNS);
            rows = out;
        }
        Rows table = out;
        long limit = format.limit();
        long[] count = {0};
        all.forEach(row -> {
            if (count[0]++ < limit) {
                table.add(Rows.row(
                        plan.job(),
                        row.kind().word(),
                        row.partition(),
                        Rows.Json.of(key(plan, row)),
                        row.recordId(),
                        row.split(),
                        row.offset(),
                        row.eventTime(),
                        row.observedAt(),
                        row.rows(),
                        row.said()));
            }
        });
        format.tellRest(console, count[0], Long.MAX_VALUE);
    }

    private static String key(JobPlan plan, Unmatched row) {
        List<@Nullable Object> values = new ArrayList<>();
        row.key().forEach(value -> values.add(value == null ? null : Values.text(value)));
        return JsonRows.object(plan.target().key().stream().map(Field::column).toList(), values);
    }

    /** What was found, by days or by minutes. */
    private final class Counts {
        private final Map<String, EnumMap<Unmatched.Kind, Long>> counts = new HashMap<>();

        private void add(String when, Unmatched row) {
            counts.computeIfAbsent(when, unknown -> new EnumMap<>(Unmatched.Kind.class))
                    .merge(row.kind(), row.rows(), Long::sum);
        }

        /** The worst first. */
        private void print(String name) {
            if (counts.isEmpty()) {
                return;
            }
            List<String> columns = new ArrayList<>(List.of(name));
            for (Unmatched.Kind kind : Unmatched.Kind.values()) {
                columns.add(kind.word());
            }
            Rows table = Format.TABLE.rows(console.out(), columns);
            counts.entrySet().stream()
                    .sorted(Comparator.comparingLong(
                                    (Map.Entry<String, EnumMap<Unmatched.Kind, Long>> entry) -> -sum(entry.getValue()))
                            .thenComparing(Map.Entry::getKey))
                    .limit(format.limit())
                    .forEach(entry -> {
                        List<@Nullable Object> row = new ArrayList<>(List.of(entry.getKey()));
                        for (Unmatched.Kind kind : Unmatched.Kind.values()) {
                            row.add(entry.getValue().getOrDefault(kind, 0L));
                        }
                        table.add(row);
                    });
            table.end();
            format.tellRest(console, counts.size(), Long.MAX_VALUE);
        }

        private static long sum(Map<Unmatched.Kind, Long> counts) {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
