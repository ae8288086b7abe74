package dev.tidemark.cli;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Rejection;
import dev.tidemark.job.JobPlan;
import dev.tidemark.ledger.Position;
import dev.tidemark.ledger.RejectedChange;
import dev.tidemark.ledger.RejectedChanges;
import dev.tidemark.ledger.RejectedRow;
import dev.tidemark.ledger.RejectedSelection;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rejected}: the changes that could not be read or must not count. */
@Command(
        name = "rejected",
        description = {
            "Rejected changes: those that could not be read or must not count.",
            "",
            "list       those that the filters select, the last position first (the default)",
            "summary    how many by reason",
            "show       everything about the one at SPLIT OFFSET, with what the record said"
        })
final class RejectedCommand implements Callable<Integer> {
    private static final List<String> COLUMNS = List.of(
            "split",
            "offset",
            "reason",
            "error",
            "payload",
            "payload_text",
            "payload_length",
            "publication",
            "recorded_at");
    private static final int HEX_BYTES = 32;

    /** What to do. */
    enum Action {
        LIST,
        SUMMARY,
        SHOW
    }

    private final Console console;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "ACTION",
            defaultValue = "list",
            description = "list, summary or show.")
    private Action action = Action.LIST;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "SPLIT",
            description = "The file of the change, as list prints it.")
    private @Nullable String shownSplit;

    @Parameters(index = "2", arity = "0..1", paramLabel = "OFFSET", description = "Its place in the file, from 0.")
    private @Nullable Long shownOffset;

    @Mixin
    private final JobOption job = new JobOption();

    @Mixin
    private final WarehouseOption warehouse = new WarehouseOption();

    @Option(
            names = "--reason",
            paramLabel = "REASON",
            description = {
                "undecodable, no-event-time, no-observed-time, no-id, no-version, no-key, future-dated,",
                "observed-in-future, out-of-range, unstorable or too-long."
            })
    private @Nullable Rejection reason;

    @Option(names = "--split", paramLabel = "SPLIT", description = "Those of one file.")
    private @Nullable String split;

    @Mixin
    private final FormatOption format = new FormatOption();

    RejectedCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Position position = position();
        JobPlan plan = job.read(console).plan();
        RejectedSelection selection = new RejectedSelection(reason, split, position);
        try (WarehouseOption.Opened opened = warehouse.openFor(plan, console);
                RejectedChanges rejected = new Wiring(opened.settings()).rejectedChanges(plan)) {
            switch (action) {
                case LIST -> list(rejected, selection);
                case SUMMARY -> summary(rejected, selection);
                case SHOW -> show(rejected, selection);
            }
        }
        console.out().flush();
        return ExitStatus.DONE;
    }

    private @Nullable Position position() {
        if (action != Action.SHOW) {
            if (shownSplit != null) {
                throw CommandException.wrongUse(
                        "%s takes no SPLIT OFFSET; show does", action.name().toLowerCase(Locale.ROOT));
            }
            return null;
        }
        if (shownSplit == null || shownOffset == null) {
            throw CommandException.wrongUse(
                    "say which change: rejected show SPLIT OFFSET, as `rejected list` prints them");
        }
        if (reason != null || split != null) {
            throw CommandException.wrongUse("show takes SPLIT OFFSET and no filters");
        }
        return new Position(shownSplit, shownOffset);
    }

    private void list(RejectedChanges rejected, RejectedSelection selection) {
        long all = rejected.count(selection);
        boolean forPeople = format.format() == Format.TABLE;
        if (all == 0 && forPeople) {
            console.out().println(nothing(selection));
            return;
        }
        Rows rows = format.format()
                .rows(
                        console.out(),
                        forPeople ? List.of("split", "offset", "reason", "error", "bytes", "recorded") : COLUMNS);
        rejected.read(selection, format.limit(), row -> rows.add(forPeople ? brief(row) : complete(row)));
        rows.end();
        format.tellRest(console, all, RejectedChanges.COUNT_LIMIT);
    }

    private static String nothing(RejectedSelection selection) {
        return selection.equals(RejectedSelection.EVERYTHING)
                ? "no rejected changes"
                : "no rejected changes that the filters select";
    }

    private void summary(RejectedChanges rejected, RejectedSelection selection) {
        List<RejectedChanges.Sum> sums = rejected.summary(selection);
        boolean forPeople = format.format() == Format.TABLE;
        if (sums.isEmpty() && forPeople) {
            console.out().println(nothing(selection));
            return;
        }
        Rows rows = format.format()
                .rows(
                        console.out(),
                        forPeople
                                ? List.of("reason", "changes", "splits", "first recorded", "last recorded")
                                : List.of("reason", "changes", "splits", "first_recorded", "last_recorded"));
        sums.forEach(sum -> rows.add(Rows.row(
                sum.reason(),
                sum.changes(),
                sum.splits(),
                forPeople ? Words.second(sum.firstRecorded()) : sum.firstRecorded(),
                forPeople ? Words.second(sum.lastRecorded()) : sum.lastRecorded())));
        rows.end();
        if (forPeople) {
            long total = sums.stream().mapToLong(RejectedChanges.Sum::changes).sum();
            console.out().println(Words.count(total, "change"));
        }
    }

    private void show(RejectedChanges rejected, RejectedSelection selection) {
        List<RejectedRow> found = new ArrayList<>();
        rejected.read(selection, 1, found::add);
        if (found.isEmpty()) {
            throw CommandException.failed("no change was rejected at %s", String.valueOf(selection.position()));
        }
        RejectedRow row = found.get(0);
        if (format.format() == Format.TABLE) {
            console.out().print(sheet(row));
            return;
        }
        Rows rows = format.format().rows(console.out(), COLUMNS);
        rows.add(complete(row));
        rows.end();
    }

    private static List<@Nullable Object> brief(RejectedRow row) {
        return Rows.row(
                row.split(),
                row.offset(),
                row.reason(),
                row.error(),
                row.payloadLength(),
                Words.second(row.recordedAt()));
    }

    private static List<@Nullable Object> complete(RejectedRow row) {
        Bytes payload = row.payload();
        return Rows.row(
                row.split(),
                row.offset(),
                row.reason(),
                row.error(),
                payload == null ? null : Base64.getEncoder().encodeToString(payload.array()),
                payload == null ? null : text(payload),
                row.payloadLength(),
                row.publication(),
                row.recordedAt());
    }

    private static String sheet(RejectedRow row) {
        Bytes payload = row.payload();
        String kept = payload == null || payload.length() == row.payloadLength()
                ? ""
                : ", of which the first " + Words.number(payload.length()) + " are kept";
        String sheet = new Sheet()
                .foreign("position", row.split() + " " + row.offset())
                .line("reason", row.reason())
                .foreign("error", row.error())
                .line("recorded", row.recordedAt() + ", with publication " + row.publication())
                .line("payload", Words.count(row.payloadLength(), "byte") + kept)
                .text();
        if (payload == null || payload.isEmpty()) {
            return sheet;
        }
        String text = text(payload);
        return sheet + (text == null ? hex(payload) : indented(text));
    }

    /** The payload as text, if all of it is UTF-8 that can be printed; a character cut off at the end does not count. */
    private static @Nullable String text(Bytes payload) {
        for (int cut = 0; cut < 4 && cut < payload.length(); cut++) {
            try {
                String text = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(payload.array(), 0, payload.length() - cut))
                        .toString();
                boolean printable = text.codePoints()
                        .allMatch(point ->
                                point == '\n' || point == '\r' || point == '\t' || !Character.isISOControl(point));
                return printable ? text : null;
            } catch (CharacterCodingException notText) {
                if (payload.length() < RejectedChange.PAYLOAD_LIMIT) {
                    return null;
                }
            }
        }
        return null;
    }

    private static String indented(String text) {
        return text.lines()
                .map(line -> "  " + Table.plain(line) + System.lineSeparator())
                .collect(Collectors.joining());
    }

    private static String hex(Bytes payload) {
        HexFormat format = HexFormat.of();
        StringBuilder lines = new StringBuilder();
        for (int at = 0; at < payload.length(); at += HEX_BYTES) {
            int end = Math.min(payload.length(), at + HEX_BYTES);
            lines.append("  ")
                    .append(format.formatHex(payload.array(), at, end))
                    .append(System.lineSeparator());
        }
        return lines.toString();
    }
}
