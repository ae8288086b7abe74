package dev.tidemark.job;

import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan.ChangePlan;
import dev.tidemark.job.JobPlan.Deletion;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.job.JobPlan.Observed;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.TimePlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.job.SourceSchema.SchemaField;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes the plan of a job file: fills in the defaults, looks the fields up, types the results, and checks what one key
 * says against another. Everything that is wrong is reported at once; what is absent because it could not even be read
 * is passed over.
 */
public final class JobResolver {
    static final String DELETE_FORMS = "the name of a boolean field, or field = 'text'";
    static final String OBSERVED_FORMS = "a timestamp field, kafka-timestamp or none";
    static final String ZONE_FORMS = "an IANA time zone such as America/New_York, or UTC";

    /** Columns that every target has besides its own. */
    static final List<String> OWN_COLUMNS =
            List.of("_revision", "_members", "_fingerprint", "_pane", "_publication", "_published_at");

    private static final String REMOVED_COLUMN = "_removed";
    private static final Set<String> POSTGRESQL_COLUMNS = Set.of("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid");
    private static final Set<String> FOREIGN_SCHEMAS = Set.of("tidemark", "information_schema");
    private static final String REVISIONS_SUFFIX = "_revisions";
    private static final int GREATEST_NAME = 63;
    private static final int GREATEST_KEY = 31;
    private static final int GREATEST_COLUMNS = 1500;
    private static final int GREATEST_SUM_PRECISION = 28;
    private static final int RESULT_PRECISION = 38;
    private static final int AVERAGE_DIGITS = 6;
    private static final int GREATEST_LOOKBACK = 1_000_000;
    private static final int LISTED_FIELDS = 40;
    private static final Duration GREATEST_DURATION = Duration.ofDays(36_500);
    private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration MAX_FUTURE_SKEW = Duration.ofMinutes(5);

    private static final Pattern JOB_NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final Pattern SQL_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Pattern EQUALS_TEXT = Pattern.compile("([A-Za-z_][A-Za-z0-9_.]*)\\s*=\\s*'((?:[^']|'')*)'");
    private static final Pattern URI = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:/.*");

    private final JobFile file;
    private final @Nullable SourceSchema schema;
    private final Path folder;
    private final Problems problems;

    private JobResolver(JobFile file, @Nullable SourceSchema schema, Path folder, Problems problems) {
        this.file = file;
        this.schema = schema;
        this.folder = folder;
        this.problems = problems;
    }

    /**
     * The plan of a job file.
     *
     * @param schema null: it could not be read, which is among the problems already
     * @param folder where the job file lies; its paths are relative to that
     * @param problems those that were found while reading
     * @throws JobFileException with these and all further problems
     */
    public static JobPlan resolve(JobFile file, @Nullable SourceSchema schema, Path folder, Problems problems) {
        return new JobResolver(file, schema, folder, problems).plan();
    }

    private JobPlan plan() {
        formatVersion();
        String job = job();
        SourcePlan source = source();
        ChangePlan changes = changes();
        PartitionPlan partition = partition();
        TimePlan time = time(partition == null ? 0 : partition.lookback());
        TargetPlan target = target();
        if (problems.any()
                || job == null
                || source == null
                || changes == null
                || time == null
                || partition == null
                || target == null) {
            throw problems.exception();
        }
        return new JobPlan(job, source, changes, time, partition, target);
    }

    private void formatVersion() {
        Integer version = file.formatVersion();
        if (version != null && version != 1) {
            problems.wrong("formatVersion", "format version " + version + " is not known", "this version reads 1");
        }
    }

    private @Nullable String job() {
        String job = file.job();
        if (job != null && !JOB_NAME.matcher(job).matches()) {
            problems.wrong(
                    "job",
                    "'" + job + "' is no job name",
                    "expected a small letter, then at most 62 small letters, digits and hyphens");
        }
        return job;
    }

    // ---- source

