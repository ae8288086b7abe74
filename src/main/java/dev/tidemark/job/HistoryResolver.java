package dev.tidemark.job;

import dev.tidemark.job.HistoryPlan.Kind;
import dev.tidemark.job.JobFile.HistoryKind;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.job.JobPlan.Observed;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.job.SourceSchema.SchemaField;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Resolves {@code history}. */
final class HistoryResolver {
    static final String KIND_FORMS = "same, or a mapping with the kind changes or table";
    static final String URL_FORMS = "the address of a PostgreSQL, such as jdbc:postgresql://host:5432/database";

    private static final String PATH = "history";
    private static final int SPLITS = 8;
    private static final int GREATEST_SPLITS = 10_000;
    private static final Pattern URL = Pattern.compile("(jdbc:)?postgres(ql)?://[^/?]+/[^?]+(\\?.*)?");

    /** What the reader decides, by the driver's property: why. */
    private static final Map<String, String> OWNED = Map.of(
            "defaultRowFetchSize", "remove it: rows are fetched in portions anyway",
            "options", "remove it: the reader has session settings of its own",
            "binaryTransfer", "remove it: values are read as text");

    private final JobFile.@Nullable History history;
    private final Schemas schemas;
    private final BiFunction<String, String, @Nullable String> paths;
    private final Problems problems;

    /**
     * @param history null: not written
     * @param schemas those of the history, which are the source's if it names none
     * @param paths makes the path at a key absolute; null: it is none, which is among the problems then
     */
    HistoryResolver(
            JobFile.@Nullable History history,
            Schemas schemas,
            BiFunction<String, String, @Nullable String> paths,
            Problems problems) {
        this.history = history;
        this.schemas = schemas;
        this.paths = paths;
        this.problems = problems;
    }

    /**
     * The plan; null if something is missing or wrong, which the problems say.
     *
     * @param format that of the source
     */
    @Nullable
    HistoryPlan resolve(@Nullable Format format, long idleTimeoutMillis) {
        JobFile.History written = history;
        if (written == null) {
            return HistoryPlan.SAME;
        }
        Map<String, Object> places = new LinkedHashMap<>();
        putIfSaid("files", written.files(), places);
        putIfSaid("kafka", written.kafka(), places);
        putIfSaid("jdbc", written.jdbc(), places);
        if (written.kind() == HistoryKind.SAME) {
            return same(written, places);
        }
        if (places.size() != 1) {
            problems.wrong(
                    PATH,
                    places.isEmpty() ? "names no place" : "names " + String.join(" and ", places.keySet()),
                    "expected one of files, kafka and jdbc, or `history: same`");
        }
        Kind kind = written.kind() == HistoryKind.TABLE ? Kind.TABLE : Kind.CHANGES;
        SourcePlan source = null;
        JdbcPlan rows = null;
        if (written.files() != null) {
            source = files(written.files(), formatOf(written, format), idleTimeoutMillis);
        }
        if (written.kafka() != null) {
            source = topic(written.kafka(), formatOf(written, format), idleTimeoutMillis);
        }
        if (written.jdbc() != null) {
            rows = rows(written, written.jdbc());
        }
        return source == null && rows == null ? null : new HistoryPlan(kind, source, rows, written.wholeFrom());
    }

    private HistoryPlan same(JobFile.History written, Map<String, Object> places) {
        Map<String, Object> more = new LinkedHashMap<>(places);
        putIfSaid("schema", written.schema(), more);
        putIfSaid("format", written.format(), more);
        putIfSaid("wholeFrom", written.wholeFrom(), more);
        if (!more.isEmpty()) {
            problems.wrong(
                    PATH,
                    "is the source itself, and " + String.join(", ", more.keySet()) + " say more",
                    "remove them, or choose the kind changes or table");
        }
        return HistoryPlan.SAME;
    }

    private static @Nullable Format formatOf(JobFile.History written, @Nullable Format ofSource) {
        return written.format() == null ? ofSource : written.format();
    }

    private @Nullable SourcePlan files(JobFile.HistoryFiles files, @Nullable Format format, long idleTimeoutMillis) {
        String path = files.path() == null ? null : paths.apply(PATH + ".files.path", files.path());
        SourceSchema schema = schemas.reader();
        Logs logs = files.logs() == null ? Logs.SOURCE : files.logs();
        return path == null || schema == null || format == null
                ? null
                : new SourcePlan(schema.json(), format, path, 0, logs, idleTimeoutMillis);
    }

    private @Nullable SourcePlan topic(JobFile.HistoryKafka kafka, @Nullable Format format, long idleTimeoutMillis) {
        KafkaPlan topic =
                new KafkaResolver(PATH + ".kafka", schemas.writers(), problems).resolve(kafka.asSource(), format, 0);
        SourceSchema schema = schemas.reader();
        return topic == null || schema == null || format == null
                ? null
                : new SourcePlan(schema.json(), format, idleTimeoutMillis, null, topic);
    }

