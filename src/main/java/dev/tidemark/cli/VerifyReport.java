package dev.tidemark.cli;

import dev.tidemark.change.Values;
import dev.tidemark.evidence.Difference;
import dev.tidemark.evidence.PartitionCount;
import dev.tidemark.evidence.Standpoint;
import dev.tidemark.evidence.Verification;
import dev.tidemark.evidence.duckdb.Comparison;
import dev.tidemark.evidence.duckdb.GlobalComparison;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.source.Backlog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a verification came to: for people a summary and two tables, for programs the rows of one of them. */
final class VerifyReport {
    private static final List<String> COUNTS =
            List.of("partition", "equal", "missing", "extra", "different", "explained", "beyond-memory", "wrong");

    private final Console console;
    private final Format format;
    private final boolean byPartition;
    private final JobPlan plan;
    private final Path file;

    VerifyReport(Console console, Format format, boolean byPartition, JobPlan plan, Path file) {
        this.console = console;
        this.format = format;
        this.byPartition = byPartition;
        this.plan = plan;
        this.file = file;
    }

    void print(
            Verification verification,
            Standpoint standpoint,
            boolean comparable,
            long rejected,
            Backlog beyond,
            List<PartitionCount> counts,
            Comparison comparison,
            @Nullable GlobalComparison apart,
            long limit) {
        String summary = summary(verification, standpoint, comparable, rejected, beyond, apart);
        if (format == Format.TABLE) {
            console.out().print(summary);
            printCounts(counts, limit);
            printDifferences(comparison, apart, limit);
            printRest(verification.counts(), limit);
        } else {
            console.err().print(summary);
            if (byPartition) {
                Rows rows = format.rows(console.out(), COUNTS);
                counts.forEach(count -> rows.add(row(count)));
                rows.end();
            } else {
                Rows rows = format.rows(
                        console.out(), List.of("partition", "key", "difference", "verdict", "columns", "accounted"));
                comparison.forEach(limit, difference -> rows.add(row(difference)));
                if (apart != null) {
                    apart.forEach(limit, difference -> rows.add(row(difference)));
                }
                rows.end();
            }
        }
        console.out().flush();
        console.err().flush();
    }

    private String summary(
            Verification verification,
            Standpoint standpoint,
            boolean comparable,
            long rejected,
            Backlog beyond,
            @Nullable GlobalComparison apart) {
        PartitionCount counts = verification.counts();
        Sheet sheet = new Sheet();
        sheet.line(
                "verified",
                range(verification.from(), verification.to()) + ", "
                        + Words.count(verification.partitions(), "partition"));
        sheet.line("as of", asOf(standpoint, comparable, beyond));
        sheet.line(
                "history",
                plan.history().name(plan.source()) + ", " + Words.count(verification.records(), "record")
                        + (rejected > 0 ? ", of which " + Words.number(rejected) + " do not count" : ""));
        sheet.line(
                "rows",
                Words.number(counts.equal()) + " equal, " + Words.number(counts.missing()) + " missing, "
                        + Words.number(counts.extra()) + " extra, " + Words.number(counts.different()) + " different");
        if (counts.explained() > 0) {
            sheet.line(
                    "explained",
                    Words.number(counts.explained())
                            + (standpoint.streamed() > 0 || !comparable
                                    ? " by late changes that are open; see: tidemark ledger --job " + file
                                    : " by what came after the last rebuild of their partition"));
        }
        if (counts.beyondMemory() > 0) {
            sheet.line(
                    "beyond-memory",
                    Words.number(counts.beyondMemory()) + " of records that were forgotten between two changes;"
                            + " rebuild mends them");
        }
        List<String> apartColumns = Comparison.notOfCells(plan);
        if (!apartColumns.isEmpty()) {
            sheet.line(plan.identity() == null ? "global columns" : "identities", apart(apart));
            if (apart == null) {
                sheet.line("not compared", String.join(", ", apartColumns));
            }
        }
        if (verification.partitions() == 0) {
            sheet.line("nothing", "was compared: neither the target nor the history has anything there");
        }
        sheet.line("wrong", Words.number(counts.wrong()));
        sheet.line("took", Words.span(Duration.between(verification.startedAt(), verification.finishedAt())));
        return sheet.text();
    }

    /** Partitions in words. */
    static String range(@Nullable String from, @Nullable String to) {
        if (from == null) {
            return to == null ? "everything" : "up to " + to;
        }
        if (to == null) {
            return "from " + from + " on";
        }
        return from.equals(to) ? from : from + " to " + to;
    }

    /** As of the publications that wrote the rows. */
    private static String apart(@Nullable GlobalComparison apart) {
        if (apart == null) {
            return "not compared: the history has no positions, so what was known to a publication is not known";
        }
        long beyond = apart.beyondMemory();
        return "as of the publications that wrote the rows: " + Words.number(apart.equal()) + " equal, "
                + Words.number(apart.different()) + " different"
                + (beyond > 0 ? ", of which " + Words.number(beyond) + " of keys with forgotten records" : "")
                + (apart.unknown() > 0
                        ? "; " + Words.number(apart.unknown()) + " of publications whose positions are not known"
                        : "");
    }

