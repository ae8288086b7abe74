package dev.tidemark.change.avro;

import dev.tidemark.job.FieldType;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What the reader schema and the job say of one slot.
 *
 * @param name the field's path
 * @param schema the schema of the values that are not null
 * @param isRole whether the field is id, version, key, event or observed time, so that a null has a reason of its own
 * @param isAsked whether a delete is asked for the field too
 */
record SlotRule(int slot, String name, FieldType type, Schema schema, boolean isRole, boolean isAsked) {

    /** The rule of the field at a path of the reader schema. */
    static SlotRule of(int slot, String path, FieldType type, Schema record, boolean isRole, boolean isAsked) {
        Schema value = record;
        String reached = "";
        for (String name : path.split("\\.", -1)) {
            reached = reached.isEmpty() ? name : reached + "." + name;
            value = FieldNode.value(FieldNode.field(value, name, reached).schema());
            if (value == null) {
                throw new IllegalArgumentException(
                        "The field " + reached + " is a union of several types, which cannot be read");
            }
        }
        return new SlotRule(slot, path, type, value, isRole, isAsked);
    }

    /** The time unit of the values: microseconds in one. */
    static int microsIn(@Nullable String logicalType) {
        return logicalType != null && logicalType.endsWith("-millis") ? 1000 : 1;
    }
}
