package dev.tidemark.job.avro;

import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.SourceSchema;
import dev.tidemark.job.SourceSchema.Parts;
import dev.tidemark.job.SourceSchema.SchemaField;
import dev.tidemark.job.WriterSchemas.Known;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.jspecify.annotations.Nullable;

/** Reads Avro schemas into Tidemark's types. */
public final class AvroSchemas {
    /** The most digits that PostgreSQL's numeric can declare. */
    private static final int GREATEST_PRECISION = 1000;

    private AvroSchemas() {}

    /**
     * The fields of a record schema.
     *
     * @throws IllegalArgumentException if the text is no schema of a record; the message says why
     */
    public static SourceSchema parse(String text) {
        Schema schema = schema(text);
        if (schema.getType() != Schema.Type.RECORD) {
            throw new IllegalArgumentException("is the Avro schema of " + described(schema) + ", not of a record");
        }
        return new SourceSchema(schema.toString(), fields(schema));
    }

    /**
     * A schema that values, or keys, were written with.
     *
     * @throws IllegalArgumentException if the text is no schema; the message says why
     */
    public static Known known(String name, String text) {
        Schema schema = schema(text);
        return new Known(name, schema.toString(), SchemaNormalization.parsingFingerprint64(schema));
    }

    private static Schema schema(String text) {
        try {
            return new Schema.Parser().parse(text);
        } catch (AvroRuntimeException e) {
            String message = String.valueOf(e.getMessage());
            throw new IllegalArgumentException(
                    "is not an Avro schema: " + message.lines().findFirst().orElse(message), e);
        } catch (NullPointerException e) {
            // How Avro 1.12 answers a type that it does not know at the top.
            throw new IllegalArgumentException("is not an Avro schema: it has a type that Avro does not know", e);
        }
    }

    private static List<SchemaField> fields(Schema record) {
        return record.getFields().stream().map(AvroSchemas::field).toList();
    }

    private static SchemaField field(Schema.Field field) {
        Schema schema = withoutNull(field.schema());
        List<String> symbols = schema.getType() == Schema.Type.ENUM ? schema.getEnumSymbols() : List.of();
        Parts parts = schema.getType() == Schema.Type.RECORD ? () -> fields(schema) : Parts.NONE;
        return new SchemaField(field.name(), type(schema), described(schema), symbols, parts);
    }

    /** The type of a union with null; any other schema as it is. */
    private static Schema withoutNull(Schema schema) {
        if (schema.getType() != Schema.Type.UNION) {
            return schema;
        }
        List<Schema> others = schema.getTypes().stream()
                .filter(branch -> branch.getType() != Schema.Type.NULL)
                .toList();
        return others.size() == 1 ? others.get(0) : schema;
    }

    private static @Nullable FieldType type(Schema schema) {
        LogicalType logical = schema.getLogicalType();
        return logical == null ? plainType(schema) : logicalType(logical);
    }

    private static @Nullable FieldType plainType(Schema schema) {
        return switch (schema.getType()) {
            case BOOLEAN -> FieldType.of(Kind.BOOLEAN);
            case INT -> FieldType.of(Kind.INT);
            case LONG -> FieldType.of(Kind.LONG);
            case FLOAT -> FieldType.of(Kind.FLOAT);
            case DOUBLE -> FieldType.of(Kind.DOUBLE);
            case STRING, ENUM -> FieldType.of(Kind.STRING);
            case BYTES, FIXED -> FieldType.of(Kind.BYTES);
            case NULL, RECORD, ARRAY, MAP, UNION -> null;
        };
    }

    /** A logical type that Avro knows; one that it does not know is no logical type and reads as its base. */
    private static @Nullable FieldType logicalType(LogicalType logical) {
        if (logical instanceof LogicalTypes.Decimal decimal) {
            return decimal.getPrecision() > GREATEST_PRECISION
                    ? null
                    : FieldType.decimal(decimal.getPrecision(), decimal.getScale());
        }
        return switch (logical.getName()) {
            case "date" -> FieldType.of(Kind.DATE);
            case "time-millis", "time-micros" -> FieldType.of(Kind.TIME);
            case "timestamp-millis", "timestamp-micros" -> FieldType.of(Kind.TIMESTAMP);
            case "local-timestamp-millis", "local-timestamp-micros" -> FieldType.of(Kind.LOCAL_TIMESTAMP);
            case "uuid" -> FieldType.of(Kind.UUID);
            default -> null;
        };
    }

    private static String described(Schema schema) {
        LogicalType logical = schema.getLogicalType();
        if (logical instanceof LogicalTypes.Decimal decimal) {
            return "a decimal(" + decimal.getPrecision() + "," + decimal.getScale() + ")";
        }
        if (logical != null) {
            return "a " + logical.getName();
        }
        return switch (schema.getType()) {
            case INT, ARRAY, ENUM -> "an " + word(schema);
            case UNION ->
                "a union of "
                        + schema.getTypes().stream().map(AvroSchemas::word).collect(Collectors.joining(", "));
            default -> "a " + word(schema);
        };
    }

    private static String word(Schema schema) {
        return schema.getType().name().toLowerCase(Locale.ROOT);
    }
}