    private @Nullable SourcePlan source() {
        JobFile.Source source = file.source();
        if (source == null) {
            return null;
        }
        long idleTimeout = millis("source.idleTimeout", source.idleTimeout(), IDLE_TIMEOUT, 1);
        JobFile.Files files = source.files();
        if (files == null) {
            return null;
        }
        long watch = millis("source.files.watch", files.watch(), Duration.ZERO, 1);
        Logs logs = files.logs() == null ? Logs.SOURCE : files.logs();
        String path = files.path() == null ? null : path(files.path());
        if (path != null && isFile(path)) {
            if (files.watch() != null) {
                problems.wrong("source.files.watch", "a single file cannot be watched", "expected a path to a folder");
            }
            if (logs == Logs.FOLDER) {
                problems.wrong(
                        "source.files.logs", "a single file has no folders", "expected source, or a path to a folder");
            }
        }
        if (schema == null || source.format() == null || path == null) {
            return null;
        }
        return new SourcePlan(schema.json(), source.format(), path, watch, logs, idleTimeout);
    }

    private @Nullable String path(String written) {
        if (URI.matcher(written).matches()) {
            return written;
        }
        try {
            return folder.resolve(written).toAbsolutePath().normalize().toString();
        } catch (InvalidPathException e) {
            problems.wrong(
                    "source.files.path", "'" + written + "' is no path", "expected the path of a file or folder");
            return null;
        }
    }

    private static boolean isFile(String path) {
        return !URI.matcher(path).matches() && Files.isRegularFile(Path.of(path));
    }

    // ---- changes

    private @Nullable ChangePlan changes() {
        JobFile.Changes changes = file.changes();
        if (changes == null) {
            return null;
        }
        List<Field> id = keyFields("changes.id", changes.id());
        List<Field> version =
                byPosition(changes.version()) ? List.of() : keyFields("changes.version", changes.version());
        Deletion delete = changes.delete() == null ? null : deletion(changes.delete());
        if (changes.mode() == Mode.UPSERT && changes.id() == null) {
            problems.missing("changes.id", "mode upsert needs the fields that identify a record");
        }
        if (changes.mode() == Mode.APPEND && changes.version() != null) {
            problems.wrong("changes.version", "mode append has no versions", "remove version, or choose mode upsert");
        }
        if (changes.mode() == Mode.APPEND && changes.delete() != null) {
            problems.wrong("changes.delete", "mode append has no deletes", "remove delete, or choose mode upsert");
        }
        return changes.mode() == null ? null : new ChangePlan(changes.mode(), id, version, delete);
    }

    private static boolean byPosition(@Nullable List<String> version) {
        return version == null || version.equals(List.of("position"));
    }

    private @Nullable Deletion deletion(String written) {
        String path = "changes.delete";
        String condition = written.strip();
        Matcher equality = EQUALS_TEXT.matcher(condition);
        if (equality.matches()) {
            SchemaField field = schemaField(path, equality.group(1));
            String literal = equality.group(2).replace("''", "'");
            if (field == null || field.type() == null) {
                return null;
            }
            if (field.type().kind() != Kind.STRING) {
                problems.wrong(
                        path,
                        "field '" + field.name() + "' is " + field.described() + ", not text",
                        "a comparison with text needs a string or enum field");
            } else if (!field.symbols().isEmpty() && !field.symbols().contains(literal)) {
                problems.wrong(
                        path,
                        "'" + literal + "' is no symbol of field '" + field.name() + "'",
                        Nearest.question(literal, field.symbols()) + "symbols: " + String.join(", ", field.symbols()));
            }
            return new Deletion(new Field(field.name(), field.type()), literal);
        }
        if (!SQL_NAME.matcher(condition).matches() && !isDotted(condition)) {
            problems.wrong(
                    path,
                    "'" + condition + "' is an expression, and expressions come in a later version",
                    "this version takes " + DELETE_FORMS);
            return null;
        }
        Field field = field(path, condition);
        if (field != null && field.type().kind() != Kind.BOOLEAN) {
            problems.wrong(path, "field '" + condition + "' is not a boolean", "expected " + DELETE_FORMS);
        }
        return field == null ? null : new Deletion(field, null);
    }

    // ---- time

