package dev.tidemark.change;

import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the job reads of a record: each field once, in a slot of the {@link Draft}, and the slots of each role.
 *
 * @param fields the fields, in slot order
 * @param observed slot of the observed time, or -1
 * @param delete slot of the delete field, or -1
 */
public record Reading(
        List<Field> fields,
        List<Integer> id,
        List<Integer> version,
        List<Integer> key,
        List<Integer> row,
        int event,
        int observed,
        int delete,
        @Nullable String deleteLiteral)
        implements Serializable {

    public static Reading of(JobPlan plan) {
        Slots slots = new Slots();
        JobPlan.Deletion deletion = plan.changes().delete();
        Field observedField = plan.time().observedField();
        List<Integer> id = slots.all(plan.changes().id());
        List<Integer> version = slots.all(plan.changes().version());
        List<Integer> key = slots.all(plan.target().key());
        List<Integer> row = slots.all(plan.rowFields());
        int event = slots.slot(plan.time().event());
        int observed = observedField == null ? -1 : slots.slot(observedField);
        int delete = deletion == null ? -1 : slots.slot(deletion.field());
        return new Reading(
                List.copyOf(slots.byName.values()),
                id,
                version,
                key,
                row,
                event,
                observed,
                delete,
                deletion == null ? null : deletion.literal());
    }

    private static final class Slots {
        private final Map<String, Field> byName = new LinkedHashMap<>();
        private final Map<String, Integer> slots = new LinkedHashMap<>();

        private List<Integer> all(List<Field> fields) {
            List<Integer> result = new ArrayList<>();
            for (Field field : fields) {
                result.add(slot(field));
            }
            return List.copyOf(result);
        }

        private int slot(Field field) {
            byName.putIfAbsent(field.name(), field);
            return slots.computeIfAbsent(field.name(), name -> slots.size());
        }
    }
}
