package dev.tidemark.job;

import java.io.Serializable;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job, resolved: every default filled in, every field looked up in the schema, every result typed. What the job file
 * says and what the pipeline does meet here; {@code validate} prints it.
 *
 * <p>All durations are microseconds unless the name says {@code Millis}.
 *
 * @param fields the derived fields, in the order of their declaration
 * @param where which records count; the others are as deletes; null: all
 * @param history where whole partitions are recomputed from
 * @param identity who events are told of; null: no column asks
 */
public record JobPlan(
        String job,
        SourcePlan source,
        List<Derived> fields,
        @Nullable Expression where,
        ChangePlan changes,
        TimePlan time,
        PartitionPlan partition,
        TargetPlan target,
        HistoryPlan history,
        @Nullable IdentityPlan identity)
        implements Serializable {

    /** Stands in the place of the evidence for a lookback that was given for one run only: it is a hypothesis. */
    public static final String LOOKBACK_OF_THE_RUN = "given by --lookback";

    /** A job that resolves no identities. */
    public JobPlan(
            String job,
            SourcePlan source,
            List<Derived> fields,
            @Nullable Expression where,
            ChangePlan changes,
            TimePlan time,
            PartitionPlan partition,
            TargetPlan target,
            HistoryPlan history) {
        this(job, source, fields, where, changes, time, partition, target, history, null);
    }

    /** A job whose history is its source. */
    public JobPlan(
            String job,
            SourcePlan source,
            List<Derived> fields,
            @Nullable Expression where,
            ChangePlan changes,
            TimePlan time,
            PartitionPlan partition,
            TargetPlan target) {
        this(job, source, fields, where, changes, time, partition, target, HistoryPlan.SAME);
    }

    /** A job that derives no fields and takes every record. */
    public JobPlan(
            String job,
            SourcePlan source,
            ChangePlan changes,
            TimePlan time,
            PartitionPlan partition,
            TargetPlan target) {
        this(job, source, List.of(), null, changes, time, partition, target);
    }

    /**
     * The same job with another lookback. All else stays, what the file's lookback is the default of as well: how far it
     * remembers and how far one clock may lead.
     */
    public JobPlan withLookback(int lookback) {
        PartitionPlan partitions = new PartitionPlan(
                partition.grain(),
                partition.zone(),
                lookback,
                LOOKBACK_OF_THE_RUN,
                partition.retain(),
                partition.column(),
                partition.wholeFrom());
        return new JobPlan(job, source, fields, where, changes, time, partitions, target, history, identity);
    }

    /** The same job with another target, whose columns read the same fields. */
    public JobPlan withTarget(TargetPlan other) {
        return new JobPlan(job, source, fields, where, changes, time, partition, other, history, identity);
    }

    /**
     * A field that is not in the source schema but computed from others.
     *
     * @param value reads fields of the schema and derived ones that stand before it
     */
    public record Derived(Field field, Expression value) implements Serializable {}

    /** How record bytes are framed. */
    public enum Format {
        JSON,
        AVRO
    }

    /** Which files form one log. */
    public enum Logs {
        SOURCE,
        FOLDER
    }

    /** Whether records replace each other. */
    public enum Mode {
        APPEND,
        UPSERT
    }

    /** Where the observed time comes from. */
    public enum Observed {
        FIELD,
        KAFKA_TIMESTAMP,
        NONE
    }

    /** Which time is the mark of a record. */
    public enum FrontierKind {
        OBSERVED,
        EVENT
    }

    /**
     * Where the changes come from: files or a topic, one of the two; neither for rows of a database, which only a history
     * can be.
     *
     * @param schema the Avro reader schema, as JSON
     */
    public record SourcePlan(
            String schema,
            Format format,
            long idleTimeoutMillis,
            @Nullable FilesPlan files,
            @Nullable KafkaPlan kafka) implements Serializable {
        /** Files. */
        public SourcePlan(
                String schema, Format format, String path, long watchMillis, Logs logs, long idleTimeoutMillis) {
            this(schema, format, idleTimeoutMillis, new FilesPlan(path, watchMillis, logs), null);
        }

        public boolean isBounded() {
            return files != null && files.watchMillis() == 0;
        }

        /** What people call the source: the path or the topic. */
        public String name() {
            if (kafka != null) {
                return "topic " + kafka.topic();
            }
            return files == null ? "rows" : files.path();
        }

        /** {@link FilesPlan#path} of a source of files. */
        public String path() {
            return onlyFiles().path();
        }

        /** {@link FilesPlan#watchMillis} of a source of files. */
        public long watchMillis() {
            return onlyFiles().watchMillis();
        }

        /** {@link FilesPlan#logs} of a source of files. */
        public Logs logs() {
            return onlyFiles().logs();
        }

        /** Whether there is one log for sure, so that the order in which records are read is always the same. */
        public boolean isOneLog() {
            return files != null && files.logs() == Logs.SOURCE;
        }

        private FilesPlan onlyFiles() {
            return Objects.requireNonNull(files, "the source is no files");
        }
    }

    /**
     * Files.
     *
     * @param path absolute path or URI of the file or folder
     * @param watchMillis how often a folder is looked at again; 0: the source is bounded
     */
    public record FilesPlan(String path, long watchMillis, Logs logs) implements Serializable {}

    /**
     * How changes replace each other.
     *
     * @param id the fields of the record id; empty in append mode without id
     * @param version the fields of the version, most significant first; empty: by position
     * @param delete when a record is a delete; null: never
     */
    public record ChangePlan(
            Mode mode,
            List<Field> id,
            List<Field> version,
            @Nullable Deletion delete) implements Serializable {
        public boolean hasId() {
            return !id.isEmpty();
        }
    }

    /** The condition that makes a record a delete. */
    public record Deletion(Expression condition) implements Serializable {

        /**
         * A delete by one field.
         *
         * @param literal null: the field is a boolean that must be true; else the text that the field must equal
         */
        public Deletion(Field field, @Nullable String literal) {
            this(literal == null ? Expression.isTrue(field) : Expression.equalsText(field, literal));
        }
    }

    /** The clocks of a change. */
    public record TimePlan(
            Field event,
            Observed observed,
            @Nullable Field observedField,
            FrontierKind frontier,
            long outOfOrderness,
            long maxFutureSkew,
            int maxAdvance)
            implements Serializable {}

    /**
     * The partitions of the target.
     *
     * @param lookback how many partitions before the frontier's stay open
     * @param because the evidence for the lookback; null: it is a hypothesis
     * @param retain how many partitions before the frontier's are remembered, at least {@code lookback}
     * @param column the partition column's name in the target
     * @param wholeFrom the first partition that the source holds whole; null: all
     */
    public record PartitionPlan(
            Grain grain,
            ZoneId zone,
            int lookback,
            @Nullable String because,
            int retain,
            String column,
            @Nullable LocalDate wholeFrom)
            implements Serializable {}

    /**
     * The target table. Key columns are named by {@link Field#column}.
     *
     * @param retroactive whether a row of an open partition is written again when only its global columns have changed
     */
    public record TargetPlan(
            String schema,
            String table,
            List<Field> key,
            List<ValueColumn> columns,
            boolean revisions,
            boolean retroactive)
            implements Serializable {

        /** A target whose global columns stay as of the publication that wrote their row. */
        public TargetPlan(String schema, String table, List<Field> key, List<ValueColumn> columns, boolean revisions) {
            this(schema, table, key, columns, revisions, false);
        }

        /** Whether a column depends on other partitions than the row's own. */
        public boolean hasGlobalColumns() {
            return columns.stream().anyMatch(column -> column.kind() == ColumnKind.GLOBAL);
        }

        /** Whether a column is by a method of identity resolution. */
        public boolean hasIdentityColumns() {
            return columns.stream().anyMatch(column -> column.function().isOfIdentities());
        }

        /** Whether a column is over the partitions of a key up to the row's own. */
        public boolean hasRunningColumns() {
            return columns.stream().anyMatch(column -> column.function().isRunning());
        }
    }

    /**
     * One value column.
     *
     * @param field what is aggregated; null only for {@code count} and {@code runningCount} of members, and for an identity
     *     column
     * @param order further order of {@code first} and {@code latest} after the event time
     * @param condition which members the column sees; null: all
     * @param method of an identity column; null: it is none
     */
    public record ValueColumn(
            String name,
            Aggregate function,
            @Nullable Field field,
            List<Field> order,
            FieldType type,
            @Nullable Expression condition,
            @Nullable IdentityMethod method)
            implements Serializable {

        /** A column that is no identity column. */
        public ValueColumn(
                String name,
                Aggregate function,
                @Nullable Field field,
                List<Field> order,
                FieldType type,
                @Nullable Expression condition) {
            this(name, function, field, order, type, condition, null);
        }

        /** An identity column. */
        public static ValueColumn ofIdentities(String name, Aggregate function, IdentityMethod method) {
            return new ValueColumn(name, function, null, List.of(), FieldType.of(FieldType.Kind.LONG), null, method);
        }

        /** A column that sees all members. */
        public ValueColumn(String name, Aggregate function, @Nullable Field field, List<Field> order, FieldType type) {
            this(name, function, field, order, type, null);
        }

        /** What its value depends on. */
        public ColumnKind kind() {
            return method == null ? function.kind() : method.kind();
        }

        /** How many partitions after its own a local column looks at. */
        public int lookAhead() {
            return method == null ? 0 : method.lookAhead();
        }

        /** The field of a row that says whether the column sees the member; null: it sees all. */
        public @Nullable Field conditionField() {
            return condition == null ? null : fieldOf(condition);
        }
    }

    /** The field that holds the value of a condition: its own if it is one, else one that bears its text. */
    private static Field fieldOf(Expression condition) {
        return condition instanceof Expression.Reference reference
                ? reference.field()
                : new Field("(" + condition.sql() + ")", condition.type());
    }

    /** The field that says whether a record is a delete; null: none is. */
    public @Nullable Field deleteField() {
        return changes.delete() == null ? null : fieldOf(changes.delete().condition());
    }

    /** The field that says whether a record counts; null: all do. */
    public @Nullable Field whereField() {
        return where == null ? null : fieldOf(where);
    }

    /** All that is computed of a record, each behind what it reads: the derived fields, then the conditions. */
    public List<Derived> derivations() {
        Map<String, Derived> derivations = new LinkedHashMap<>();
        fields.forEach(derived -> derivations.put(derived.field().name(), derived));
        List<Expression> conditions = new ArrayList<>();
        if (changes.delete() != null) {
            conditions.add(changes.delete().condition());
        }
        if (where != null) {
            conditions.add(where);
        }
        for (ValueColumn column : target.columns()) {
            if (column.condition() != null) {
                conditions.add(column.condition());
            }
        }
        for (Expression condition : conditions) {
            if (!(condition instanceof Expression.Reference)) {
                Field field = fieldOf(condition);
                derivations.putIfAbsent(field.name(), new Derived(field, condition));
            }
        }
        return List.copyOf(derivations.values());
    }

    /** The derived fields that a column reads, those too that others of them read, in the order of their declaration. */
    public List<Derived> readBy(ValueColumn column) {
        Set<Field> read = new LinkedHashSet<>(column.order());
        if (column.field() != null) {
            read.add(column.field());
        }
        if (column.condition() != null) {
            read.addAll(column.condition().fields());
        }
        List<Derived> derived = new ArrayList<>();
        for (int i = fields.size() - 1; i >= 0; i--) {
            if (read.contains(fields.get(i).field())) {
                derived.add(0, fields.get(i));
                read.addAll(fields.get(i).value().fields());
            }
        }
        return derived;
    }

    /** The fields of the source schema that the job reads. */
    public Set<Field> sourceFields() {
        Set<Field> read = new LinkedHashSet<>(changes.id());
        read.addAll(changes.version());
        read.addAll(target.key());
        read.addAll(rowFields());
        read.add(time.event());
        for (Field role : new @Nullable Field[] {time.observedField(), deleteField(), whereField()}) {
            if (role != null) {
                read.add(role);
            }
        }
        List<Derived> derivations = derivations();
        for (int i = derivations.size() - 1; i >= 0; i--) {
            if (read.remove(derivations.get(i).field())) {
                read.addAll(derivations.get(i).value().fields());
            }
        }
        return read;
    }

    /**
     * The job as it reads its history: by the history's schema and format, and, if each row is the present state of a record,
     * without deletes. Rows of a database are JSON.
     */
    public JobPlan overHistory() {
        if (history.isSame()) {
            return this;
        }
        SourcePlan read = history.source() == null
                ? new SourcePlan(source.schema(), Format.JSON, source.idleTimeoutMillis(), null, null)
                : history.source();
        ChangePlan undeleted = history.kind() == HistoryPlan.Kind.TABLE
                ? new ChangePlan(changes.mode(), changes.id(), changes.version(), null)
                : changes;
        PartitionPlan whole = new PartitionPlan(
                partition.grain(),
                partition.zone(),
                partition.lookback(),
                partition.because(),
                partition.retain(),
                partition.column(),
                history.wholeFrom());
        return new JobPlan(job, read, fields, where, undeleted, time, whole, target, history, identity);
    }

    /**
     * The distinct fields that the value columns and their conditions read, in the order of their first use, and those of the
     * identity: the layout of a row.
     */
    public List<Field> rowFields() {
        Set<Field> fields = new LinkedHashSet<>();
        for (ValueColumn column : target.columns()) {
            if (column.field() != null) {
                fields.add(column.field());
            }
            fields.addAll(column.order());
            Field condition = column.conditionField();
            if (condition != null) {
                fields.add(condition);
            }
        }
        if (identity != null) {
            fields.addAll(identity.fields());
        }
        return List.copyOf(fields);
    }

    /** Whether a cell must know its members one by one to survive retractions. */
    public boolean keepsMembers() {
        return changes.mode() == Mode.UPSERT
                && target.columns().stream()
                        .anyMatch(column -> column.function().isSelective());
    }
}
