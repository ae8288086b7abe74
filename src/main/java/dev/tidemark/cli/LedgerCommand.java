package dev.tidemark.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.job.JobPlan;
import dev.tidemark.ledger.Disposition;
import dev.tidemark.ledger.LateReason;
import dev.tidemark.ledger.Ledger;
import dev.tidemark.ledger.LedgerRow;
import dev.tidemark.ledger.LedgerSelection;
import dev.tidemark.ledger.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ledger}: the late changes of a job, and what became of them. */
@Command(
        name = "ledger",
        aliases = "late",
        description = {
            "Late changes: those that named a partition that was closed for them, and so are not in the target.",
            "",
            "list       the rows that the filters select, the latest partition first (the default)",
            "summary    how many by partition and reason, with the greatest lateness",
            "show       everything about the change at SPLIT OFFSET",
            "dismiss    mark open rows as dismissed, with a --note that says why",
            "",
            "A change that would have moved its record out of one closed partition into another has two rows, one a half."
        })
final class LedgerCommand implements Callable<Integer> {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static final List<String> COLUMNS = List.of(
            "split",
            "offset",
            "half",
            "record_id",
            "op",
            "partition",
            "key",
            "event_time",
            "observed_at",
            "lateness_ms",
            "age",
            "frontier",
            "open_from",
            "reason",
            "withheld",
            "payload",
            "publication",
            "recorded_at",
            "status",
            "resolved_by",
            "resolved_at",
            "note");

    /** What to do. */
    enum Action {
        LIST,
        SUMMARY,
        SHOW,
        DISMISS
    }

    /** Which dispositions are meant. */
    enum Status {
        OPEN,
        INCORPORATED,
        DISMISSED,
        ALL
    }

