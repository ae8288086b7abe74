package dev.tidemark.change;

import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Derived;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the job reads of a record: each field once, in a slot of the {@link Draft}, and the slots of each role. The fields
 * that are decoded come first, then those that are derived from them.
 *
 * @param fields the fields, in slot order
 * @param decoded how many of them are decoded
 * @param derived the others, in slot order: each behind what it reads
 * @param observed slot of the observed time, or -1
 * @param delete slot of the condition that makes a record a delete, or -1
 * @param where slot of the condition that a record must meet to count, or -1
 */
public record Reading(
        List<Field> fields,
        int decoded,
        List<Derived> derived,
        List<Integer> id,
        List<Integer> version,
        List<Integer> key,
        List<Integer> row,
        int event,
        int observed,
        int delete,
        int where)
        implements Serializable {

    public static Reading of(JobPlan plan) {
        Slots slots = new Slots(plan);
        return new Reading(
                List.copyOf(slots.fields),
                slots.fields.size() - slots.derived.size(),
                List.copyOf(slots.derived),
                slots.all(plan.changes().id()),
                slots.all(plan.changes().version()),
                slots.all(plan.target().key()),
                slots.all(plan.rowFields()),
                slots.slot(plan.time().event()),
                slots.slot(plan.time().observedField()),
                slots.slot(plan.deleteField()),
                slots.slot(plan.whereField()));
    }

    /** The slots that every record is asked for, deletes too, and what they are derived from. */
    public Set<Integer> asked() {
        Set<Integer> asked = new TreeSet<>(id);
        asked.addAll(version);
        asked.addAll(List.of(event, observed, delete));
        return withReads(asked);
    }

    /** The slots that say whether a record that is no delete counts, and what they are derived from. */
    public Set<Integer> askedByWhere() {
        return withReads(Set.of(where));
    }

    private Set<Integer> withReads(Set<Integer> slots) {
        Set<Integer> all = new TreeSet<>(slots);
        all.remove(-1);
        for (int i = derived.size() - 1; i >= 0; i--) {
            if (all.contains(decoded + i)) {
                derived.get(i).value().fields().forEach(read -> all.add(fields.indexOf(read)));
            }
        }
        return all;
    }

    private static final class Slots {
        private final List<Field> fields;
        private final List<Derived> derived = new ArrayList<>();
        private final Map<String, Integer> byName = new LinkedHashMap<>();

        Slots(JobPlan plan) {
            Set<Field> read = new LinkedHashSet<>();
            read.addAll(plan.changes().id());
            read.addAll(plan.changes().version());
            read.addAll(plan.target().key());
            read.addAll(plan.rowFields());
            read.add(plan.time().event());
            for (Field role : roles(plan)) {
                read.add(role);
            }
            List<Derived> all = plan.derivations();
            for (int i = all.size() - 1; i >= 0; i--) {
                if (read.contains(all.get(i).field())) {
                    derived.add(0, all.get(i));
                    read.addAll(all.get(i).value().fields());
                }
            }
            derived.forEach(each -> read.remove(each.field()));
            fields = new ArrayList<>(read);
            derived.forEach(each -> fields.add(each.field()));
            for (Field field : fields) {
                byName.putIfAbsent(field.name(), byName.size());
            }
        }

        private static List<Field> roles(JobPlan plan) {
            List<Field> roles = new ArrayList<>();
            for (Field role :
                    new @Nullable Field[] {plan.time().observedField(), plan.deleteField(), plan.whereField()}) {
                if (role != null) {
                    roles.add(role);
                }
            }
            return roles;
        }

        private List<Integer> all(List<Field> some) {
            return some.stream().map(this::slot).toList();
        }

        private int slot(@Nullable Field field) {
            return field == null ? -1 : byName.getOrDefault(field.name(), -1);
        }
    }
}
