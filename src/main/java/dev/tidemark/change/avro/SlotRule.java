package dev.tidemark.change.avro;

import dev.tidemark.change.Bytes;
import dev.tidemark.job.FieldType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the reader schema and the job say of one slot.
 *
 * @param schema the schema of the values that are not null
 * @param aliases other names that writers may use
 * @param nullable whether the schema allows null
 * @param isRole whether the field is id, version, key, event or observed time, so that a null has a reason of its own
 * @param isAsked whether a delete is asked for the field too
 * @param fallback the default in Avro's binary encoding, as the field's whole schema has it; null: none
 */
record SlotRule(
        int slot,
        String name,
        FieldType type,
        Schema schema,
        Schema whole,
        Set<String> aliases,
        boolean nullable,
        boolean isRole,
        boolean isAsked,
        @Nullable Bytes fallback) {

    static SlotRule of(int slot, FieldType type, Schema.Field field, boolean isRole, boolean isAsked) {
        Schema whole = field.schema();
        List<Schema> values = whole.isUnion()
                ? whole.getTypes().stream()
                        .filter(branch -> branch.getType() != Schema.Type.NULL)
                        .toList()
                : List.of(whole);
        if (values.size() != 1) {
            throw new IllegalArgumentException(
                    "The field " + field.name() + " is a union of several types, which cannot be read");
        }
        return new SlotRule(
                slot,
                field.name(),
                type,
                values.get(0),
                whole,
                field.aliases(),
                whole.isNullable(),
                isRole,
                isAsked,
                field.hasDefaultValue() ? encoded(field) : null);
    }

    /** The time unit of the values: microseconds in one. */
    static int microsIn(@Nullable String logicalType) {
        return logicalType != null && logicalType.endsWith("-millis") ? 1000 : 1;
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
