package dev.tidemark.job;

import dev.tidemark.job.JobPlan.ChangePlan;
import dev.tidemark.job.JobPlan.Deletion;
import dev.tidemark.job.JobPlan.Derived;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.job.JobPlan.Observed;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.TimePlan;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes the plan of a job file: fills in the defaults, looks the fields up, types the results, and checks what one key
 * says against another. Everything that is wrong is reported at once; what is absent because it could not even be read
 * is passed over.
 */
public final class JobResolver {
    static final String CONDITION_FORMS = "a condition such as status <> 'test'";
    static final String OBSERVED_FORMS = "a timestamp field, kafka-timestamp or none";
    static final String ZONE_FORMS = "an IANA time zone such as America/New_York, or UTC";

    private static final int GREATEST_LOOKBACK = 1_000_000;
    private static final Duration GREATEST_DURATION = Duration.ofDays(36_500);
    private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration DISCOVER = Duration.ofSeconds(30);
    private static final Duration MAX_FUTURE_SKEW = Duration.ofMinutes(5);

    private static final Pattern JOB_NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final Pattern URI = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:/.*");

    private final JobFile file;
    private final @Nullable SourceSchema schema;
    private final WriterSchemas writerSchemas;
    private final HistoryResolver history;
    private final Path folder;
    private final Problems problems;
    private final FieldLookup fields;
    private final ExpressionTyper expressions;

    private JobResolver(
            JobFile file,
            Schemas ofSource,
            Schemas ofHistory,
            Path folder,
            ExpressionParser parser,
            Problems problems) {
        this.file = file;
        this.schema = ofSource.reader();
        this.writerSchemas = ofSource.writers();
        this.folder = folder;
        this.problems = problems;
        this.fields = new FieldLookup(schema, problems);
        this.expressions = new ExpressionTyper(fields, parser, problems);
        this.history = new HistoryResolver(file.history(), ofHistory, this::path, problems);
    }

    /**
     * The plan of a job file.
     *
     * @param ofSource the schemas that the source names
     * @param ofHistory those that the history names; they are the source's if it has none of its own
     * @param folder where the job file lies; its paths are relative to that
     * @param parser of the expressions
     * @param problems those that were found while reading
     * @throws JobFileException with these and all further problems
     */
    public static JobPlan resolve(
            JobFile file,
            Schemas ofSource,
            Schemas ofHistory,
            Path folder,
            ExpressionParser parser,
            Problems problems) {
        return new JobResolver(file, ofSource, ofHistory, folder, parser, problems).plan();
    }

    private JobPlan plan() {
        formatVersion();
        String job = job();
        SourcePlan source = source();
        List<Derived> derived = derivedFields();
        Expression where = file.where() == null ? null : expressions.condition("where", file.where());
        ChangePlan changes = changes();
        PartitionPlan partition = partition();
        TimePlan time = time(partition == null ? 0 : partition.lookback());
        TargetPlan target = target();
        IdentityPlan identity = identity();
        HistoryPlan read = history();
        if (problems.any()
                || job == null
                || source == null
                || changes == null
                || time == null
                || partition == null
                || target == null
                || read == null) {
            throw problems.exception();
        }
        JobPlan plan = new JobPlan(job, source, derived, where, changes, time, partition, target, read, identity);
        history.check(plan);
        if (problems.any()) {
            throw problems.exception();
        }
        return plan;
    }

    private @Nullable HistoryPlan history() {
        JobFile.Source source = file.source();
        long idleTimeout = source == null || source.idleTimeout() == null
                ? IDLE_TIMEOUT.toMillis()
                : source.idleTimeout().toMillis();
        JobFile.Partition partition = file.partition();
        JobFile.History written = file.history();
        if (written != null && written.wholeFrom() != null && partition != null && partition.grain() != null) {
            beginning("history.wholeFrom", written.wholeFrom(), partition.grain());
        }
        return history.resolve(source == null ? null : source.format(), idleTimeout);
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
        JobFile.Kafka kafka = source.kafka();
        if (kafka != null) {
            if (files != null) {
                problems.wrong("source", "names files and a topic", "expected one of files and kafka");
            }
            long discover = millis("source.kafka.discover", kafka.discover(), DISCOVER, 100);
            KafkaPlan topic = new KafkaResolver("source.kafka", writerSchemas, problems)
                    .resolve(kafka, source.format(), discover);
            return schema == null || source.format() == null || topic == null
                    ? null
                    : new SourcePlan(schema.json(), source.format(), idleTimeout, null, topic);
        }
        if (files == null) {
            return null;
        }
        long watch = millis("source.files.watch", files.watch(), Duration.ZERO, 1);
        Logs logs = files.logs() == null ? Logs.SOURCE : files.logs();
        String path = files.path() == null ? null : path("source.files.path", files.path());
        if (path != null && isFile(path)) {
            if (files.watch() != null) {
                problems.wrong("source.files.watch", "a single file cannot be watched", "expected a path to a folder");
            }
            if (logs == Logs.FOLDER) {
                problems.wrong(
                        "source.files.logs", "a single file has no folders", "expected a path to a folder of folders");
            }
        }
        if (schema == null || source.format() == null || path == null) {
            return null;
        }
        return new SourcePlan(schema.json(), source.format(), path, watch, logs, idleTimeout);
    }

    private boolean isKafka() {
        return file.source() != null && file.source().kafka() != null;
    }

    private @Nullable String path(String key, String written) {
        if (URI.matcher(written).matches()) {
            return written;
        }
        try {
            return folder.resolve(written).toAbsolutePath().normalize().toString();
        } catch (InvalidPathException e) {
            problems.wrong(key, "'" + written + "' is no path", "expected the path of a file or folder");
            return null;
        }
    }