    private final Console console;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "ACTION",
            defaultValue = "list",
            description = "list, summary, show or dismiss.")
    private Action action = Action.LIST;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "SPLIT",
            description = "The file of the change, as list prints it.")
    private @Nullable String split;

    @Parameters(index = "2", arity = "0..1", paramLabel = "OFFSET", description = "Its place in the file, from 0.")
    private @Nullable Long offset;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            description = "open, incorporated, dismissed or all; default: open.")
    private @Nullable Status status;

    @Option(
            names = "--reason",
            paramLabel = "REASON",
            description = "before-start, state-expired, outside-window or unknown-record.")
    private @Nullable LateReason reason;

    @Option(
            names = "--partition",
            paramLabel = "P|FROM..TO",
            description = "One partition, or those between two, both included.")
    private @Nullable String partition;

    @Option(
            names = "--key",
            paramLabel = "TEXT",
            description = "Rows one of whose key values is TEXT, or whose key contains the JSON object TEXT.")
    private @Nullable String key;

    @Option(names = "--record-id", paramLabel = "ID", description = "Rows of one record.")
    private @Nullable String recordId;

    @Option(
            names = "--lateness-over",
            paramLabel = "DURATION",
            description = "Rows that were later than this, for instance 12h or 3d.")
    private @Nullable Duration latenessOver;

    @Option(names = "--note", paramLabel = "TEXT", description = "For dismiss: why.")
    private @Nullable String note;

    @Mixin
    private final FormatOption format = new FormatOption();

    LedgerCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        requireFitting();
        JobPlan plan = job.read(console).plan();
        LedgerSelection selection = selection(plan);
        try (WarehouseOption.Opened opened = warehouse.openFor(plan, console);
                Ledger ledger = new Wiring(opened.settings()).ledger(plan)) {
            switch (action) {
                case LIST -> list(ledger, selection);
                case SUMMARY -> summary(ledger, selection);
                case SHOW -> show(ledger);
                case DISMISS -> dismiss(ledger, selection);
            }
        }
        console.out().flush();
        return ExitStatus.DONE;
    }

    private void requireFitting() {
        boolean hasPosition = split != null;
        if (hasPosition && offset == null) {
            throw CommandException.wrongUse("after SPLIT comes the OFFSET, as `ledger list` prints them");
        }
        switch (action) {
            case SHOW -> {
                if (!hasPosition) {
                    throw CommandException.wrongUse(
                            "say which change: ledger show SPLIT OFFSET, as `ledger list` prints them");
                }
                if (hasFilter()) {
                    throw CommandException.wrongUse("show takes SPLIT OFFSET and no filters");
                }
            }
            case DISMISS -> {
                if (!hasPosition && !hasFilter()) {
                    throw CommandException.wrongUse(
                            "say which rows to dismiss: by SPLIT OFFSET or by filters (--status open selects all that are open)");
                }
                if (note == null || note.isBlank()) {
                    throw CommandException.wrongUse("say with --note TEXT why the rows are dismissed");
                }
                if (status != null && status != Status.OPEN) {
                    throw CommandException.wrongUse("only open rows can be dismissed; leave --status out");
                }
                if (hasPosition && hasFilter()) {
                    throw CommandException.wrongUse("give either SPLIT OFFSET or filters");
                }
            }
            default -> {
                if (hasPosition) {
                    throw CommandException.wrongUse(
                            "%s takes no SPLIT OFFSET; show and dismiss do",
                            action.name().toLowerCase(Locale.ROOT));
                }
            }
        }
        if (note != null && action != Action.DISMISS) {
            throw CommandException.wrongUse("--note belongs to dismiss");
        }
    }

    private boolean hasFilter() {
        return status != null
                || reason != null
                || partition != null
                || key != null
                || recordId != null
                || latenessOver != null;
    }

    private @Nullable Position position() {
        return split == null || offset == null ? null : new Position(split, offset);
    }

    private LedgerSelection selection(JobPlan plan) {
        requireJson(key);
        PartitionRange range = partition == null ? null : PartitionRange.parse(partition, plan);
        return new LedgerSelection(
                disposition(),
                reason,
                range == null ? null : range.from(),
                range == null ? null : range.to(),
                key,
                recordId,
                latenessOver,
                position());
    }

    private @Nullable Disposition disposition() {
        return switch (status == null ? Status.OPEN : status) {
            case OPEN -> Disposition.OPEN;
            case INCORPORATED -> Disposition.INCORPORATED;
            case DISMISSED -> Disposition.DISMISSED;
            case ALL -> null;
        };
    }

    private static void requireJson(@Nullable String key) {
        if (key != null && key.stripLeading().startsWith("{")) {
            try {
                MAPPER.readTree(key);
            } catch (JsonProcessingException wrong) {
                throw CommandException.wrongUse("--key begins like a JSON object, but is none: %s", key);
            }
        }
    }

    private void list(Ledger ledger, LedgerSelection selection) {
        long all = ledger.count(selection);
        if (all == 0 && format.format() == Format.TABLE) {
            console.out().println(nothing(ledger, selection));
            return;
        }
        boolean forPeople = format.format() == Format.TABLE;
        Rows rows = format.format()
                .rows(
                        console.out(),
                        forPeople
                                ? List.of(
                                        "partition",
                                        "key",
                                        "record",
                                        "half",
                                        "op",
                                        "reason",
                                        "lateness",
                                        "status",
                                        "split",
                                        "offset")
                                : COLUMNS);
        ledger.read(selection, format.limit(), row -> rows.add(forPeople ? brief(row) : complete(row)));
        rows.end();
        format.tellRest(console, all, Ledger.COUNT_LIMIT);
    }

    private String nothing(Ledger ledger, LedgerSelection selection) {
        String which = selection.status() == null ? "" : selection.status().word() + " ";
        if (ledger.count(LedgerSelection.EVERYTHING) == 0) {
            return "no late changes";
        }
        return "no " + which + "late changes"
                + (selection.equals(LedgerSelection.EVERYTHING.with(selection.status()))
                        ? ""
                        : " that the filters select")
                + (selection.status() == null ? "" : "; --status all looks at the others too");
    }

    private void summary(Ledger ledger, LedgerSelection selection) {
        List<Ledger.Sum> sums = ledger.summary(selection);
        boolean forPeople = format.format() == Format.TABLE;
        if (sums.isEmpty() && forPeople) {
            console.out().println(nothing(ledger, selection));
            return;
        }
        Rows rows = format.format()
                .rows(
                        console.out(),
                        forPeople
                                ? List.of(
                                        "partition",
                                        "reason",
                                        "rows",
                                        "greatest lateness",
                                        "first recorded",
                                        "last recorded")
                                : List.of(
                                        "partition",
                                        "reason",
                                        "rows",
                                        "max_lateness_ms",
                                        "first_recorded",
                                        "last_recorded"));
        for (Ledger.Sum sum : sums) {
            Long lateness = sum.greatestLatenessMillis();
            rows.add(Rows.row(
                    sum.partition(),
                    sum.reason(),
                    sum.rows(),
                    forPeople ? Words.spanOfMillis(lateness) : lateness,
                    forPeople ? Words.second(sum.firstRecorded()) : sum.firstRecorded(),
                    forPeople ? Words.second(sum.lastRecorded()) : sum.lastRecorded()));
        }
        rows.end();
        if (forPeople) {
            long total = sums.stream().mapToLong(Ledger.Sum::rows).sum();
            long partitions =
                    sums.stream().map(Ledger.Sum::partition).distinct().count();
            console.out()
                    .println(Words.count(total, "row") + " in " + Words.count(partitions, "partition")
                            + (selection.status() == null
                                    ? ", whatever their status"
                                    : ", " + selection.status().word()));
        }
    }

    private void show(Ledger ledger) {
        Position position = position();
        if (position == null) {
            throw new IllegalStateException("show without a position passed the check");
        }
        List<LedgerRow> found = new ArrayList<>();
        ledger.read(LedgerSelection.at(position), Long.MAX_VALUE, found::add);
        if (found.isEmpty()) {
            throw CommandException.failed("the ledger has no change at %s", position);
        }
        if (format.format() != Format.TABLE) {
            Rows rows = format.format().rows(console.out(), COLUMNS);
            found.forEach(row -> rows.add(complete(row)));
            rows.end();
            return;
        }
        for (int i = 0; i < found.size(); i++) {
            console.out().print((i == 0 ? "" : System.lineSeparator()) + sheet(found.get(i)));
        }
    }

    private void dismiss(Ledger ledger, LedgerSelection selection) {
        Position position = position();
        if (position != null && ledger.count(LedgerSelection.at(position)) == 0) {
            throw CommandException.failed("the ledger has no change at %s", position);
        }
        long rows =
                ledger.dismiss(selection, String.valueOf(note), console.clock().instant());
        console.out()
                .println(
                        rows == 0
                                ? "dismissed nothing: no open row is selected"
                                : "dismissed " + Words.count(rows, "row"));
    }

    private static List<@Nullable Object> brief(LedgerRow row) {
        return Rows.row(
                row.partition(),
                keyValues(row.key()),
                row.recordId(),
                row.half(),
                row.op(),
                row.reason(),
                Words.spanOfMillis(row.latenessMillis()),
                row.status(),
                row.split(),
                row.offset());
    }

    private static List<@Nullable Object> complete(LedgerRow row) {
        return Rows.row(
                row.split(),
                row.offset(),
                row.half(),
                row.recordId(),
                row.op(),
                row.partition(),
                Rows.Json.of(row.key()),
                row.eventTime(),
                row.observedAt(),
                row.latenessMillis(),
                row.age(),
                row.frontier(),
                row.openFrom(),
                row.reason(),
                row.withheld(),
                Rows.Json.of(row.payload()),
                row.publication(),
                row.recordedAt(),
                row.status(),
                row.resolvedBy(),
                row.resolvedAt(),
                row.note());
    }

    private static String sheet(LedgerRow row) {
        Sheet sheet = new Sheet()
                .foreign("position", row.split() + " " + row.offset())
                .line("half", row.half())
                .foreign("record", row.recordId())
                .line("op", row.op())
                .line("partition", row.partition())
                .foreign("key", row.key())
                .line("event time", row.eventTime())
                .line("observed at", row.observedAt())
                .line("lateness", Words.spanOfMillis(row.latenessMillis()))
                .line("age", row.age() == null ? null : Words.count(row.age(), "partition"))
                .line("frontier", row.frontier())
                .line("open from", row.openFrom())
                .line("reason", row.reason())
                .line("withheld", row.withheld() ? "yes, the job's state holds its effect" : "no")
                .line("recorded", row.recordedAt() + ", with publication " + row.publication())
                .line("status", row.status());
        if (row.resolvedAt() != null) {
            sheet.line(
                    "resolved",
                    row.resolvedAt() + (row.resolvedBy() == null ? "" : ", with publication " + row.resolvedBy()));
        }
        if (row.note() != null) {
            sheet.foreign("note", row.note());
        }
        return sheet.line("payload", "").text().stripTrailing() + System.lineSeparator() + pretty(row.payload());
    }

    private static String pretty(@Nullable String json) {
        if (json == null) {
            return "  -" + System.lineSeparator();
        }
        String text;
        try {
            text = MAPPER.readTree(json).toPrettyString();
        } catch (JsonProcessingException notReadable) {
            text = json;
        }
        return Arrays.stream(text.split("\\R", -1))
                .map(line -> "  " + Table.plain(line) + System.lineSeparator())
                .collect(Collectors.joining());
    }

    /** The key's values alone, which the target's order of columns makes plain enough in a table. */
    private static @Nullable String keyValues(@Nullable String key) {
        if (key == null) {
            return null;
        }
        try {
            JsonNode node = MAPPER.readTree(key);
            return StreamSupport.stream(node.spliterator(), false)
                    .map(JsonNode::asText)
                    .collect(Collectors.joining(", "));
        } catch (JsonProcessingException notReadable) {
            return key;
        }
    }
}