    private static String asOf(Standpoint standpoint, boolean comparable, Backlog beyond) {
        String published = "publication " + standpoint.publication() + ", "
                + Words.second(Objects.requireNonNull(standpoint.publishedAt()));
        if (!comparable || standpoint.logs() == null) {
            return published + "; the history has no positions: all that it holds now is taken";
        }
        if (beyond instanceof Backlog.Records records) {
            return published + "; " + Words.count(records.records(), "record") + " of the source beyond it";
        }
        if (beyond instanceof Backlog.Files files) {
            return published + "; " + Words.count(files.files(), "file") + " of the source beyond it";
        }
        return published + "; how much of the source is beyond it is not known";
    }

    private void printCounts(List<PartitionCount> counts, long limit) {
        List<PartitionCount> shown = counts.size() <= limit
                ? counts
                : counts.stream().filter(count -> !count.isEqual()).limit(limit).toList();
        if (!shown.isEmpty()) {
            console.out().println();
            Rows rows = format.rows(console.out(), COUNTS);
            shown.forEach(count -> rows.add(row(count)));
            rows.end();
        }
        long equal = counts.stream().filter(PartitionCount::isEqual).count();
        if (shown.size() < counts.size() && equal > 0) {
            console.out().println();
            console.out().println("equal in every row: " + Words.count(equal, "partition"));
        }
    }

    private void printDifferences(Comparison comparison, @Nullable GlobalComparison apart, long limit) {
        List<String> columns = new ArrayList<>(List.of("partition"));
        plan.target().key().forEach(field -> columns.add(field.column()));
        columns.addAll(List.of("difference", "verdict", "column", "expected", "actual", "accounted"));
        List<List<@Nullable Object>> lines = new ArrayList<>();
        comparison.forEach(limit, difference -> addLines(difference, lines));
        if (apart != null) {
            apart.forEach(limit, difference -> addLines(difference, lines));
        }
        if (lines.isEmpty()) {
            return;
        }
        console.out().println();
        Rows rows = format.rows(console.out(), columns);
        lines.forEach(rows::add);
        rows.end();
    }

    /** A line a column that differs; one line for a row that only one side has. */
    private static void addLines(Difference difference, List<List<@Nullable Object>> lines) {
        List<@Nullable Object> row = new ArrayList<>();
        row.add(difference.partition());
        difference.key().forEach(value -> row.add(shown(value)));
        row.add(difference.kind().word());
        row.add(difference.verdict().word());
        if (difference.kind() != Difference.Kind.DIFFERENT) {
            List<@Nullable Object> line = new ArrayList<>(row);
            line.add(null);
            line.add(null);
            line.add(null);
            line.add(difference.accounted());
            lines.add(line);
            return;
        }
        for (Difference.Value value : difference.values()) {
            List<@Nullable Object> line = new ArrayList<>(row);
            line.add(value.column().isEmpty() ? "not of its type" : value.column());
            line.add(shown(value.expected()));
            line.add(shown(value.actual()));
            line.add(difference.accounted());
            lines.add(line);
        }
    }

    private void printRest(PartitionCount counts, long limit) {
        long all = counts.missing() + counts.extra() + counts.different();
        if (all > limit) {
            console.out().println(Words.number(all - limit) + " more; --limit 0 gives all");
        }
    }

    private List<@Nullable Object> row(Difference difference) {
        return Rows.row(
                difference.partition(),
                Rows.Json.of(key(difference)),
                difference.kind().word(),
                difference.verdict().word(),
                Rows.Json.of(values(difference)),
                difference.accounted());
    }

    private String key(Difference difference) {
        List<Field> fields = plan.target().key();
        return JsonRows.object(
                fields.stream().map(Field::column).toList(),
                difference.key().stream().map(VerifyReport::shown).collect(Collectors.toCollection(ArrayList::new)));
    }

    private static String values(Difference difference) {
        List<String> names = new ArrayList<>();
        List<@Nullable Object> sides = new ArrayList<>();
        for (Difference.Value value : difference.values()) {
            names.add(value.column().isEmpty() ? "not of its type" : value.column());
            List<@Nullable Object> both = new ArrayList<>();
            both.add(shown(value.expected()));
            both.add(shown(value.actual()));
            sides.add(new Rows.Json(JsonRows.object(List.of("expected", "actual"), both)));
        }
        return JsonRows.object(names, sides);
    }

    private static @Nullable Object shown(@Nullable Object value) {
        return value instanceof byte[] ? Values.text(value) : value;
    }

    private static List<@Nullable Object> row(PartitionCount count) {
        return Rows.row(
                count.partition(),
                count.equal(),
                count.missing(),
                count.extra(),
                count.different(),
                count.explained(),
                count.beyondMemory(),
                count.wrong());
    }
}
