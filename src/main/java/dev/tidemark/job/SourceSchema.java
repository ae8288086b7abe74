package dev.tidemark.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the source schema, free of Avro.
 *
 * @param json the schema itself
 * @param fields in the schema's order
 */
public record SourceSchema(String json, List<SchemaField> fields) {

    /**
     * One field.
     *
     * @param type null: a job cannot read it
     * @param described its type in the schema's words, for instance {@code an array}
     * @param symbols of an enum; else empty
     */
    public record SchemaField(String name, @Nullable FieldType type, String described, List<String> symbols) {}

    /** The field of that name, or null. */
    public @Nullable SchemaField field(String name) {
        for (SchemaField field : fields) {
            if (field.name().equals(name)) {
                return field;
            }
        }
        return null;
    }

    /** The names of all fields. */
    public List<String> names() {
        return fields.stream().map(SchemaField::name).toList();
    }
}
