package dev.tidemark.change.avro;

import dev.tidemark.change.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * A field of the reader schema that leads to slots: it has one itself, or is a record around such fields. Only these fields
 * are in the tree, so that it ends where the paths of the job end, even if a record contains itself.
 *
 * @param name its own name
 * @param path its name with those of the records around it; empty for the outermost record
 * @param whole its schema
 * @param value the schema of the values that are not null
 * @param nullable whether the schema allows null
 * @param aliases other names that writers may use
 * @param fallback the default in Avro's binary encoding; null: none
 * @param rule of its slot; null: it is a record
 * @param fields inside of it, as far as they lead to slots
 * @param rules of all slots that it leads to
 */
record FieldNode(
        String name,
        String path,
        Schema whole,
        Schema value,
        boolean nullable,
        Set<String> aliases,
        @Nullable Bytes fallback,
        @Nullable SlotRule rule,
        List<FieldNode> fields,
        List<SlotRule> rules) {

    /** The outermost record, with the rules by their paths. */
    static FieldNode root(Schema schema, List<SlotRule> rules) {
        return new FieldNode(
                "", "", schema, schema, false, Set.of(), null, null, inside("", schema, rules), List.copyOf(rules));
    }

    /** The schema of a field's values that are not null; null if they are of several types. */
    static @Nullable Schema value(Schema whole) {
        if (!whole.isUnion()) {
            return whole;
        }
        List<Schema> values = whole.getTypes().stream()
                .filter(branch -> branch.getType() != Schema.Type.NULL)
                .toList();
        return values.size() == 1 ? values.get(0) : null;
    }

    private static List<FieldNode> inside(String prefix, Schema record, List<SlotRule> rules) {
        Map<String, List<SlotRule>> byName = new LinkedHashMap<>();
        for (SlotRule rule : rules) {
            int dot = rule.name().indexOf('.', prefix.length());
            String name =
                    rule.name().substring(prefix.length(), dot < 0 ? rule.name().length() : dot);
            byName.computeIfAbsent(name, any -> new ArrayList<>()).add(rule);
        }
        List<FieldNode> fields = new ArrayList<>();
        byName.forEach((name, below) -> fields.add(of(prefix + name, field(record, name, prefix + name), below)));
        return List.copyOf(fields);
    }

    private static FieldNode of(String path, Schema.Field field, List<SlotRule> rules) {
        Schema whole = field.schema();
        Schema value = value(whole);
        if (value == null) {
            throw new IllegalArgumentException(
                    "The field " + path + " is a union of several types, which cannot be read");
        }
        boolean isLeaf = rules.get(0).name().equals(path);
        if (!isLeaf && value.getType() != Schema.Type.RECORD) {
            throw new IllegalArgumentException("The field " + path + " is no record, and nothing is inside of it");
        }
        return new FieldNode(
                field.name(),
                path,
                whole,
                value,
                whole.isNullable(),
                field.aliases(),
                field.hasDefaultValue() ? encoded(field) : null,
                isLeaf ? rules.get(0) : null,
                isLeaf ? List.of() : inside(path + ".", value, rules),
                List.copyOf(rules));
    }

    static Schema.Field field(Schema record, String name, String path) {
        Schema.Field field = record.getType() == Schema.Type.RECORD ? record.getField(name) : null;
        if (field == null) {
            throw new IllegalArgumentException("The schema has no field " + path);
        }
        return field;
    }

    private static Bytes encoded(Schema.Field field) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
        try {
            new GenericDatumWriter<Object>(field.schema())
                    .write(GenericData.get().getDefaultValue(field), encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Bytes.of(out.toByteArray());
    }
}
