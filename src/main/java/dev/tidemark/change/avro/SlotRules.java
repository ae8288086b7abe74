package dev.tidemark.change.avro;

import dev.tidemark.change.Draft;
import dev.tidemark.change.Reading;
import dev.tidemark.change.Rejection;
import dev.tidemark.change.Values;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The rules of all slots, and the faults of one record that are forgiven if it proves to be a delete: a delete is not
 * asked for its key and its values.
 */
final class SlotRules {
    private final List<SlotRule> rules = new ArrayList<>();
    private final FieldNode root;
    private final int delete;
    private final byte @Nullable [] deleteLiteral;
    private final @Nullable FieldType deleteType;

    private @Nullable Rejection fault;
    private @Nullable String message;

    SlotRules(Reading reading, Schema schema) {
        if (schema.getType() != Schema.Type.RECORD) {
            throw new IllegalArgumentException("The schema of a source must be a record, and is " + schema.getType());
        }
        Set<Integer> asked = new HashSet<>(reading.id());
        asked.addAll(reading.version());
        asked.add(reading.event());
        asked.add(reading.observed());
        Set<Integer> roles = new HashSet<>(asked);
        roles.addAll(reading.key());
        asked.add(reading.delete());
        for (int slot = 0; slot < reading.fields().size(); slot++) {
            Field field = reading.fields().get(slot);
            rules.add(
                    SlotRule.of(slot, field.name(), field.type(), schema, roles.contains(slot), asked.contains(slot)));
        }
        this.root = FieldNode.root(schema, rules);
        String literal = reading.deleteLiteral();
        this.delete = reading.delete();
        this.deleteType = delete < 0 ? null : reading.fields().get(delete).type();
        this.deleteLiteral = literal == null ? null : literal.getBytes(StandardCharsets.UTF_8);
    }

    List<SlotRule> all() {
        return rules;
    }

    /** The reader schema as far as it leads to slots. */
    FieldNode root() {
        return root;
    }

    void begin() {
        fault = null;
        message = null;
    }

    /** The record has null, or nothing, where the schema has no null: at the slot's field or around it. */
    void missing(SlotRule rule) {
        if (!rule.isRole()) {
            unreadable(rule, new Undecodable("field %s has no value, and the schema gives it no default", rule.name()));
        }
    }

    /** The value of the slot is none of its type. */
    void unreadable(SlotRule rule, Undecodable fault) {
        if (rule.isAsked()) {
            throw fault;
        }
        note(Rejection.UNDECODABLE, String.valueOf(fault.getMessage()));
    }

    /** The value of the slot cannot be held in microseconds, or not in a day. */
    void outOfRange(SlotRule rule, Draft draft, String value) {
        String what = "field " + rule.name() + ": " + value + " is out of range";
        if (rule.isAsked()) {
            draft.reject(Rejection.OUT_OF_RANGE, what);
        } else {
            note(Rejection.OUT_OF_RANGE, what);
        }
    }

    /** Brings the faults to bear, unless the record is a delete. */
    void finish(Draft draft) {
        Rejection noted = fault;
        if (noted != null && !isDelete(draft)) {
            draft.reject(noted, String.valueOf(message));
        }
    }

    private void note(Rejection reason, String what) {
        if (fault == null || reason.compareTo(fault) < 0) {
            fault = reason;
            message = what;
        }
    }

    private boolean isDelete(Draft draft) {
        FieldType type = deleteType;
        if (type == null || draft.isNull(delete)) {
            return false;
        }
        byte[] literal = deleteLiteral;
        if (literal == null) {
            return draft.fixed(delete) != 0;
        }
        if (type.kind() == FieldType.Kind.STRING) {
            int start = draft.start(delete);
            return Arrays.equals(draft.bytes(delete), start, start + draft.length(delete), literal, 0, literal.length);
        }
        Object value = type.isFixed()
                ? Values.ofFixed(type, draft.fixed(delete))
                : Values.ofBytes(type, draft.bytes(delete), draft.start(delete), draft.length(delete));
        return value.toString().equals(new String(literal, StandardCharsets.UTF_8));
    }
}
