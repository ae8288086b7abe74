package dev.tidemark.job;

import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.job.Shape.Allowed;
import dev.tidemark.job.Shape.Mandatory;
import dev.tidemark.job.Shape.OrEmptyMapping;
import dev.tidemark.job.Shape.Shorthand;
import java.time.Duration;
import java.time.LocalDate;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The job file as it was written: a component is a key. Whatever is absent, or could not be read, is null, so that the
 * rest can still be checked; {@link Mandatory} marks what a file must have.
 */
public record JobFile(
        @Mandatory @Nullable Integer formatVersion,
        @Mandatory @Nullable String job,
        @Mandatory @Nullable Source source,
        @Nullable Map<String, String> fields,
        @Allowed(JobResolver.CONDITION_FORMS) @Nullable String where,
        @Mandatory @Nullable Changes changes,
        @Mandatory @Nullable Time time,
        @Mandatory @Nullable Partition partition,
        @Nullable Identity identity,
        @Mandatory @Nullable Target target,
        @Nullable History history) {

    /** The same job with one more column: the sum of an expression, as a derived field of that name. */
    public JobFile summing(String name, String expression) {
        Map<String, String> derived = new LinkedHashMap<>(fields == null ? Map.of() : fields);
        derived.put(name, expression);
        Target more = target;
        if (target != null) {
            Map<String, Column> columns = new LinkedHashMap<>(target.columns() == null ? Map.of() : target.columns());
            columns.put(
                    name,
                    new Column(
                            null, name, null, null, null, null, null, null, null, null, null, null, null, null, null));
            more = new Target(target.table(), target.key(), target.revisions(), target.retroactive(), columns);
        }
        return new JobFile(
                formatVersion, job, source, derived, where, changes, time, partition, identity, more, history);
    }

    /** {@code source}: where the changes come from. */
    public record Source(
            @Mandatory @Allowed("the path of an Avro schema, relative to the job file") @Nullable
            String schema,

            @Mandatory @Nullable Format format,
            @Mandatory(unless = "kafka") @Nullable Files files,
            @Nullable Kafka kafka,
            @Nullable Duration idleTimeout,
            @Nullable LocalDate wholeFrom) {}

    /** {@code source.files}: a file or a folder. */
    public record Files(
            @Mandatory @Allowed("the path of a file or folder, relative to the job file") @Nullable
            String path,

            @Nullable Duration watch,
            @Nullable Logs logs) {}

    /** {@code source.kafka}: a topic. */
    public record Kafka(
            @Mandatory @Allowed("host:port, several with commas between") @Nullable
            String bootstrapServers,

            @Mandatory @Allowed("the name of a topic") @Nullable
            String topic,

            KafkaPlan.@Nullable Framing framing,

            @Allowed("the path of an Avro schema, relative to the job file") @Nullable
            String writerSchema,

            @Allowed("the path of a folder of Avro schemas (*.avsc), relative to the job file") @Nullable
            String schemas,

            @Allowed(KafkaResolver.REGISTRY_FORMS) @Nullable String registry,

            @Allowed(KafkaResolver.STARTUP_FORMS) @Nullable String startup,

            @Nullable Map<String, String> properties,
            @Nullable Duration discover) {}

    /** {@code changes}: how records replace each other. */
    public record Changes(
            @Mandatory @Nullable Mode mode,
            @Nullable List<String> id,
            @Nullable List<String> version,
            @Allowed(JobResolver.CONDITION_FORMS) @Nullable String delete) {}

    /** {@code time}: the clocks of a change. */
    public record Time(
            @Mandatory @Allowed("a timestamp field") @Nullable
            String event,

            @Mandatory @Allowed(JobResolver.OBSERVED_FORMS) @Nullable
            String observed,

            @Mandatory @Nullable FrontierKind frontier,
            @Nullable Duration outOfOrderness,
            @Nullable Duration maxFutureSkew,
            @Nullable Integer maxAdvance) {}

    /** {@code partition}: the calendar and its bounds. */
    public record Partition(
            @Mandatory @Nullable Grain grain,

            @Mandatory @Allowed(JobResolver.ZONE_FORMS) @Nullable
            String zone,

            @Mandatory @Nullable Lookback lookback,
            @Nullable Integer retain,
            @Nullable String column) {}

    /** {@code partition.lookback}: how many partitions stay open, and on what evidence. */
    @Shorthand("partitions")
    public record Lookback(
            @Mandatory @Nullable Integer partitions,
            @Nullable String because) {}

    /** {@code identity}: who an event is told of. */
    public record Identity(
            @Mandatory @Allowed("a text field") @Nullable String device,

            @Mandatory @Allowed("a text field") @Nullable String user,

            @Allowed("a text field") @Nullable String platform,

            @Nullable Duration sessionGap) {}

    /** {@code target}: the table. */
    public record Target(
            @Mandatory @Allowed("a table or schema.table") @Nullable
            String table,

            @Mandatory @Nullable List<String> key,
            @Nullable Boolean revisions,
            @Nullable Boolean retroactive,
            @Mandatory @Nullable Map<String, Column> columns) {}

    /** One of {@code target.columns}: a function of a field. */
    public record Column(
            @OrEmptyMapping @Allowed("{} for every member, or a field") @Nullable
            String count,

            @Nullable String sum,
            @Nullable String avg,
            @Nullable String min,
            @Nullable String max,
            @Nullable String countDistinct,
            @Nullable String first,
            @Nullable String latest,

            @OrEmptyMapping @Allowed("{} for every member, or a field") @Nullable
            String runningCount,

            @Nullable String runningSum,
            @Nullable String runningCountDistinct,

            @Allowed(TargetResolver.METHOD_FORMS) @Nullable String identities,

            @Allowed(TargetResolver.METHOD_FORMS) @Nullable String identifiedEvents,

            @Nullable List<String> order,
            @Allowed(JobResolver.CONDITION_FORMS) @Nullable String where) {

        /** The functions that are written, with their fields or methods; one that counts members has empty text. */
        public Map<Aggregate, String> functions() {
            Map<Aggregate, String> written = new EnumMap<>(Aggregate.class);
            for (Aggregate function : Aggregate.values()) {
                String field = switch (function) {
                    case COUNT -> count;
                    case SUM -> sum;
                    case AVG -> avg;
                    case MIN -> min;
                    case MAX -> max;
                    case COUNT_DISTINCT -> countDistinct;
                    case FIRST -> first;
                    case LATEST -> latest;
                    case RUNNING_COUNT -> runningCount;
                    case RUNNING_SUM -> runningSum;
                    case RUNNING_COUNT_DISTINCT -> runningCountDistinct;
                    case IDENTITIES -> identities;
                    case IDENTIFIED_EVENTS -> identifiedEvents;
                };
                if (field != null) {
                    written.put(function, field);
                }
            }
            return written;
        }
    }

    /** {@code history}: where whole partitions are recomputed from. */
    @Shorthand("kind")
    public record History(
            @Allowed(HistoryResolver.KIND_FORMS) @Nullable HistoryKind kind,

            @Allowed("the path of an Avro schema, relative to the job file") @Nullable
            String schema,

            @Nullable Format format,
            @Nullable HistoryFiles files,
            @Nullable HistoryKafka kafka,
            @Nullable Jdbc jdbc,
            @Nullable LocalDate wholeFrom) {}

    /** {@code history.kind}: the source itself, a log of changes, or the present state of each record. */
    public enum HistoryKind {
        SAME,
        CHANGES,
        TABLE
    }

    /** {@code history.files}: a file or a folder. */
    public record HistoryFiles(
            @Mandatory @Allowed("the path of a file or folder, relative to the job file") @Nullable
            String path,

            @Nullable Logs logs) {}

    /** {@code history.kafka}: a topic, read from its beginning to its end. */
    public record HistoryKafka(
            @Mandatory @Allowed("host:port, several with commas between") @Nullable
            String bootstrapServers,

            @Mandatory @Allowed("the name of a topic") @Nullable
            String topic,

            KafkaPlan.@Nullable Framing framing,

            @Allowed("the path of an Avro schema, relative to the job file") @Nullable
            String writerSchema,

            @Allowed("the path of a folder of Avro schemas (*.avsc), relative to the job file") @Nullable
            String schemas,

            @Allowed(KafkaResolver.REGISTRY_FORMS) @Nullable String registry,

            @Nullable Map<String, String> properties) {
        /** As a source would say it. */
        public Kafka asSource() {
            return new Kafka(bootstrapServers, topic, framing, writerSchema, schemas, registry, null, properties, null);
        }
    }

    /** {@code history.jdbc}: rows of a database. */
    public record Jdbc(
            @Mandatory @Allowed(HistoryResolver.URL_FORMS) @Nullable
            String url,

            @Allowed("a table or schema.table") @Nullable String table,

            @Allowed("a statement that selects the rows") @Nullable
            String query,

            @Allowed("a number, date or timestamp column") @Nullable
            String splitBy,

            @Nullable Integer splits,
            @Nullable Position position,
            @Nullable Map<String, String> properties) {}

    /** {@code history.jdbc.position}: the columns with a row's position in the source. */
    public record Position(
            @Mandatory @Allowed("the column with the file's path, or with the topic's partition") @Nullable
            String split,

            @Mandatory @Allowed("the column with the ordinal in the file, or with the offset") @Nullable
            String offset,

            @Allowed("the column with Kafka's timestamp") @Nullable
            String timestamp) {}
}