    private @Nullable TimePlan time(int lookback) {
        JobFile.Time time = file.time();
        if (time == null) {
            return null;
        }
        Field event = time.event() == null ? null : timestamp("time.event", time.event());
        Observed observed = time.observed() == null ? null : observed(time.observed());
        Field observedField = observed == Observed.FIELD && time.observed() != null
                ? timestamp("time.observed", time.observed())
                : null;
        if (time.frontier() == FrontierKind.OBSERVED && observed == Observed.NONE) {
            problems.wrong(
                    "time.frontier",
                    "a frontier by observed time needs an observed time, but observed is none",
                    "name the observed field, or choose frontier event");
        }
        if (time.frontier() == FrontierKind.OBSERVED && time.outOfOrderness() != null) {
            problems.wrong(
                    "time.outOfOrderness", "only frontier event knows it", "remove it, or choose frontier event");
        }
        long outOfOrderness = micros("time.outOfOrderness", time.outOfOrderness(), Duration.ZERO);
        long maxFutureSkew = micros("time.maxFutureSkew", time.maxFutureSkew(), MAX_FUTURE_SKEW);
        int maxAdvance = time.maxAdvance() == null ? Math.max(lookback, 1) : time.maxAdvance();
        if (maxAdvance < 1) {
            problems.wrong("time.maxAdvance", "is " + maxAdvance, "expected at least 1 partition");
        }
        if (event == null || observed == null || time.frontier() == null) {
            return null;
        }
        return new TimePlan(event, observed, observedField, time.frontier(), outOfOrderness, maxFutureSkew, maxAdvance);
    }

    private @Nullable Observed observed(String written) {
        return switch (written) {
            case "none" -> Observed.NONE;
            case "kafka-timestamp" -> {
                problems.wrong("time.observed", "files have no kafka-timestamp", "expected a timestamp field or none");
                yield null;
            }
            default -> Observed.FIELD;
        };
    }

    private @Nullable Field timestamp(String path, String name) {
        Field field = field(path, name);
        if (field == null || field.type().kind() == Kind.TIMESTAMP) {
            return field;
        }
        String allowed = "expected a timestamp-millis or timestamp-micros field";
        String hint = switch (field.type().kind()) {
            case LONG ->
                "; if it counts milliseconds, say so in the schema: {\"type\": \"long\", \"logicalType\":"
                        + " \"timestamp-millis\"}";
            case LOCAL_TIMESTAMP -> "; a local timestamp does not say which instant it is";
            default -> "";
        };
        SchemaField described = schema == null ? null : schema.field(name);
        problems.wrong(
                path,
                "field '" + name + "' is " + (described == null ? "" : described.described()) + ", not a timestamp",
                allowed + hint);
        return null;
    }

    // ---- partition

    private @Nullable PartitionPlan partition() {
        JobFile.Partition partition = file.partition();
        if (partition == null) {
            return null;
        }
        ZoneId zone = partition.zone() == null ? null : zone(partition.zone());
        JobFile.Lookback written = partition.lookback();
        Integer lookback = written == null ? null : written.partitions();
        if (lookback != null && (lookback < 0 || lookback > GREATEST_LOOKBACK)) {
            problems.wrong("partition.lookback.partitions", "is " + lookback, "expected 0 to " + GREATEST_LOOKBACK);
            lookback = null;
        }
        Integer retain = partition.retain();
        if (retain != null && (retain < 0 || retain > 2 * GREATEST_LOOKBACK)) {
            problems.wrong("partition.retain", "is " + retain, "expected 0 to " + 2 * GREATEST_LOOKBACK);
        } else if (retain != null && lookback != null && retain < lookback) {
            problems.wrong(
                    "partition.retain",
                    "is " + retain + ", less than the lookback of " + lookback,
                    "expected at least the lookback");
        }
        String column = partition.column();
        if (column != null) {
            name("partition.column", column);
        }
        LocalDate wholeFrom = file.source() == null ? null : file.source().wholeFrom();
        if (wholeFrom != null && partition.grain() != null) {
            beginning(wholeFrom, partition.grain());
        }
        if (partition.grain() == null || zone == null || written == null || lookback == null) {
            return null;
        }
        return new PartitionPlan(
                partition.grain(),
                zone,
                lookback,
                written.because(),
                retain == null ? 2 * lookback : retain,
                column == null ? partitionColumn(partition.grain()) : column,
                wholeFrom);
    }

    private static String partitionColumn(@Nullable Grain grain) {
        return grain == Grain.HOUR ? "hour" : "day";
    }

    private @Nullable ZoneId zone(String written) {
        List<String> zones = ZoneId.getAvailableZoneIds().stream()
                .filter(zone -> !zone.startsWith("SystemV/"))
                .sorted()
                .toList();
        if (!zones.contains(written)) {
            boolean isOffset = written.matches("(Z|(UTC|GMT|UT)?[+-].*)");
            problems.wrong(
                    "partition.zone",
                    isOffset
                            ? "'" + written + "' is a fixed offset, which knows no summer time"
                            : "'" + written + "' is no time zone",
                    (isOffset
                                    ? ""
                                    : Nearest.question(
                                            written, zones.stream().sorted().toList()))
                            + "expected " + ZONE_FORMS);
            return null;
        }
        return ZoneId.of(written);
    }

