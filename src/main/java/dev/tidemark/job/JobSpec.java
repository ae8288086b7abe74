package dev.tidemark.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.job.JobPlan.ChangePlan;
import dev.tidemark.job.JobPlan.Deletion;
import dev.tidemark.job.JobPlan.Derived;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.TimePlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A plan as canonical JSON, and the fingerprint of what the state depends on. The keys and their order are a published
 * form: it is stored with each submission and compared with the next.
 */
public final class JobSpec {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int STATE_VERSION = 1;

    private JobSpec() {}

    /** The whole plan, without secrets. */
    public static String json(JobPlan plan) {
        ObjectNode spec = NODES.objectNode();
        spec.put("job", plan.job());
        spec.set("source", source(plan.source()));
        spec.set("fields", derived(plan.fields()));
        spec.put("where", sql(plan.where()));
        spec.set("changes", changes(plan.changes()));
        spec.set("time", time(plan.time()));
        spec.set("partition", partition(plan.partition()));
        spec.set("target", describedTarget(plan.target()));
        spec.set("history", history(plan.history()));
        identity(plan.identity(), spec);
        return spec.toString();
    }

    /**
     * SHA-256, as 64 hexadecimal digits, of the parts of the plan that give the state its meaning: what identifies,
     * orders and removes a record, its clocks, the calendar, the logs, the cells and their columns. Two plans with one
     * fingerprint can go on with each other's state. What only acts on changes that are yet to be read (lookback,
     * retain, the guards, the timeouts, where the files lie, the history) is not part of it.
     */
    public static String fingerprint(JobPlan plan) {
        ObjectNode state = NODES.objectNode();
        state.put("stateVersion", STATE_VERSION);
        state.put("job", plan.job());
        state.put(
                "logs",
                plan.source().files() == null ? "kafka" : word(plan.source().logs()));
        state.set("fields", derived(plan.fields()));
        state.put("where", sql(plan.where()));
        state.set("changes", changes(plan.changes()));
        state.set("event", field(plan.time().event()));
        state.put("observed", word(plan.time().observed()));
        state.set("observedField", nullableField(plan.time().observedField()));
        state.put("frontier", word(plan.time().frontier()));
        state.put("grain", plan.partition().grain().word());
        state.put("zone", plan.partition().zone().getId());
        state.set("target", target(plan.target()));
        identity(plan.identity(), state);
        return sha256(state.toString());
    }

    private static ObjectNode source(SourcePlan source) {
        ObjectNode node = NODES.objectNode();
        try {
            node.set("schema", MAPPER.readTree(source.schema()));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the source schema is not JSON", e);
        }
        node.put("format", word(source.format()));
        KafkaPlan kafka = source.kafka();
        if (kafka == null) {
            node.put("path", Redaction.of(source.path()))
                    .put("watchMillis", source.watchMillis())
                    .put("logs", word(source.logs()));
        } else {
            node.set("kafka", kafka(kafka));
        }
        return node.put("idleTimeoutMillis", source.idleTimeoutMillis());
    }

    private static ObjectNode kafka(KafkaPlan kafka) {
        ObjectNode node = NODES.objectNode()
                .put("bootstrapServers", kafka.bootstrapServers())
                .put("topic", kafka.topic())
                .put("framing", kafka.framing() == null ? null : word(kafka.framing()))
                .put("writerSchema", kafka.writerSchema());
        ArrayNode schemas = node.putArray("schemas");
        kafka.schemas().keySet().forEach(schemas::add);
        String registry = kafka.registry();
        node.put("registry", registry == null ? null : Redaction.of(registry))
                .put("startup", word(kafka.startup()))
                .put("startupMillis", kafka.startupMillis())
                .put("discoverMillis", kafka.discoverMillis());
        node.set("properties", properties(kafka.properties()));
        return node;
    }

    private static ObjectNode properties(Map<String, String> properties) {
        ObjectNode node = NODES.objectNode();
        properties.forEach((name, value) -> node.put(name, Redaction.property(name, value)));
        return node;
    }

    private static ObjectNode history(HistoryPlan history) {
        ObjectNode node = NODES.objectNode();
        if (history.isSame()) {
            return node.put("kind", "same");
        }
        node.put("kind", word(history.kind()));
        if (history.source() != null) {
            node.set("source", source(history.source()));
        }
        if (history.jdbc() != null) {
            node.set("jdbc", jdbc(history.jdbc()));
        }
        LocalDate wholeFrom = history.wholeFrom();
        return node.put("wholeFrom", wholeFrom == null ? null : wholeFrom.toString());
    }

