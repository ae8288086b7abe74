package dev.tidemark.change.avro;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/** Data for Avro's own writer, from JSON: bytes as characters up to 255, a union's value by its branch that is not null. */
final class AvroJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private AvroJson() {}

    static GenericRecord record(Schema schema, String json) {
        if (datum(schema, json) instanceof GenericRecord record) {
            return record;
        }
        throw new IllegalArgumentException(json);
    }

    static @Nullable Object datum(Schema schema, String json) {
        try {
            return datum(schema, JSON.readTree(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable Object datum(Schema schema, JsonNode node) {
        if (node.isNull()) {
            return null;
        }
        return switch (schema.getType()) {
            case NULL -> null;
            case BOOLEAN -> node.asBoolean();
            case INT -> node.asInt();
            case LONG -> node.asLong();
            case FLOAT -> Float.valueOf(node.asText());
            case DOUBLE -> Double.valueOf(node.asText());
            case STRING -> node.asText();
            case BYTES -> ByteBuffer.wrap(node.asText().getBytes(StandardCharsets.ISO_8859_1));
            case FIXED -> new GenericData.Fixed(schema, node.asText().getBytes(StandardCharsets.ISO_8859_1));
            case ENUM -> new GenericData.EnumSymbol(schema, node.asText());
            case UNION -> datum(Fixture.value(schema), node);
            case RECORD -> {
                GenericData.Record record = new GenericData.Record(schema);
                for (Schema.Field field : schema.getFields()) {
                    record.put(field.pos(), datum(field.schema(), node.get(field.name())));
                }
                yield record;
            }
            case ARRAY, MAP -> throw new IllegalArgumentException(schema.toString());
        };
    }
}
