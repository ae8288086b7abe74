package dev.tidemark.change.avro;

import dev.tidemark.change.Draft;
import dev.tidemark.change.Reading;
import dev.tidemark.change.Rejection;
import dev.tidemark.job.Field;
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
    private final @Nullable Rejection[] faults;
    private final @Nullable String[] messages;
    private boolean faulty;

    SlotRules(Reading reading, Schema schema) {
        if (schema.getType() != Schema.Type.RECORD) {
            throw new IllegalArgumentException("The schema of a source must be a record, and is " + schema.getType());
        }
        Set<Integer> asked = reading.asked();
        Set<Integer> roles = new HashSet<>(reading.id());
        roles.addAll(reading.version());
        roles.addAll(reading.key());
        roles.add(reading.event());
        roles.add(reading.observed());
        for (int slot = 0; slot < reading.decoded(); slot++) {
            Field field = reading.fields().get(slot);
            rules.add(
                    SlotRule.of(slot, field.name(), field.type(), schema, roles.contains(slot), asked.contains(slot)));
        }
        this.root = FieldNode.root(schema, rules);
        this.faults = new Rejection[rules.size()];
        this.messages = new String[rules.size()];
    }

    List<SlotRule> all() {
        return rules;
    }

    /** The reader schema as far as it leads to slots. */
    FieldNode root() {
        return root;
    }

    void begin() {
        if (faulty) {
            Arrays.fill(faults, null);
            faulty = false;
        }
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
        note(rule, Rejection.UNDECODABLE, String.valueOf(fault.getMessage()));
    }

    /** The value of the slot cannot be held in microseconds, or not in a day. */
    void outOfRange(SlotRule rule, Draft draft, String value) {
        String what = "field " + rule.name() + ": " + value + " is out of range";
        if (rule.isAsked()) {
            draft.reject(Rejection.OUT_OF_RANGE, what);
        } else {
            note(rule, Rejection.OUT_OF_RANGE, what);
        }
    }

    /** Spoils the slots that have a fault: what the record is says whether it matters. */
    void finish(Draft draft) {
        for (int slot = 0; faulty && slot < faults.length; slot++) {
            Rejection fault = faults[slot];
            if (fault != null) {
                draft.spoil(slot, fault, String.valueOf(messages[slot]));
            }
        }
    }

    private void note(SlotRule rule, Rejection reason, String what) {
        Rejection known = faults[rule.slot()];
        if (known == null || reason.compareTo(known) < 0) {
            faults[rule.slot()] = reason;
            messages[rule.slot()] = what;
            faulty = true;
        }
    }
}