    private static ObjectNode jdbc(JdbcPlan jdbc) {
        ObjectNode node = NODES.objectNode()
                .put("url", Redaction.of(jdbc.url()))
                .put("table", jdbc.table())
                .put("query", jdbc.query())
                .put("splitBy", jdbc.splitBy())
                .put("splits", jdbc.splits());
        JdbcPlan.Position position = jdbc.position();
        if (position != null) {
            node.putObject("position")
                    .put("split", position.split())
                    .put("offset", position.offset())
                    .put("timestamp", position.timestamp());
        }
        node.set("properties", properties(jdbc.properties()));
        return node;
    }

    private static ObjectNode changes(ChangePlan changes) {
        ObjectNode node = NODES.objectNode();
        node.put("mode", word(changes.mode()));
        node.set("id", fields(changes.id()));
        node.set("version", fields(changes.version()));
        Deletion delete = changes.delete();
        return node.put("delete", sql(delete == null ? null : delete.condition()));
    }

    private static ObjectNode derived(List<Derived> derived) {
        ObjectNode node = NODES.objectNode();
        for (Derived each : derived) {
            node.putObject(each.field().name())
                    .put("type", each.field().type().sql())
                    .put("value", sql(each.value()));
        }
        return node;
    }

    private static @Nullable String sql(@Nullable Expression expression) {
        return expression == null ? null : expression.sql();
    }

    private static ObjectNode time(TimePlan time) {
        ObjectNode node = NODES.objectNode();
        node.set("event", field(time.event()));
        node.put("observed", word(time.observed()));
        node.set("observedField", nullableField(time.observedField()));
        return node.put("frontier", word(time.frontier()))
                .put("outOfOrdernessMicros", time.outOfOrderness())
                .put("maxFutureSkewMicros", time.maxFutureSkew())
                .put("maxAdvance", time.maxAdvance());
    }

    private static ObjectNode partition(PartitionPlan partition) {
        LocalDate wholeFrom = partition.wholeFrom();
        return NODES.objectNode()
                .put("grain", partition.grain().word())
                .put("zone", partition.zone().getId())
                .put("lookback", partition.lookback())
                .put("because", partition.because())
                .put("retain", partition.retain())
                .put("column", partition.column())
                .put("wholeFrom", wholeFrom == null ? null : wholeFrom.toString());
    }

    /** Nothing is said where no identities are resolved. */
    private static void identity(@Nullable IdentityPlan identity, ObjectNode into) {
        if (identity != null) {
            ObjectNode node = into.putObject("identity");
            node.set("device", field(identity.device()));
            node.set("user", field(identity.user()));
            node.set("platform", nullableField(identity.platform()));
            node.put("sessionGapMicros", identity.sessionGap());
        }
    }

    private static ObjectNode describedTarget(TargetPlan target) {
        ObjectNode node = target(target).put("revisions", target.revisions()).put("retroactive", target.retroactive());
        for (int i = 0; i < target.columns().size(); i++) {
            ValueColumn column = target.columns().get(i);
            ((ObjectNode) node.path("columns").path(i))
                    .put("kind", column.kind().word())
                    .put("lookAhead", column.lookAhead());
        }
        return node;
    }

    private static ObjectNode target(TargetPlan target) {
        ObjectNode node = NODES.objectNode();
        node.put("schema", target.schema()).put("table", target.table()).set("key", fields(target.key()));
        ArrayNode columns = node.putArray("columns");
        for (ValueColumn column : target.columns()) {
            ObjectNode described = columns.addObject();
            described
                    .put("name", column.name())
                    .put("function", column.function().word());
            described.set("field", nullableField(column.field()));
            described.set("order", fields(column.order()));
            described.put("type", column.type().sql());
            described.put("where", sql(column.condition()));
            if (column.method() != null) {
                described.put("method", column.method().word());
            }
        }
        return node;
    }

    private static ArrayNode fields(List<Field> fields) {
        ArrayNode node = NODES.arrayNode();
        fields.forEach(field -> node.add(field(field)));
        return node;
    }

    private static @Nullable ObjectNode nullableField(@Nullable Field field) {
        return field == null ? null : field(field);
    }

    private static ObjectNode field(Field field) {
        return NODES.objectNode()
                .put("name", field.name())
                .put("type", field.type().sql());
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