    /** A partition is whole from its beginning; a date inside of one would leave a part. */
    private void beginning(LocalDate wholeFrom, Grain grain) {
        boolean isBeginning = switch (grain) {
            case HOUR, DAY -> true;
            case WEEK -> wholeFrom.getDayOfWeek() == DayOfWeek.MONDAY;
            case MONTH -> wholeFrom.getDayOfMonth() == 1;
        };
        if (!isBeginning) {
            problems.wrong(
                    "source.wholeFrom",
                    wholeFrom + " is inside of a " + grain.word(),
                    grain == Grain.WEEK ? "expected a Monday" : "expected the first day of a month");
        }
    }

    // ---- target

    private @Nullable TargetPlan target() {
        JobFile.Target target = file.target();
        if (target == null) {
            return null;
        }
        boolean revisions = target.revisions() != null && target.revisions();
        String[] table = target.table() == null ? null : table(target.table(), revisions);
        List<Field> key = keyFields("target.key", target.key());
        if (key.size() > GREATEST_KEY) {
            problems.wrong("target.key", "has " + key.size() + " fields", "expected at most " + GREATEST_KEY);
        }
        for (int i = 0; target.key() != null && i < target.key().size(); i++) {
            keyColumn("target.key[" + i + "]", target.key().get(i));
        }
        List<ValueColumn> columns = new ArrayList<>();
        Map<String, JobFile.Column> written = target.columns();
        if (written != null) {
            if (written.isEmpty()) {
                problems.wrong("target.columns", "is empty", "expected at least one value column");
            } else if (written.size() > GREATEST_COLUMNS) {
                problems.wrong(
                        "target.columns", "has " + written.size() + " columns", "expected at most " + GREATEST_COLUMNS);
            }
            written.forEach((name, column) -> {
                columnName(name, target.key());
                ValueColumn resolved = column(name, column);
                if (resolved != null) {
                    columns.add(resolved);
                }
            });
        }
        return table == null ? null : new TargetPlan(table[0], table[1], key, List.copyOf(columns), revisions);
    }

    private String @Nullable [] table(String written, boolean revisions) {
        String path = "target.table";
        String[] parts = written.split("\\.", -1);
        if (parts.length > 2
                || !Arrays.stream(parts).allMatch(part -> SQL_NAME.matcher(part).matches())) {
            problems.wrong(
                    path,
                    "'" + written + "' is no table name",
                    "expected table or schema.table, each of letters, digits and underscores, not beginning with a digit");
            return null;
        }
        String schemaName = parts.length == 2 ? parts[0] : "public";
        String table = parts[parts.length - 1];
        int longest = GREATEST_NAME - (revisions ? REVISIONS_SUFFIX.length() : 0);
        if (schemaName.length() > GREATEST_NAME) {
            problems.wrong(
                    path,
                    "schema name '" + schemaName + "' is too long",
                    "expected at most " + GREATEST_NAME + " bytes");
        }
        if (table.length() > longest) {
            problems.wrong(
                    path,
                    "table name '" + table + "' is too long",
                    "expected at most " + longest + " bytes"
                            + (revisions ? ", so that " + REVISIONS_SUFFIX + " fits" : ""));
        }
        if (FOREIGN_SCHEMAS.contains(schemaName) || schemaName.startsWith("pg_")) {
            problems.wrong(path, "schema '" + schemaName + "' is not for targets", "choose another schema");
        }
        return new String[] {schemaName, table};
    }

    private void keyColumn(String path, String name) {
        if (name.equals(writtenPartitionColumn())) {
            problems.wrong(
                    path,
                    "'" + name + "' is the name of the partition column too",
                    "give partition.column another name");
        } else {
            name(path, name);
        }
    }

    private void columnName(String name, @Nullable List<String> key) {
        String path = "target.columns." + name;
        if (name.equals(writtenPartitionColumn())) {
            problems.wrong(path, "'" + name + "' is the name of the partition column too", "choose another name");
        } else if (key != null && key.contains(name)) {
            problems.wrong(path, "'" + name + "' is the name of a key column too", "choose another name");
        } else {
            name(path, name);
        }
    }

