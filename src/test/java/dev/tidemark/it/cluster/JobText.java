package dev.tidemark.it.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.job.Expression;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ChangePlan;
import dev.tidemark.job.JobPlan.Derived;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.job.JobPlan.Observed;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.job.JobPlan.TimePlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A plan that reads a topic, written as the job file that a person would have written. JSON is YAML. */
final class JobText {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JobText() {}

    /**
     * Writes job file and schema into a folder.
     *
     * @param name of the job; the topic and the target's table are named after it
     * @param plan whose source is not looked at, but for its schema
     * @return the job file
     */
    static Path write(Path folder, String name, JobPlan plan, String bootstrapServers, Duration idleTimeout)
            throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(name + ".avsc"), plan.source().schema());
        ObjectNode job = JSON.createObjectNode().put("formatVersion", 1).put("job", name);
        ObjectNode source = job.putObject("source")
                .put("schema", name + ".avsc")
                .put("format", "json")
                .put("idleTimeout", idleTimeout.toString());
        source.putObject("kafka")
                .put("bootstrapServers", bootstrapServers)
                .put("topic", name)
                .put("discover", "1s");
        if (plan.partition().wholeFrom() != null) {
            source.put("wholeFrom", plan.partition().wholeFrom().toString());
        }
        if (!plan.fields().isEmpty()) {
            ObjectNode fields = job.putObject("fields");
            for (Derived derived : plan.fields()) {
                fields.put(derived.field().name(), derived.value().sql());
            }
        }
        put(job, "where", plan.where());
        job.set("changes", changes(plan.changes()));
        job.set("time", time(plan.time()));
        job.set("partition", partition(plan.partition()));
        ObjectNode target = job.putObject("target")
                .put("table", "histories." + name.replace('-', '_'))
                .put("revisions", true);
        target.set("key", names(plan.target().key()));
        ObjectNode columns = target.putObject("columns");
        plan.target().columns().forEach(column -> columns.set(column.name(), column(column)));
        Path file = folder.resolve(name + ".yaml");
        Files.writeString(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(job));
        return file;
    }

    private static JsonNode changes(ChangePlan plan) {
        ObjectNode changes = JSON.createObjectNode().put("mode", word(plan.mode()));
        if (plan.hasId()) {
            changes.set("id", names(plan.id()));
        }
        if (!plan.version().isEmpty()) {
            changes.set("version", names(plan.version()));
        } else if (plan.mode() == Mode.UPSERT) {
            changes.put("version", "position");
        }
        put(changes, "delete", plan.delete() == null ? null : plan.delete().condition());
        return changes;
    }

    private static JsonNode time(TimePlan plan) {
        ObjectNode time = JSON.createObjectNode().put("event", plan.event().name());
        time.put(
                "observed",
                plan.observed() == Observed.FIELD
                        ? Objects.requireNonNull(plan.observedField()).name()
                        : word(plan.observed()));
        time.put("frontier", word(plan.frontier()));
        if (plan.frontier() == FrontierKind.EVENT) {
            time.put("outOfOrderness", micros(plan.outOfOrderness()));
        }
        return time.put("maxFutureSkew", micros(plan.maxFutureSkew())).put("maxAdvance", plan.maxAdvance());
    }

    private static JsonNode partition(PartitionPlan plan) {
        return JSON.createObjectNode()
                .put("grain", plan.grain().word())
                .put("zone", plan.zone().getId())
                .put("lookback", plan.lookback())
                .put("retain", plan.retain())
                .put("column", plan.column());
    }

    private static JsonNode column(ValueColumn plan) {
        ObjectNode column = JSON.createObjectNode();
        if (plan.field() == null) {
            column.putObject(plan.function().word());
        } else {
            column.put(plan.function().word(), plan.field().name());
        }
        if (!plan.order().isEmpty()) {
            column.set("order", names(plan.order()));
        }
        put(column, "where", plan.condition());
        return column;
    }

    private static void put(ObjectNode node, String key, @Nullable Expression expression) {
        if (expression != null) {
            node.put(key, expression.sql());
        }
    }

    private static ArrayNode names(List<Field> fields) {
        ArrayNode names = JSON.createArrayNode();
        fields.forEach(field -> names.add(field.name()));
        return names;
    }

    private static String micros(long micros) {
        return Duration.ofNanos(micros * 1000).toString();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
