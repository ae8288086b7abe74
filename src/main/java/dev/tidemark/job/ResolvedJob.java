package dev.tidemark.job;

import dev.tidemark.job.JobPlan.ChangePlan;
import dev.tidemark.job.JobPlan.Deletion;
import dev.tidemark.job.JobPlan.Derived;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.job.JobPlan.Observed;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.TimePlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A job file together with what it came to.
 *
 * @param written the file, to tell what was said from what is a default
 */
public record ResolvedJob(JobFile written, JobPlan plan) {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_/.][A-Za-z0-9_/.+='-]*( [A-Za-z0-9_/.+='-]+)*");
    private static final Set<String> NOT_PLAIN = Set.of("true", "false", "null");

    /**
     * The whole job for people: a job file that means the same, with every default filled in and marked, then the
     * tables that it keeps. Without secrets.
     */
    public String text() {
        Sheet sheet = new Sheet();
        sheet.line("formatVersion: 1");
        sheet.line("job: " + plan.job());
        source(sheet);
        expressions(sheet);
        changes(sheet);
        time(sheet);
        partition(sheet);
        identity(sheet);
        target(sheet);
        history(sheet);
        bounds(sheet);
        tables(sheet);
        return sheet.text();
    }

    private void source(Sheet sheet) {
        SourcePlan source = plan.source();
        JobFile.Source said = written.source();
        JobFile.Files files = said == null ? null : said.files();
        String schema = said == null ? null : said.schema();
        sheet.line("source:");
        sheet.line("  schema: " + scalar(schema == null ? "" : Redaction.of(schema)));
        sheet.line("  format: " + word(source.format()));
        KafkaPlan kafka = source.kafka();
        if (kafka == null) {
            files(sheet, source, files);
        } else {
            JobFile.Kafka saidKafka = said == null ? null : said.kafka();
            topic(sheet, kafka, saidKafka);
            beginning(sheet, kafka, saidKafka);
            properties(sheet, kafka.properties());
        }
        sheet.line(
                "  idleTimeout: " + duration(source.idleTimeoutMillis() * 1000),
                isDefault(said == null ? null : said.idleTimeout()));
        if (plan.partition().wholeFrom() == null) {
            sheet.line("  # wholeFrom: none, every partition is whole");
        } else {
            sheet.line("  wholeFrom: " + plan.partition().wholeFrom());
        }
    }

    private static void files(Sheet sheet, SourcePlan source, JobFile.@Nullable Files files) {
        path(sheet, source, files == null ? null : files.path());
        if (source.isBounded()) {
            sheet.line("    # watch: none, the job ends with the files");
        } else {
            sheet.line("    watch: " + duration(source.watchMillis() * 1000));
        }
        sheet.line("    logs: " + word(source.logs()), isDefault(files == null ? null : files.logs()));
    }

    private static void path(Sheet sheet, SourcePlan source, @Nullable String said) {
        String path = said == null ? source.path() : said;
        sheet.line("  files:");
        sheet.line(
                "    path: " + scalar(Redaction.of(path)),
                path.equals(source.path()) ? "" : Redaction.of(source.path()));
    }

    private static void topic(Sheet sheet, KafkaPlan kafka, JobFile.@Nullable Kafka said) {
        sheet.line("  kafka:");
        sheet.line("    bootstrapServers: " + scalar(kafka.bootstrapServers()));
        sheet.line("    topic: " + scalar(kafka.topic()));
        if (kafka.framing() == null) {
            sheet.line("    # framing: none, values are JSON");
        } else {
            sheet.line("    framing: " + word(kafka.framing()).replace('_', '-'));
        }
        if (kafka.framing() == KafkaPlan.Framing.RAW && kafka.writerSchema() == null) {
            sheet.line("    # writerSchema: none, values were written with the reader schema");
        }
        if (said != null && said.writerSchema() != null) {
            sheet.line("    writerSchema: " + scalar(Redaction.of(said.writerSchema())));
        }
        if (said != null && said.schemas() != null) {
            sheet.line(
                    "    schemas: " + scalar(Redaction.of(said.schemas())),
                    kafka.schemas().size() + " known");
        }
        if (kafka.registry() != null) {
            sheet.line("    registry: " + scalar(Redaction.of(kafka.registry())));
        }
    }

    private static void beginning(Sheet sheet, KafkaPlan kafka, JobFile.@Nullable Kafka said) {
        String startup = kafka.startup() == KafkaPlan.Startup.TIMESTAMP
                ? quoted(Instant.ofEpochMilli(kafka.startupMillis()).toString())
                : word(kafka.startup());
        sheet.line("    startup: " + startup, isDefault(said == null ? null : said.startup()));
        sheet.line(
                "    discover: " + duration(kafka.discoverMillis() * 1000),
                isDefault(said == null ? null : said.discover()));
    }

    private static void properties(Sheet sheet, Map<String, String> properties) {
        if (!properties.isEmpty()) {
            sheet.line("    properties:");
            properties.forEach((name, value) ->
                    sheet.line("      " + scalar(name) + ": " + quoted(Redaction.property(name, value))));
        }
    }

    private void expressions(Sheet sheet) {
        if (!plan.fields().isEmpty()) {
            sheet.line("fields:");
        }
        for (Derived derived : plan.fields()) {
            String name = derived.field().name();
            String said = written.fields() == null ? null : written.fields().get(name);
            sheet.line(
                    "  " + scalar(name) + ": " + condition(said, derived.value()),
                    derived.field().type().sql());
        }
        if (plan.where() == null) {
            sheet.line("# where: none, every record counts");
        } else {
            sheet.line("where: " + condition(written.where(), plan.where()));
        }
    }

    /** An expression as it was written. */
    private static String condition(@Nullable String said, Expression expression) {
        return scalar(said == null ? expression.sql() : said.strip());
    }

    private void changes(Sheet sheet) {
        ChangePlan changes = plan.changes();
        JobFile.Changes said = written.changes();
        sheet.line("changes:");
        sheet.line("  mode: " + word(changes.mode()));
        if (changes.hasId()) {
            sheet.line("  id: " + names(changes.id()), types(changes.id()));
        } else {
            sheet.line("  # id: none, a copy counts again");
        }
        if (!changes.version().isEmpty()) {
            sheet.line("  version: " + names(changes.version()), types(changes.version()));
        } else if (changes.mode() == Mode.UPSERT) {
            sheet.line("  version: position", isDefault(said == null ? null : said.version()));
        }
        Deletion delete = changes.delete();
        if (delete == null) {
            sheet.line("  # delete: none");
        } else {
            sheet.line("  delete: " + condition(said == null ? null : said.delete(), delete.condition()));
        }
    }

    private void time(Sheet sheet) {
        TimePlan time = plan.time();
        JobFile.Time said = written.time();
        sheet.line("time:");
        sheet.line("  event: " + scalar(time.event().name()));
        if (time.observedField() != null) {
            sheet.line("  observed: " + scalar(time.observedField().name()));
        } else {
            sheet.line(
                    "  observed: " + word(time.observed()).replace('_', '-'),
                    time.observed() == Observed.NONE ? "whether the lookback suffices stays unknown" : "");
        }
        sheet.line("  frontier: " + word(time.frontier()));
        if (time.frontier() == FrontierKind.EVENT) {
            sheet.line(
                    "  outOfOrderness: " + duration(time.outOfOrderness()),
                    isDefault(said == null ? null : said.outOfOrderness()));
        }
        sheet.line(
                "  maxFutureSkew: " + duration(time.maxFutureSkew()),
                isDefault(said == null ? null : said.maxFutureSkew()));
        sheet.line(
                "  maxAdvance: " + time.maxAdvance(),
                said == null || said.maxAdvance() == null ? "default: the lookback, at least 1" : "");
    }

    private void partition(Sheet sheet) {
        PartitionPlan partition = plan.partition();
        JobFile.Partition said = written.partition();
        sheet.line("partition:");
        sheet.line("  grain: " + partition.grain().word());
        sheet.line("  zone: " + scalar(partition.zone().getId()));
        if (partition.because() == null) {
            sheet.line("  lookback: " + partition.lookback(), "hypothesis: no evidence given");
        } else {
            sheet.line("  lookback: { partitions: " + partition.lookback() + ", because: " + quoted(partition.because())
                    + " }");
        }
        sheet.line(
                "  retain: " + partition.retain(),
                said == null || said.retain() == null ? "default: 2 x lookback" : "");
        sheet.line("  column: " + scalar(partition.column()), isDefault(said == null ? null : said.column()));
    }

    private void identity(Sheet sheet) {
        IdentityPlan identity = plan.identity();
        if (identity == null) {
            return;
        }
        JobFile.Identity said = written.identity();
        sheet.line("identity:");
        sheet.line("  device: " + scalar(identity.device().name()));
        sheet.line("  user: " + scalar(identity.user().name()));
        if (identity.platform() == null) {
            sheet.line("  # platform: none, only a gap begins a session");
        } else {
            sheet.line("  platform: " + scalar(identity.platform().name()));
        }
        sheet.line(
                "  sessionGap: " + duration(identity.sessionGap()), isDefault(said == null ? null : said.sessionGap()));
    }

    private void target(Sheet sheet) {
        TargetPlan target = plan.target();
        JobFile.Target said = written.target();
        sheet.line("target:");
        sheet.line(
                "  table: " + target.schema() + "." + target.table(),
                said != null && said.table() != null && !said.table().contains(".") ? "default schema: public" : "");
        sheet.line("  key: " + names(target.key()));
        sheet.line("  revisions: " + target.revisions(), isDefault(said == null ? null : said.revisions()));
        if (target.hasGlobalColumns()) {
            sheet.line("  retroactive: " + target.retroactive(), isDefault(said == null ? null : said.retroactive()));
        }
        sheet.line("  columns:");
        for (ValueColumn column : target.columns()) {
            String order = column.order().isEmpty() ? "" : ", order: " + names(column.order());
            Expression condition = column.condition();
            JobFile.Column saidColumn = said == null || said.columns() == null
                    ? null
                    : said.columns().get(column.name());
            String where = condition == null
                    ? ""
                    : ", where: " + condition(saidColumn == null ? null : saidColumn.where(), condition);
            sheet.line("    " + scalar(column.name()) + ": { "
                    + column.function().word() + ": " + argument(column) + order + where
                    + " }");
        }
    }

    private void history(Sheet sheet) {
        HistoryPlan history = plan.history();
        JobFile.History said = written.history();
        if (history.isSame()) {
            sheet.line("history: same", isDefault(said));
            return;
        }
        sheet.line("history:");
        sheet.line("  kind: " + word(history.kind()), isDefault(said == null ? null : said.kind()));
        SourcePlan source = history.source();
        if (source != null) {
            readAs(sheet, source, said);
            if (source.kafka() == null) {
                JobFile.HistoryFiles files = said == null ? null : said.files();
                path(sheet, source, files == null ? null : files.path());
                sheet.line("    logs: " + word(source.logs()), isDefault(files == null ? null : files.logs()));
            } else {
                JobFile.HistoryKafka kafka = said == null ? null : said.kafka();
                topic(sheet, source.kafka(), kafka == null ? null : kafka.asSource());
                properties(sheet, source.kafka().properties());
            }
        }
        if (history.jdbc() != null) {
            rows(sheet, history.jdbc(), said == null ? null : said.jdbc());
        }
        if (history.wholeFrom() == null) {
            sheet.line("  # wholeFrom: none, every partition is whole");
        } else {
            sheet.line("  wholeFrom: " + history.wholeFrom());
        }
    }

    private void readAs(Sheet sheet, SourcePlan source, JobFile.@Nullable History said) {
        JobFile.Source live = written.source();
        String schema = said == null ? null : said.schema();
        String ofSource = live == null || live.schema() == null ? "" : live.schema();
        sheet.line("  schema: " + scalar(Redaction.of(schema == null ? ofSource : schema)), isDefault(schema));
        sheet.line("  format: " + word(source.format()), isDefault(said == null ? null : said.format()));
    }

    private static void rows(Sheet sheet, JdbcPlan rows, JobFile.@Nullable Jdbc said) {
        sheet.line("  jdbc:");
        sheet.line("    url: " + quoted(Redaction.of(rows.url())));
        if (rows.table() != null) {
            sheet.line("    table: " + quoted(rows.table()));
        }
        if (rows.query() != null) {
            sheet.line("    query: " + quoted(rows.query()));
        }
        if (rows.splitBy() == null) {
            sheet.line("    # splitBy: none, all rows are read in one go");
        } else {
            sheet.line("    splitBy: " + quoted(rows.splitBy()));
            sheet.line("    splits: " + rows.splits(), isDefault(said == null ? null : said.splits()));
        }
        JdbcPlan.Position position = rows.position();
        if (position == null) {
            sheet.line("    # position: none, what is published does not tell which rows to read");
        } else {
            String timestamp = position.timestamp();
            sheet.line("    position: { split: " + quoted(position.split()) + ", offset: " + quoted(position.offset())
                    + (timestamp == null ? "" : ", timestamp: " + quoted(timestamp)) + " }");
        }
        properties(sheet, rows.properties());
    }

    /** Which partitions are open, withheld and forgotten, and whether members are kept. */
    private void bounds(Sheet sheet) {
        int lookback = plan.partition().lookback();
        int retain = plan.partition().retain();
        String grain = plan.partition().grain().word();
        sheet.line("");
        sheet.note("Partitions, P being the " + grain + " that the frontier has reached:");
        sheet.note("  open       " + (lookback == 0 ? "P" : "P - " + lookback + " to P"));
        if (retain > lookback) {
            sheet.note("  withheld   P - " + retain + " to P - " + (lookback + 1) + ": late, their truth remembered");
        }
        sheet.note("  forgotten  before P" + (retain == 0 ? "" : " - " + retain));
        String selective = plan.target().columns().stream()
                .map(ValueColumn::function)
                .filter(Aggregate::isSelective)
                .distinct()
                .map(Aggregate::word)
                .collect(Collectors.joining(", "));
        if (plan.keepsMembers()) {
            sheet.note("Members are kept one by one: " + selective + " must survive retractions");
        } else {
            sheet.note("Members are not kept one by one");
        }
    }

    private void tables(Sheet sheet) {
        PartitionPlan partition = plan.partition();
        TargetPlan target = plan.target();
        List<Row> rows = new ArrayList<>();
        String partitionType = partition.grain() == Grain.HOUR ? "timestamp with time zone" : "date";
        rows.add(new Row(
                partition.column(),
                partitionType,
                "partition, " + partition.grain().word()));
        for (Field field : target.key()) {
            String remark = field.column().equals(field.name()) ? "key" : "key, " + field.name();
            rows.add(new Row(field.column(), field.type().sql(), remark));
        }
        for (ValueColumn column : target.columns()) {
            rows.add(new Row(
                    column.name(),
                    column.type().sql(),
                    kind(column) + ", " + function(column)
                            + (column.condition() == null
                                    ? ""
                                    : ", where " + column.condition().sql())));
        }
        for (String own : ColumnNames.OWN_COLUMNS) {
            rows.add(new Row(own, ownType(own), ""));
        }
        int longestName =
                rows.stream().mapToInt(row -> row.name().length()).max().orElse(0);
        int longestType =
                rows.stream().mapToInt(row -> row.type().length()).max().orElse(0);
        sheet.note("Table " + target.schema() + "." + target.table());
        for (Row row : rows) {
            sheet.note(("  " + padded(row.name(), longestName) + "  " + padded(row.type(), longestType) + "  "
                            + row.remark())
                    .stripTrailing());
        }
        sheet.note("  primary key (" + partition.column()
                + target.key().stream().map(field -> ", " + field.column()).collect(Collectors.joining()) + ")");
        if (target.revisions()) {
            sheet.note("Table " + target.schema() + "." + target.table()
                    + "_revisions: every revision, with _removed boolean");
        }
    }

    private static String argument(ValueColumn column) {
        if (column.method() != null) {
            return column.method().word();
        }
        return column.field() == null ? "{}" : scalar(column.field().name());
    }

    private static String function(ValueColumn column) {
        String word = column.function().word();
        if (column.method() != null) {
            return word + " by " + column.method().word();
        }
        return word + " of "
                + (column.field() == null ? "members" : column.field().name());
    }

    private String kind(ValueColumn column) {
        return column.kind().word()
                + (column.lookAhead() == 0
                        ? ""
                        : " with a look-ahead of " + column.lookAhead() + " "
                                + plan.partition().grain().word());
    }

    private static String ownType(String column) {
        return switch (column) {
            case "_revision" -> "integer";
            case "_pane" -> "text";
            case "_published_at" -> "timestamp with time zone";
            default -> "bigint";
        };
    }

    private static String isDefault(@Nullable Object said) {
        return said == null ? "default" : "";
    }

    private static String names(List<Field> fields) {
        return fields.stream().map(field -> scalar(field.name())).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String types(List<Field> fields) {
        return fields.stream().map(field -> field.type().sql()).collect(Collectors.joining(", "));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String scalar(String text) {
        return PLAIN.matcher(text).matches() && !NOT_PLAIN.contains(text) ? text : quoted(text);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (Character.isISOControl(c)) {
                quoted.append("\\u").append(String.format(Locale.ROOT, "%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private static String duration(long micros) {
        long millis = micros / 1000;
        if (micros % 1000 != 0) {
            return "PT" + micros / 1_000_000 + "." + String.format(Locale.ROOT, "%06d", micros % 1_000_000) + "S";
        }
        if (millis == 0 || millis % 1000 != 0) {
            return millis == 0 ? "0s" : millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + "d";
        }
        if (seconds % 3600 == 0) {
            return seconds / 3600 + "h";
        }
        return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(width - text.length());
    }

    /** A column of a table. */
    private record Row(String name, String type, String remark) {}

    /** Lines with their remarks. */
    private static final class Sheet {
        private final StringBuilder text = new StringBuilder();

        void line(String line) {
            text.append(line).append('\n');
        }

        void line(String line, String remark) {
            line(remark.isEmpty() ? line : line + "  # " + remark);
        }

        /** A line that is a remark as a whole. */
        void note(String note) {
            line("# " + note);
        }

        String text() {
            return text.toString();
        }
    }
}