    private static boolean isFile(String path) {
        return !URI.matcher(path).matches() && Files.isRegularFile(Path.of(path));
    }

    // ---- derived fields

    private List<Derived> derivedFields() {
        Map<String, String> written = file.fields();
        List<Derived> derived = new ArrayList<>();
        if (written == null) {
            return derived;
        }
        List<String> names = new ArrayList<>(written.keySet());
        for (Map.Entry<String, String> entry : written.entrySet()) {
            String name = entry.getKey();
            String path = "fields." + name;
            ColumnNames.check(path, name, problems);
            if (fields.isInSchema(name)) {
                problems.wrong(path, "the schema has a field '" + name + "' already", "choose another name");
            }
            Expression value = expressions.expression(path, entry.getValue(), names);
            names.remove(name);
            if (value != null) {
                Field field = new Field(name, value.type());
                derived.add(new Derived(field, value));
                fields.derive(field);
            } else {
                fields.deriveUnknown(name);
            }
        }
        return List.copyOf(derived);
    }

    // ---- changes

    private @Nullable ChangePlan changes() {
        JobFile.Changes changes = file.changes();
        if (changes == null) {
            return null;
        }
        List<Field> id = fields.keyFields("changes.id", changes.id());
        List<Field> version =
                byPosition(changes.version()) ? List.of() : fields.keyFields("changes.version", changes.version());
        Deletion delete = changes.delete() == null ? null : deletion(changes.delete());
        if (changes.mode() == Mode.UPSERT && changes.id() == null) {
            problems.missing("changes.id", "mode upsert needs the fields that identify a record");
        }
        if (changes.mode() == Mode.UPSERT && changes.version() == null && isKafka()) {
            problems.missing(
                    "changes.version",
                    "name the fields that order the changes of a record, or say `version: position` if all changes of"
                            + " a record are in one partition of the topic");
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
        Expression condition = expressions.condition("changes.delete", written);
        return condition == null ? null : new Deletion(condition);
    }

    // ---- time

    private @Nullable TimePlan time(int lookback) {
        JobFile.Time time = file.time();
        if (time == null) {
            return null;
        }
        Field event = time.event() == null ? null : fields.timestamp("time.event", time.event());
        Observed observed = time.observed() == null ? null : observed(time.observed());
        Field observedField = observed == Observed.FIELD && time.observed() != null
                ? fields.timestamp("time.observed", time.observed())
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
                if (isKafka()) {
                    yield Observed.KAFKA_TIMESTAMP;
                }
                problems.wrong("time.observed", "files have no kafka-timestamp", "expected a timestamp field or none");
                yield null;
            }
            default -> Observed.FIELD;
        };
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
            ColumnNames.check("partition.column", column, problems);
        }
        LocalDate wholeFrom = file.source() == null ? null : file.source().wholeFrom();
        if (wholeFrom != null && partition.grain() != null) {
            beginning("source.wholeFrom", wholeFrom, partition.grain());
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
                column == null ? ColumnNames.partitionColumn(partition.grain()) : column,
                wholeFrom);
    }

    private @Nullable ZoneId zone(String written) {
        List<String> zones = ZoneId.getAvailableZoneIds().stream()
                .filter(zone -> !zone.startsWith("SystemV/"))
                .sorted()
                .toList();
        if (!zones.contains(written)) {
            boolean isOffset = written.matches("(Z|(UTC|GMT|UT)?[+-].*)");
            String allowed = "expected " + ZONE_FORMS;
            if (isOffset) {
                String wrong = "'" + written + "' is a fixed offset, which knows no summer time";
                problems.wrong("partition.zone", wrong, allowed);
            } else {
                String wrong = "'" + written + "' is no time zone";
                problems.wrong("partition.zone", wrong, Nearest.question(written, zones) + allowed);
            }
            return null;
        }
        return ZoneId.of(written);
    }

    /** A partition is whole from its beginning; a date inside of one would leave a part. */
    private void beginning(String key, LocalDate wholeFrom, Grain grain) {
        boolean isBeginning = switch (grain) {
            case HOUR, DAY -> true;
            case WEEK -> wholeFrom.getDayOfWeek() == DayOfWeek.MONDAY;
            case MONTH -> wholeFrom.getDayOfMonth() == 1;
        };
        if (!isBeginning) {
            problems.wrong(
                    key,
                    wholeFrom + " is inside of a " + grain.word(),
                    grain == Grain.WEEK ? "expected a Monday" : "expected the first day of a month");
        }
    }

    // ---- target

    private @Nullable TargetPlan target() {
        JobFile.Target written = file.target();
        JobFile.Lookback lookback =
                file.partition() == null ? null : file.partition().lookback();
        Integer partitions = lookback == null ? null : lookback.partitions();
        if (written != null
                && written.retroactive() != null
                && written.retroactive()
                && partitions != null
                && partitions == 0) {
            problems.wrong(
                    "target.retroactive",
                    "is true, but with a lookback of 0 no partition stays open for what comes later",
                    "leave it out, or let partitions stay open");
        }
        return written == null
                ? null
                : new TargetResolver(fields, expressions, partitionColumnAsWritten(), problems).resolve(written);
    }

    private @Nullable IdentityPlan identity() {
        IdentityResolver identity = new IdentityResolver(file.identity(), fields, problems);
        identity.check(
                file.target(),
                file.partition() == null ? null : file.partition().grain());
        return identity.resolve();
    }

    private String partitionColumnAsWritten() {
        JobFile.Partition partition = file.partition();
        if (partition == null) {
            return ColumnNames.partitionColumn(null);
        }
        return partition.column() == null ? ColumnNames.partitionColumn(partition.grain()) : partition.column();
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