    private String writtenPartitionColumn() {
        JobFile.Partition partition = file.partition();
        if (partition == null) {
            return partitionColumn(null);
        }
        return partition.column() == null ? partitionColumn(partition.grain()) : partition.column();
    }

    private void name(String path, String name) {
        if (isDotted(name)) {
            return; // a nested field, refused as such
        }
        if (!SQL_NAME.matcher(name).matches()) {
            problems.wrong(
                    path,
                    "'" + name + "' is no column name",
                    "expected letters, digits and underscores, not beginning with a digit");
        } else if (name.length() > GREATEST_NAME) {
            problems.wrong(
                    path, "column name '" + name + "' is too long", "expected at most " + GREATEST_NAME + " bytes");
        } else if (OWN_COLUMNS.contains(name) || REMOVED_COLUMN.equals(name)) {
            problems.wrong(path, "'" + name + "' is one of Tidemark's own columns", "choose another name");
        } else if (POSTGRESQL_COLUMNS.contains(name)) {
            problems.wrong(path, "'" + name + "' is one of PostgreSQL's own columns", "choose another name");
        }
    }

    private @Nullable ValueColumn column(String name, JobFile.Column written) {
        String path = "target.columns." + name;
        Map<Aggregate, String> functions = written.functions();
        if (functions.size() != 1) {
            if (!functions.isEmpty()) {
                problems.wrong(
                        path, "has " + functions.size() + " functions: " + words(functions.keySet()), "expected one");
            } else if (!problems.anyAt(path)) {
                problems.wrong(path, "has no function", "expected one of " + words(List.of(Aggregate.values())));
            }
            return null;
        }
        Map.Entry<Aggregate, String> only = functions.entrySet().iterator().next();
        Aggregate function = only.getKey();
        String functionPath = path + "." + function.word();
        boolean countsMembers = function == Aggregate.COUNT && only.getValue().isEmpty();
        Field field = countsMembers ? null : field(functionPath, only.getValue());
        List<Field> order = List.of();
        if (written.order() != null) {
            order = fields(path + ".order", written.order());
            if (function != Aggregate.FIRST && function != Aggregate.LATEST) {
                problems.wrong(path + ".order", function.word() + " has no order", "only first and latest have one");
            }
        }
        if (field == null && !countsMembers) {
            return null;
        }
        FieldType type = field == null ? FieldType.of(Kind.LONG) : resultType(functionPath, function, field);
        return type == null ? null : new ValueColumn(name, function, field, order, type);
    }

    private static String words(Iterable<Aggregate> functions) {
        List<String> words = new ArrayList<>();
        functions.forEach(function -> words.add(function.word()));
        return String.join(", ", words);
    }

    private @Nullable FieldType resultType(String path, Aggregate function, Field field) {
        return switch (function) {
            case COUNT, COUNT_DISTINCT -> FieldType.of(Kind.LONG);
            case MIN, MAX, FIRST, LATEST -> field.type();
            case SUM ->
                switch (field.type().kind()) {
                    case INT -> FieldType.of(Kind.LONG);
                    case LONG -> FieldType.decimal(RESULT_PRECISION, 0);
                    case FLOAT, DOUBLE -> FieldType.of(Kind.DOUBLE);
                    case DECIMAL -> decimal(path, function, field, 0);
                    default -> notANumber(path, function, field);
                };
            case AVG ->
                switch (field.type().kind()) {
                    case INT, LONG -> FieldType.decimal(RESULT_PRECISION, AVERAGE_DIGITS);
                    case FLOAT, DOUBLE -> FieldType.of(Kind.DOUBLE);
                    case DECIMAL -> decimal(path, function, field, AVERAGE_DIGITS);
                    default -> notANumber(path, function, field);
                };
        };
    }

    private @Nullable FieldType decimal(String path, Aggregate function, Field field, int furtherDigits) {
        if (field.type().precision() > GREATEST_SUM_PRECISION) {
            problems.wrong(
                    path,
                    function.word() + " over " + field.type().sql() + " could overflow",
                    "expected a decimal of at most " + GREATEST_SUM_PRECISION + " digits");
            return null;
        }
        return FieldType.decimal(RESULT_PRECISION, field.type().scale() + furtherDigits);
    }

    private @Nullable FieldType notANumber(String path, Aggregate function, Field field) {
        problems.wrong(
                path,
                function.word() + " over field '" + field.name() + "', which is " + described(field.name()),
                "the numbers are " + numbers());
        return null;
    }

