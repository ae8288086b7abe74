package dev.tidemark.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Observed;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads JSON records as the contract says, or gives the first reason why a record does not count. */
final class RecordReader {
    static final int GREATEST_KEY_BYTES = 2000;

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    /** Either a change or the reason of its rejection. */
    record Reading(@Nullable Change change, @Nullable String rejection) {}

    /** What the schema says of a field beyond its type. */
    private record Declaration(
            boolean nullable, @Nullable JsonNode fallback, String logicalType, Set<String> symbols) {}

    private static final class UndecodableException extends Exception {}

    private final JobPlan plan;
    private final Partitions partitions;
    private final Map<String, Declaration> declarations = new HashMap<>();
    private final List<Field> rowFields;
    /** The fields whose absence has a reason of its own. */
    private final Set<String> roles = new HashSet<>();

    RecordReader(JobPlan plan, Partitions partitions) {
        this.plan = plan;
        this.partitions = partitions;
        this.rowFields = plan.rowFields();
        plan.changes().id().forEach(field -> roles.add(field.name()));
        plan.changes().version().forEach(field -> roles.add(field.name()));
        plan.target().key().forEach(field -> roles.add(field.name()));
        roles.add(plan.time().event().name());
        Field observed = plan.time().observedField();
        if (observed != null) {
            roles.add(observed.name());
        }
        try {
            declare("", JSON.readTree(plan.source().schema()));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("The schema of the plan is no JSON", e);
        }
    }

    /** What a record declares, and the records inside of it, by their paths. */
    private void declare(String around, JsonNode record) {
        for (JsonNode field : record.path("fields")) {
            String path = around + field.path("name").textValue();
            declarations.put(path, declaration(field));
            for (JsonNode branch : field.path("type")) {
                declare(path + ".", branch);
            }
        }
    }

    private static Declaration declaration(JsonNode field) {
        JsonNode type = field.path("type");
        boolean nullable = false;
        if (type.isArray()) {
            for (JsonNode branch : field.path("type")) {
                if (branch.isTextual() && branch.textValue().equals("null")) {
                    nullable = true;
                } else {
                    type = branch;
                }
            }
        }
        Set<String> symbols = new HashSet<>();
        type.path("symbols").forEach(symbol -> symbols.add(symbol.textValue()));
        return new Declaration(
                nullable, field.get("default"), type.path("logicalType").asText(""), symbols);
    }

    Reading read(SourceRecord source, long sequence) {
        try {
            JsonNode json = parse(source.payload());
            return screen(source, sequence, json);
        } catch (UndecodableException e) {
            return new Reading(null, "undecodable");
        }
    }