    private @Nullable JdbcPlan rows(JobFile.History written, JobFile.Jdbc jdbc) {
        String path = PATH + ".jdbc";
        if (written.schema() != null) {
            problems.wrong(PATH + ".schema", "rows are read by the source's schema", "remove it");
        }
        if (written.format() != null) {
            problems.wrong(PATH + ".format", "rows have no format", "remove it");
        }
        if (jdbc.url() != null && !URL.matcher(jdbc.url()).matches()) {
            problems.wrong(path + ".url", "'" + Redaction.of(jdbc.url()) + "' is no address", "expected " + URL_FORMS);
        }
        if ((jdbc.table() == null) == (jdbc.query() == null)) {
            problems.wrong(
                    path,
                    jdbc.table() == null ? "names no rows" : "has a table and a query",
                    "write one of table and query");
        }
        if (jdbc.splits() != null && (jdbc.splits() < 1 || jdbc.splits() > GREATEST_SPLITS)) {
            problems.wrong(path + ".splits", "is " + jdbc.splits(), "expected 1 to " + GREATEST_SPLITS);
        }
        if (jdbc.splits() != null && jdbc.splitBy() == null) {
            problems.wrong(path + ".splits", "only the ranges of a column are counted", "name the column as splitBy");
        }
        for (String name : jdbc.properties() == null
                ? List.<String>of()
                : List.copyOf(jdbc.properties().keySet())) {
            String wayOut = OWNED.get(name);
            if (wayOut != null) {
                problems.wrong(path + ".properties." + name, "is not for a job file to set", wayOut);
            }
        }
        JobFile.Position position = jdbc.position();
        if (jdbc.url() == null || (position != null && (position.split() == null || position.offset() == null))) {
            return null;
        }
        int splits = jdbc.splits() == null ? SPLITS : jdbc.splits();
        return new JdbcPlan(
                jdbc.url(),
                jdbc.table(),
                jdbc.query(),
                jdbc.splitBy(),
                jdbc.splitBy() == null ? 1 : splits,
                position == null || position.split() == null || position.offset() == null
                        ? null
                        : new JdbcPlan.Position(position.split(), position.offset(), position.timestamp()),
                inMillis(),
                jdbc.properties() == null ? Map.of() : new LinkedHashMap<>(jdbc.properties()));
    }

    private List<String> inMillis() {
        SourceSchema schema = schemas.reader();
        return schema == null
                ? List.of()
                : schema.fields().stream()
                        .filter(field -> field.described().endsWith("-millis"))
                        .map(SchemaField::name)
                        .toList();
    }

    private static void putIfSaid(String key, @Nullable Object value, Map<String, Object> into) {
        if (value != null) {
            into.put(key, value);
        }
    }

    /** What the job asks of a record must be in the history as it is in the source. */
    void check(JobPlan plan) {
        HistoryPlan resolved = plan.history();
        if (resolved.isSame()) {
            return;
        }
        JdbcPlan jdbc = resolved.jdbc();
        boolean hasTimestamps = jdbc == null
                ? resolved.source() != null && resolved.source().kafka() != null
                : jdbc.position() != null && jdbc.position().timestamp() != null;
        if (plan.time().observed() == Observed.KAFKA_TIMESTAMP && !hasTimestamps) {
            problems.wrong(
                    PATH,
                    "its records have no timestamp of Kafka, which time.observed asks for",
                    "choose a topic, or keep the timestamp in a column and name it as jdbc.position.timestamp");
        }
        boolean isByPosition =
                plan.changes().mode() == Mode.UPSERT && plan.changes().version().isEmpty();
        if (isByPosition && resolved.kind() == Kind.CHANGES && jdbc != null && jdbc.position() == null) {
            problems.wrong(
                    PATH + ".jdbc",
                    "the changes of a record are ordered by position, and its rows have none",
                    "name the columns that keep it as position, or fields as changes.version");
        }
        SourceSchema schema = schemas.reader();
        for (Field field : plan.overHistory().sourceFields()) {
            if (jdbc != null) {
                if (field.name().contains(".")) {
                    problems.wrong(
                            PATH + ".jdbc",
                            "the job reads " + field.name() + ", a field inside of a record, and rows have none",
                            "choose files or a topic as history");
                }
                continue;
            }
            SchemaField there = schema == null ? null : schema.field(field.name());
            if (there == null) {
                problems.wrong(
                        PATH + ".schema",
                        "has no field '" + field.name() + "', which the job reads",
                        schema == null ? "" : "fields: " + String.join(", ", schema.names()));
            } else if (!field.type().equals(there.type())) {
                problems.wrong(
                        PATH + ".schema",
                        "field '" + field.name() + "' is " + there.described(),
                        "expected " + field.type().sql() + ", as in source.schema");
            }
        }
    }
}
