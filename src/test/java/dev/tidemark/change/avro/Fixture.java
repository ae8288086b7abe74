package dev.tidemark.change.avro;

import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.Values;
import dev.tidemark.expression.Derivations;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/** Schemas, readings and decoded records for tests. */
final class Fixture {
    private Fixture() {}

    static Schema schema(String... fields) {
        return new Schema.Parser()
                .parse("{\"type\":\"record\",\"name\":\"R\",\"fields\":[" + String.join(",", fields) + "]}");
    }

    static String field(String name, String type) {
        return "{\"name\":\"" + name + "\",\"type\":" + type + "}";
    }

    static String field(String name, String type, String fallback) {
        return "{\"name\":\"" + name + "\",\"type\":" + type + ",\"default\":" + fallback + "}";
    }

    static String logical(String type, String logicalType) {
        return "{\"type\":\"" + type + "\",\"logicalType\":\"" + logicalType + "\"}";
    }

    static String decimal(int precision, int scale) {
        return "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":" + precision + ",\"scale\":" + scale
                + "}";
    }

    /** All fields of a schema, in the row and in no role. */
    static Reading row(Schema schema) {
        return row(fields(schema));
    }

    private static Reading row(List<Field> fields) {
        return new Reading(
                fields,
                fields.size(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                IntStream.range(0, fields.size()).boxed().toList(),
                -1,
                -1,
                -1,
                -1);
    }

    /** The fields of those paths, in the row and in no role. */
    static Reading row(Schema schema, List<String> paths) {
        List<Field> fields = new ArrayList<>();
        for (String path : paths) {
            Schema at = schema;
            for (String name : path.split("\\.", -1)) {
                at = value(at.getField(name).schema());
            }
            fields.add(new Field(path, type(at)));
        }
        return row(fields);
    }

    /** The fields that are values, those of nested records by their paths. */
    static List<Field> fields(Schema schema) {
        List<Field> fields = new ArrayList<>();
        fields("", schema, fields);
        return fields;
    }

    private static void fields(String around, Schema record, List<Field> fields) {
        for (Schema.Field field : record.getFields()) {
            Schema value = value(field.schema());
            if (value.getType() == Schema.Type.RECORD) {
                fields(around + field.name() + ".", value, fields);
            } else {
                fields.add(new Field(around + field.name(), type(value)));
            }
        }
    }

    /** The schema of the values that are not null. */
    static Schema value(Schema schema) {
        return schema.isUnion()
                ? schema.getTypes().stream()
                        .filter(branch -> branch.getType() != Schema.Type.NULL)
                        .findFirst()
                        .orElseThrow()
                : schema;
    }

    static FieldType type(Schema schema) {
        Schema value = value(schema);
        if (value.getLogicalType() instanceof LogicalTypes.Decimal decimal) {
            return FieldType.decimal(decimal.getPrecision(), decimal.getScale());
        }
        String logical =
                value.getLogicalType() == null ? "" : value.getLogicalType().getName();
        Kind kind = switch (logical) {
            case "date" -> Kind.DATE;
            case "time-millis", "time-micros" -> Kind.TIME;
            case "timestamp-millis", "timestamp-micros" -> Kind.TIMESTAMP;
            case "local-timestamp-millis", "local-timestamp-micros" -> Kind.LOCAL_TIMESTAMP;
            case "uuid" -> Kind.UUID;
            default ->
                switch (value.getType()) {
                    case ENUM, STRING -> Kind.STRING;
                    case FIXED, BYTES -> Kind.BYTES;
                    default -> Kind.valueOf(value.getType().name());
                };
        };
        return FieldType.of(kind);
    }

    static byte[] encoded(GenericRecord record) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
        try {
            new GenericDatumWriter<GenericRecord>(record.getSchema()).write(record, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static RawRecord raw(byte[] bytes, @Nullable String writerSchema) {
        RawRecord raw = new RawRecord();
        // Something else lies around the record.
        raw.bytes = new byte[bytes.length + 10];
        Arrays.fill(raw.bytes, (byte) 0x31);
        System.arraycopy(bytes, 0, raw.bytes, 5, bytes.length);
        raw.start = 5;
        raw.length = bytes.length;
        raw.wholeLength = bytes.length;
        raw.writerSchema = writerSchema;
        return raw;
    }

    /** The values as {@link Values} gives them, bytes as hexadecimal text; or the rejection and its message. */
    static List<@Nullable Object> decode(RecordDecoder decoder, Reading reading, RawRecord raw) {
        Draft draft = new Draft(reading.fields().size());
        draft.clear();
        decoder.decode(raw, draft);
        new Derivations(reading.derived(), reading.fields(), ZoneOffset.UTC).evaluate(draft);
        int delete = reading.delete();
        boolean isDelete = delete >= 0 && !draft.isNull(delete) && draft.fixed(delete) != 0;
        draft.rejectIfSpoiled(
                isDelete
                        ? reading.asked().stream().mapToInt(Integer::intValue).toArray()
                        : IntStream.range(0, reading.fields().size()).toArray());
        List<@Nullable Object> values = new ArrayList<>();
        if (draft.rejection() != null) {
            values.add(draft.rejection().word() + ": " + draft.error());
            return values;
        }
        for (int slot = 0; slot < reading.decoded(); slot++) {
            FieldType type = reading.fields().get(slot).type();
            if (draft.isNull(slot)) {
                values.add(null);
            } else if (type.isFixed()) {
                values.add(Values.ofFixed(type, draft.fixed(slot)));
            } else {
                Object value = Values.ofBytes(type, draft.bytes(slot), draft.start(slot), draft.length(slot));
                values.add(value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value);
            }
        }
        return values;
    }

    static List<@Nullable Object> avro(Schema reader, GenericRecord written) {
        return avro(reader, encoded(written), written.getSchema().toString());
    }

    static List<@Nullable Object> avro(Schema reader, byte[] bytes, @Nullable String writerSchema) {
        Reading reading = row(reader);
        return decode(new AvroRecordDecoder(reading, reader.toString()), reading, raw(bytes, writerSchema));
    }

    static List<@Nullable Object> json(Schema reader, String text) {
        return json(row(reader), reader, text.getBytes(StandardCharsets.UTF_8));
    }

    static List<@Nullable Object> json(Reading reading, Schema reader, byte[] text) {
        return decode(new JsonRecordDecoder(reading, reader.toString()), reading, raw(text, null));
    }
}