    private static JsonNode parse(byte[] payload) throws UndecodableException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(payload))
                    .toString();
            JsonNode json = JSON.readTree(text);
            if (!json.isObject()) {
                throw new UndecodableException();
            }
            return json;
        } catch (CharacterCodingException | JsonProcessingException e) {
            throw new UndecodableException();
        }
    }

    private Reading screen(SourceRecord source, long sequence, JsonNode json) throws UndecodableException {
        boolean isDelete = isDelete(json);
        List<@Nullable Object> id = readAll(plan.changes().id(), json);
        List<@Nullable Object> version = readAll(plan.changes().version(), json);
        Instant event = (Instant) read(plan.time().event(), json);
        Field observedField = plan.time().observedField();
        Instant observed = switch (plan.time().observed()) {
            case NONE -> null;
            case KAFKA_TIMESTAMP -> source.timestamp();
            case FIELD -> observedField == null ? null : (Instant) read(observedField, json);
        };
        List<@Nullable Object> key =
                readAll(isDelete ? List.of() : plan.target().key(), json);
        List<@Nullable Object> row = readAll(isDelete ? List.of() : rowFields, json);

        List<@Nullable Object> all = new ArrayList<>(id);
        all.addAll(version);
        all.add(event);
        all.add(observed);
        all.addAll(key);
        all.addAll(row);
        String rejection = null;
        if (event == null && !isDelete) {
            rejection = "no-event-time";
        } else if (observed == null && plan.time().observed() != Observed.NONE) {
            rejection = "no-observed-time";
        } else if (id.contains(null)) {
            rejection = "no-id";
        } else if (version.contains(null)) {
            rejection = "no-version";
        } else if (key.contains(null)) {
            rejection = "no-key";
        } else if (event != null && observed != null && event.isAfter(withSkew(observed))) {
            rejection = "future-dated";
        } else if (plan.time().observed() == Observed.FIELD
                && source.timestamp() != null
                && observed != null
                && observed.isAfter(withSkew(source.timestamp()))) {
            rejection = "observed-in-future";
        } else if (all.stream().anyMatch(RecordReader::isOutOfRange)
                || (event != null && isOutOfRange(partitions.localDate(event)))) {
            rejection = "out-of-range";
        } else if (all.stream().anyMatch(RecordReader::isUnstorable)) {
            rejection = "unstorable";
        } else if (bytesOf(key) > GREATEST_KEY_BYTES) {
            rejection = "too-long";
        }
        if (rejection != null) {
            return new Reading(null, rejection);
        }
        return new Reading(
                new Change(
                        source.log(),
                        source.split(),
                        source.offset(),
                        sequence,
                        isDelete,
                        plan.changes().hasId() ? present(id) : null,
                        present(version),
                        event,
                        observed,
                        isDelete ? null : present(key),
                        row),
                null);
    }

    private Instant withSkew(Instant time) {
        return time.plus(plan.time().maxFutureSkew(), ChronoUnit.MICROS);
    }

    private boolean isDelete(JsonNode json) throws UndecodableException {
        DeleteForm deletion = DeleteForm.of(plan.changes().delete());
        if (deletion == null) {
            return false;
        }
        Object value = read(deletion.field(), json);
        return deletion.literal() == null
                ? Boolean.TRUE.equals(value)
                : deletion.literal().equals(value);
    }

    private List<@Nullable Object> readAll(List<Field> fields, JsonNode json) throws UndecodableException {
        List<@Nullable Object> values = new ArrayList<>();
        for (Field field : fields) {
            values.add(read(field, json));
        }
        return values;
    }

    private static List<Object> present(List<@Nullable Object> values) {
        List<Object> present = new ArrayList<>();
        for (Object value : values) {
            if (value != null) {
                present.add(value);
            }
        }
        return present;
    }

    private @Nullable Object read(Field field, JsonNode json) throws UndecodableException {
        Declaration declaration = declarations.get(field.name());
        if (declaration == null) {
            throw new IllegalArgumentException("The schema lacks the field " + field.name());
        }
        JsonNode around = json;
        for (int dot = field.name().indexOf('.'); dot >= 0; dot = field.name().indexOf('.', dot + 1)) {
            String path = field.name().substring(0, dot);
            around = around.get(path.substring(path.lastIndexOf('.') + 1));
            if (around == null || around.isNull()) {
                // the kit's records may all be null
                return null;
            }
            require(around.isObject());
        }
        JsonNode value = around.get(field.column());
        if (value == null) {
            value = declaration.fallback();
        }
        if (value == null || value.isNull()) {
            if (!declaration.nullable() && !roles.contains(field.name())) {
                throw new UndecodableException();
            }
            return null;
        }
        return decode(field, declaration, value);
    }

    private static Object decode(Field field, Declaration declaration, JsonNode value) throws UndecodableException {
        FieldType type = field.type();
        try {
            return switch (type.kind()) {
                case BOOLEAN -> {
                    require(value.isBoolean());
                    yield value.booleanValue();
                }
                case INT -> {
                    require(value.isIntegralNumber() && value.canConvertToInt());
                    yield value.longValue();
                }
                case LONG -> integer(value);
                case FLOAT -> plusZero(number(value).floatValue());
                case DOUBLE -> plusZero(number(value).doubleValue());
                case DECIMAL -> {
                    BigDecimal decimal = value.isTextual() ? new BigDecimal(value.textValue()) : number(value);
                    BigDecimal scaled = decimal.setScale(type.scale());
                    require(scaled.precision() <= type.precision());
                    yield scaled;
                }
                case STRING -> {
                    require(declaration.symbols().isEmpty()
                            || declaration.symbols().contains(text(value)));
                    yield text(value);
                }
                case BYTES -> Values.Binary.of(Base64.getDecoder().decode(text(value)));
                case DATE -> {
                    require(value.isTextual() || value.canConvertToInt());
                    yield value.isTextual() ? LocalDate.parse(value.textValue()) : LocalDate.ofEpochDay(integer(value));
                }
                case TIMESTAMP -> timestamp(declaration, value);
                case UUID -> {
                    require(UUID_TEXT.matcher(text(value)).matches());
                    yield UUID.fromString(text(value));
                }
                case TIME, LOCAL_TIMESTAMP -> throw new IllegalStateException("The oracle does not read " + type);
            };
        } catch (ArithmeticException | DateTimeException | IllegalArgumentException e) {
            throw new UndecodableException();
        }
    }

    private static String text(JsonNode value) throws UndecodableException {
        require(value.isTextual());
        return value.textValue();
    }

    private static BigDecimal number(JsonNode value) throws UndecodableException {
        require(value.isNumber());
        return value.decimalValue();
    }

    private static Instant timestamp(Declaration declaration, JsonNode value) throws UndecodableException {
        ChronoUnit unit = declaration.logicalType().endsWith("millis") ? ChronoUnit.MILLIS : ChronoUnit.MICROS;
        if (!value.isTextual()) {
            return Instant.EPOCH.plus(integer(value), unit);
        }
        Instant instant = OffsetDateTime.parse(value.textValue()).toInstant();
        require(instant.truncatedTo(unit).equals(instant));
        return instant;
    }

    private static long integer(JsonNode value) throws UndecodableException {
        require(value.isIntegralNumber() && value.canConvertToLong());
        return value.longValue();
    }

    /** Adding 0.0 makes -0.0 positive and changes nothing else. */
    private static double plusZero(double value) {
        return value + 0.0;
    }

    private static void require(boolean condition) throws UndecodableException {
        if (!condition) {
            throw new UndecodableException();
        }
    }

    private static boolean isOutOfRange(@Nullable Object value) {
        if (value instanceof Double number) {
            return !Double.isFinite(number);
        }
        if (value instanceof Instant instant) {
            return isOutOfRange(instant.atOffset(ZoneOffset.UTC).toLocalDate());
        }
        return value instanceof LocalDate date && (date.getYear() < 1 || date.getYear() > 9999);
    }

    private static boolean isUnstorable(@Nullable Object value) {
        return value instanceof String text
                && text.codePoints()
                        .anyMatch(c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
    }

    private static int bytesOf(List<@Nullable Object> key) {
        int bytes = 0;
        for (Object value : key) {
            if (value instanceof String text) {
                bytes += text.getBytes(StandardCharsets.UTF_8).length;
            }
        }
        return bytes;
    }
}