    private String numbers() {
        return listed(field -> field.type() != null
                && switch (field.type().kind()) {
                    case INT, LONG, FLOAT, DOUBLE, DECIMAL -> true;
                    default -> false;
                });
    }

    // ---- fields

    private List<Field> fields(String path, @Nullable List<String> names) {
        if (names == null) {
            return List.of();
        }
        if (names.isEmpty()) {
            problems.wrong(path, "is empty", "expected at least one field");
        }
        List<Field> fields = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < names.size(); i++) {
            String place = path + "[" + i + "]";
            if (!seen.add(names.get(i))) {
                problems.wrong(place, "field '" + names.get(i) + "' is named twice", "expected each field once");
                continue;
            }
            Field field = field(place, names.get(i));
            if (field != null) {
                fields.add(field);
            }
        }
        return List.copyOf(fields);
    }

    /** Fields whose values are told apart or put in order exactly. */
    private List<Field> keyFields(String path, @Nullable List<String> names) {
        List<Field> fields = fields(path, names);
        for (Field field : fields) {
            if (field.type().isFloatingPoint()) {
                problems.wrong(
                        path + "[" + (names == null ? 0 : names.indexOf(field.name())) + "]",
                        "field '" + field.name() + "' is " + described(field.name())
                                + ", and floating-point numbers are not told apart exactly",
                        "choose a field of another type");
            }
        }
        return fields;
    }

    private @Nullable Field field(String path, String name) {
        SchemaField field = schemaField(path, name);
        return field == null || field.type() == null ? null : new Field(name, field.type());
    }

    /** The field of the schema if a job can read it; else that is a problem. */
    private @Nullable SchemaField schemaField(String path, String name) {
        if (schema == null) {
            return null;
        }
        SchemaField field = schema.field(name);
        if (field == null && isDotted(name)) {
            problems.wrong(
                    path,
                    "'" + name + "' reaches into a nested record, and that comes in a later version",
                    "fields: " + listed(any -> true));
            return null;
        }
        if (field == null) {
            problems.wrong(
                    path,
                    "field '" + name + "' is not in the schema",
                    Nearest.question(name, schema.names()) + "fields: " + listed(any -> true));
            return null;
        }
        if (field.type() == null) {
            problems.wrong(
                    path,
                    "field '" + name + "' is " + field.described() + ", which a job cannot read",
                    "expected boolean, int, long, float, double, string, enum, bytes, fixed, date, time, timestamp in milli- or"
                            + " microseconds, decimal or uuid, or a union of one of them with null");
            return null;
        }
        return field;
    }

    private String described(String name) {
        SchemaField field = schema == null ? null : schema.field(name);
        return field == null ? "unknown" : field.described();
    }

    /** The names of such fields in their order. */
    private String listed(Predicate<SchemaField> filter) {
        List<String> names = schema == null
                ? List.of()
                : schema.fields().stream().filter(filter).map(SchemaField::name).toList();
        if (names.isEmpty()) {
            return "none";
        }
        String rest = names.size() > LISTED_FIELDS ? ", and " + (names.size() - LISTED_FIELDS) + " more" : "";
        return names.stream().limit(LISTED_FIELDS).collect(Collectors.joining(", ", "", rest));
    }

    private static boolean isDotted(String name) {
        return name.matches("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)+");
    }

    // ---- durations

    private long millis(String path, @Nullable Duration written, Duration otherwise, long least) {
        Duration duration = written == null ? otherwise : written;
        if (written != null && (duration.toMillis() < least || isTooLong(duration))) {
            problems.wrong(path, "is out of range", "expected " + least + "ms to " + GREATEST_DURATION.toDays() + "d");
            return 0;
        }
        return duration.toMillis();
    }

    private long micros(String path, @Nullable Duration written, Duration otherwise) {
        Duration duration = written == null ? otherwise : written;
        if (duration.isNegative() || isTooLong(duration)) {
            problems.wrong(path, "is out of range", "expected 0s to " + GREATEST_DURATION.toDays() + "d");
            return 0;
        }
        return TimeUnit.SECONDS.toMicros(duration.getSeconds()) + TimeUnit.NANOSECONDS.toMicros(duration.getNano());
    }

    private static boolean isTooLong(Duration duration) {
        return duration.compareTo(GREATEST_DURATION) > 0;
    }
}
