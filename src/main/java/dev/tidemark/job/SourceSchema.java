package dev.tidemark.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the source schema, free of Avro. A field of a nested record is named by its path: the names from the
 * outermost field to it, with dots between.
 *
 * @param json the schema itself
 * @param fields the outermost ones, in the schema's order
 */
public record SourceSchema(String json, List<SchemaField> fields) {

    /**
     * One field.
     *
     * @param name its own name, without those of the records around it
     * @param type null: a job cannot read it
     * @param described its type in the schema's words, for instance {@code an array}
     * @param symbols of an enum; else empty
     * @param parts the fields of a record, which may be null as a whole
     */
    public record SchemaField(
            String name, @Nullable FieldType type, String described, List<String> symbols, Parts parts) {

        /** The fields inside; empty if it is no record. */
        public List<SchemaField> fields() {
            return parts.fields();
        }

        private SchemaField named(String path) {
            return new SchemaField(path, type, described, symbols, parts);
        }
    }

    /** Tells the fields of a record when they are asked for: a record can contain itself. */
    @FunctionalInterface
    public interface Parts {
        /** What is no record. */
        Parts NONE = List::of;

        List<SchemaField> fields();
    }

    /** The field of that path, named by it; or null. */
    public @Nullable SchemaField field(String path) {
        List<SchemaField> level = fields;
        SchemaField found = null;
        for (String name : path.split("\\.", -1)) {
            found = named(name, level);
            if (found == null) {
                return null;
            }
            level = found.fields();
        }
        return found == null ? null : found.named(path);
    }

    /** The names of the outermost fields. */
    public List<String> names() {
        return fields.stream().map(SchemaField::name).toList();
    }

    private static @Nullable SchemaField named(String name, List<SchemaField> level) {
        for (SchemaField field : level) {
            if (field.name().equals(name)) {
                return field;
            }
        }
        return null;
    }
}
