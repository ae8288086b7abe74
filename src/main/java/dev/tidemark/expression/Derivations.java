package dev.tidemark.expression;

import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan.Derived;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The derived fields of a job at work. Not thread-safe. */
public final class Derivations {
    private final Evaluator[] evaluators;
    private final FieldType[] types;
    private final String[] names;
    private final int[] slots;
    private final byte[][] unscaled;

    /**
     * Derived fields, those first that others read.
     *
     * @param fields the fields of a record, in slot order; the derived ones are among them
     * @param zone in which instants have dates
     */
    public Derivations(List<Derived> derived, List<Field> fields, ZoneId zone) {
        Map<Field, Integer> bySlot = new HashMap<>();
        for (int slot = 0; slot < fields.size(); slot++) {
            bySlot.put(fields.get(slot), slot);
        }
        Compiler compiler = new Compiler(bySlot, zone);
        int count = derived.size();
        evaluators = new Evaluator[count];
        types = new FieldType[count];
        names = new String[count];
        slots = new int[count];
        unscaled = new byte[count][Long.BYTES];
        for (int i = 0; i < count; i++) {
            Derived each = derived.get(i);
            evaluators[i] = compiler.compile(each.value());
            types[i] = each.field().type();
            names[i] = named(each.field().name());
            slots[i] = fields.indexOf(each.field());
        }
    }

    /** A condition has no name: its field bears its text, in parentheses. */
    private static String named(String name) {
        return name.startsWith("(") ? "condition " + name : "field '" + name + "'";
    }

    /** Computes all of them from the record's fields. What cannot be computed spoils its slot. */
    public void evaluate(Slots row) {
        for (int i = 0; i < evaluators.length; i++) {
            try {
                if (evaluators[i].evaluate(row)) {
                    put(row, i);
                } else {
                    row.setNull(slots[i]);
                }
            } catch (OutOfRange cannot) {
                row.spoil(slots[i], names[i] + ": " + cannot.getMessage());
            }
        }
    }

    private void put(Slots row, int index) {
        Evaluator value = evaluators[index];
        FieldType type = types[index];
        if (type.kind() == Kind.DECIMAL) {
            putDecimal(row, index, value, type);
        } else if (type.isFloatingPoint()) {
            row.setFixed(slots[index], Double.doubleToLongBits(value.number));
        } else if (type.isFixed()) {
            row.setFixed(slots[index], value.fixed);
        } else {
            row.setBytes(slots[index], value.bytes, value.start, value.length);
        }
    }

    /** The type's scale is never less than the value's, so nothing is rounded here. */
    private void putDecimal(Slots row, int index, Evaluator value, FieldType type) {
        if (value.scale != type.scale()) {
            Decimals.rescale(value, value, type.scale(), RoundingMode.UNNECESSARY);
        }
        BigDecimal wide = value.wide;
        if (wide != null) {
            byte[] bytes = wide.unscaledValue().toByteArray();
            row.setBytes(slots[index], bytes, 0, bytes.length);
        } else if (type.isFixed()) {
            row.setFixed(slots[index], value.fixed);
        } else {
            byte[] bytes = unscaled[index];
            long rest = value.fixed;
            int from = bytes.length;
            do {
                bytes[--from] = (byte) rest;
                rest >>= 8;
            } while (from > 0 && !(rest == 0 && bytes[from] >= 0) && !(rest == -1 && bytes[from] < 0));
            row.setBytes(slots[index], bytes, from, bytes.length - from);
        }
    }
}
