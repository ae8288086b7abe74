package dev.tidemark.job;

import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.job.SourceSchema.SchemaField;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is right by the letter of a job file and still mostly a mistake. Names and types can only suggest it: nothing is
 * refused for it.
 */
public final class Cautions {
    private static final Set<String> UPDATES =
            Set.of("updated", "modified", "changed", "edited", "amended", "revised", "corrected");
    private static final Set<String> VERSIONS = Set.of("version", "revision", "etag", "lsn", "rowversion");
    private static final Set<String> OPERATIONS =
            Set.of("op", "operation", "deleted", "tombstone", "cancelled", "withdrawn");
    private static final Set<Kind> TIMES =
            Set.of(Kind.TIMESTAMP, Kind.LOCAL_TIMESTAMP, Kind.DATE, Kind.LONG, Kind.STRING);
    private static final Set<Kind> NUMBERS = Set.of(Kind.INT, Kind.LONG, Kind.STRING, Kind.BYTES);
    private static final Set<Kind> MARKS = Set.of(Kind.STRING, Kind.BOOLEAN);

    private final JobPlan plan;
    private final SourceSchema schema;
    private final List<Caution> cautions = new ArrayList<>();

    private Cautions(JobPlan plan, SourceSchema schema) {
        this.plan = plan;
        this.schema = schema;
    }

    /** All of a job, in the order of the job file. */
    public static List<Caution> of(JobPlan plan, SourceSchema schema) {
        Cautions cautions = new Cautions(plan, schema);
        cautions.append();
        cautions.times();
        cautions.lookback();
        return List.copyOf(cautions.cautions);
    }

    private void append() {
        if (plan.changes().mode() != Mode.APPEND) {
            return;
        }
        String signs = signsOfChange();
        if (!signs.isEmpty()) {
            add(
                    "changes.mode",
                    "append counts every record, but the schema speaks of records that change (" + signs
                            + "): a corrected"
                            + " record would count beside the old one. mode: upsert with id and version replaces it; if"
                            + " records really never change, all is well");
        }
        if (plan.changes().hasId()) {
            return;
        }
        if (plan.partition().lookback() > 0) {
            add(
                    "changes.id",
                    "append without id: a record that is delivered or read again counts again, in every partition that the"
                            + " lookback keeps open. With an id, copies are left out");
        }
        String distinct = plan.target().columns().stream()
                .filter(column -> column.function().ofCell() == Aggregate.COUNT_DISTINCT)
                .map(JobPlan.ValueColumn::name)
                .collect(Collectors.joining(", "));
        if (!distinct.isEmpty()) {
            add(
                    "target.columns",
                    "countDistinct (" + distinct
                            + ") without changes.id hides copies that every other column counts: it looks"
                            + " right while they pile up");
        }
    }

    /** The fields whose name and type say that a record has several versions, each with the reason. */
    private String signsOfChange() {
        List<String> signs = new ArrayList<>();
        for (SchemaField field : schema.fields()) {
            String why = field.name().equals(plan.time().event().name()) ? null : sign(field);
            if (why != null) {
                signs.add(field.name() + ": " + why);
            }
        }
        return String.join("; ", signs);
    }

    private static @Nullable String sign(SchemaField field) {
        FieldType type = field.type();
        if (type == null) {
            return null;
        }
        List<String> words = words(field.name());
        if (words.stream().anyMatch(UPDATES::contains) && TIMES.contains(type.kind())) {
            return "when it was changed";
        }
        if (words.stream().anyMatch(VERSIONS::contains) && NUMBERS.contains(type.kind())) {
            return "which version it is";
        }
        boolean named = words.size() == 1 || (words.size() == 2 && words.get(0).equals("is"));
        if (named && OPERATIONS.contains(words.get(words.size() - 1)) && MARKS.contains(type.kind())) {
            return "what was done to it";
        }
        return null;
    }

    /** The words of a name in small letters: of {@code lastUpdated_at} last, updated and at. */
    private static List<String> words(String name) {
        return List.of(name.replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                .toLowerCase(Locale.ROOT)
                .split("[^a-z0-9]+", 0));
    }

    private void times() {
        if (plan.time().observed() == JobPlan.Observed.NONE) {
            add(
                    "time.observed",
                    "none: how late changes come will not be known, nor whether the lookback suffices. A field that says when"
                            + " the source made the change visible is worth having");
        }
        Duration skew = Duration.ofNanos(Math.multiplyExact(plan.time().maxFutureSkew(), 1_000L));
        Duration partition = switch (plan.partition().grain()) {
            case HOUR -> Duration.ofHours(1);
            case DAY -> Duration.ofDays(1);
            case WEEK -> Duration.ofDays(7);
            case MONTH -> Duration.ofDays(28);
        };
        if (skew.compareTo(partition) > 0) {
            add(
                    "time.maxFutureSkew",
                    "is longer than a partition: a record with a wrong clock counts in partitions that have not begun, where"
                            + " nobody looks for it");
        }
    }

    private void lookback() {
        if (plan.partition().because() == null) {
            add(
                    "partition.lookback",
                    plan.partition().lookback()
                            + " is a hypothesis: no evidence is given. `tidemark lateness` tells what it"
                            + " needs to be; say so as { partitions, because }");
        }
    }

    private void add(String path, String message) {
        cautions.add(new Caution(path, message));
    }
}
