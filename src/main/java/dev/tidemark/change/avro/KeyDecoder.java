package dev.tidemark.change.avro;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.Rejection;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Decodes records that may have a key and no value: such a one withdraws the record whose id the key gives. All others are
 * decoded as ever.
 *
 * <p>A key gives the id as a JSON object that has its fields, as a JSON array of them in their order, or, if it is one field,
 * as plain text or as a JSON value. A key with the values' framing gives it as an Avro record that has the fields, or, if it
 * is one field, as an Avro value of its type. Whatever else an object or record holds is passed over.
 */
final class KeyDecoder implements RecordDecoder {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final RecordDecoder values;
    private final boolean hasDeletes;
    private final boolean derivesId;
    private final List<Field> id;
    private final List<Integer> slots;
    private final RecordDecoder avro;
    private final RecordDecoder json;
    private final Draft draft;
    private final RawRecord object = new RawRecord();
    private final Map<String, String> wrapped = new HashMap<>();

    KeyDecoder(RecordDecoder values, JobPlan plan, Reading reading) {
        String schema = plan.source().schema();
        this.values = values;
        this.hasDeletes = plan.changes().mode() == JobPlan.Mode.UPSERT;
        this.id = plan.changes().id();
        this.slots = reading.id();
        this.derivesId = reading.id().stream().anyMatch(slot -> slot >= reading.decoded());
        List<Field> read = derivesId ? List.of() : id;
        Reading ids = new Reading(
                read,
                read.size(),
                List.of(),
                IntStream.range(0, read.size()).boxed().toList(),
                List.of(),
                List.of(),
                List.of(),
                -1,
                -1,
                -1,
                -1);
        this.avro = new AvroRecordDecoder(ids, schema);
        this.json = new JsonRecordDecoder(ids, schema);
        this.draft = new Draft(id.size());
    }

    @Override
    public void decode(RawRecord raw, Draft into) {
        if (!raw.tombstone) {
            values.decode(raw, into);
            return;
        }
        byte[] key = raw.recordKey;
        String problem;
        draft.clear();
        if (!hasDeletes) {
            into.reject(Rejection.UNDECODABLE, "the record has no value, and mode append has no deletes");
            return;
        } else if (key == null) {
            problem = "the record has neither value nor key";
        } else if (key.length == 0) {
            problem = "the key is empty";
        } else if (derivesId) {
            problem = "the id is derived from fields of the value";
        } else if (raw.writerSchema != null) {
            raw.writerSchema = wrapped.computeIfAbsent(raw.writerSchema, this::asRecord);
            avro.decode(raw, draft);
            problem = draft.error();
        } else {
            problem = readText(key);
        }
        if (problem != null) {
            into.reject(Rejection.NO_ID, "the key of a record without value gives no id: " + problem);
            return;
        }
        for (int i = 0; i < slots.size(); i++) {
            copy(i, slots.get(i), into);
        }
    }

    private void copy(int from, int slot, Draft into) {
        if (draft.isNull(from)) {
            return;
        }
        if (id.get(from).type().isFixed()) {
            into.setFixed(slot, draft.fixed(from));
        } else {
            into.setBytes(slot, draft.bytes(from), draft.start(from), draft.length(from));
        }
    }

    /** A single value is read as a record of one field: their bytes are the same. */
    private String asRecord(String writerSchema) {
        Schema written = new Schema.Parser(NameValidator.NO_VALIDATION).parse(writerSchema);
        return written.getType() == Schema.Type.RECORD || id.size() != 1
                ? writerSchema
                : Schema.createRecord(
                                "Key",
                                null,
                                null,
                                false,
                                List.of(new Schema.Field(id.get(0).name(), written)))
                        .toString();
    }

    /** Reads the id of a key that is no Avro. Gives what is wrong with it, or null. */
    private @Nullable String readText(byte[] key) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(key))
                    .toString();
        } catch (CharacterCodingException e) {
            return "it is not UTF-8";
        }
        JsonNode written = parsed(text);
        ObjectNode fields = MAPPER.createObjectNode();
        if (written != null && written.isObject()) {
            fields = (ObjectNode) written;
        } else if (written != null && written.isArray() && written.size() == id.size()) {
            for (int i = 0; i < id.size(); i++) {
                put(fields, id.get(i).name(), written.get(i));
            }
        } else if (id.size() == 1) {
            put(fields, id.get(0).name(), written == null ? TextNode.valueOf(text) : written);
        } else {
            return "a JSON object or array with the fields "
                    + String.join(", ", id.stream().map(Field::name).toList()) + " is expected";
        }
        object.bytes = fields.toString().getBytes(StandardCharsets.UTF_8);
        object.length = object.bytes.length;
        json.decode(object, draft);
        return draft.error();
    }

    /** The key as JSON; null when it is plain text. Of a text id only what looks like JSON is taken for it. */
    private @Nullable JsonNode parsed(String text) {
        boolean isText = id.size() == 1 && id.get(0).type().kind() == Kind.STRING;
        if (isText && !text.startsWith("{") && !text.startsWith("[") && !text.startsWith("\"")) {
            return null;
        }
        try {
            JsonNode read = MAPPER.readTree(text);
            return read.isMissingNode() || (isText && read.isContainerNode() && !givesText(read)) ? null : read;
        } catch (IOException e) {
            return null;
        }
    }

    private boolean givesText(JsonNode read) {
        return read.isArray()
                ? read.size() == 1 && read.get(0).isTextual()
                : read.at("/" + id.get(0).name().replace('.', '/')).isTextual();
    }

    /** Sets a field, which may be a path into records. */
    private static void put(ObjectNode fields, String path, JsonNode value) {
        int dot = path.indexOf('.');
        if (dot < 0) {
            fields.set(path, value);
        } else {
            put(fields.withObjectProperty(path.substring(0, dot)), path.substring(dot + 1), value);
        }
    }
}
